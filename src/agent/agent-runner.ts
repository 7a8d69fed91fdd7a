/**
 * The agent as asking needs it: what its stream and its result come to, without Mastra's own words; and what a host decides about one
 * request and what has come of it, where tools and processors find it: nothing outlives the request.
 */
import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { AgentRequest, AgentRunner, Usage } from '../app/ask/ask.ts';
import type { Turn } from '../app/ask/turn.ts';
import { withAbort } from '../concurrency/deadline.ts';
import type { ModelUse } from './model-call.ts';
import { modelError } from './provider-failure.ts';

const namespaceKey = 'namespace';
const actingUserKey = 'knowledge.actingUser';
const signalKey = 'knowledge.signal';
const addressedKey = 'knowledge.addressed';
const stayKey = 'knowledge.stay';

/** Who is counted for what a turn takes up while it lasts, and when it is over: however it ends. */
export interface TurnLifetime {
  readonly countedAs: string;
  readonly conversationId: string | undefined;
  readonly until: AbortSignal;
}

/** What a host decides about a request: who asks, what ends it, whether it needs a mention. No message and no body has a say in it. */
type Decided = Partial<Pick<AgentRequest, 'actingUser' | 'signal' | 'addressed'>> & { readonly lifetime?: TurnLifetime };

export function createRequestContext(namespace: string, { actingUser, signal, addressed, lifetime }: Decided = {}): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  if (actingUser !== undefined) context.setRaw(actingUserKey, actingUser);
  if (signal !== undefined) context.setRaw(signalKey, signal);
  if (addressed !== undefined) context.setRaw(addressedKey, addressed);
  if (lifetime !== undefined) context.setRaw(stayKey, lifetime);
  return context;
}

/** Undefined where no host counts, as in Mastra's own studio. */
export const lifetimeOf = (context: RequestContext | undefined): TurnLifetime | undefined =>
  context?.getRaw(stayKey) as TurnLifetime | undefined;

/** Who the models of a request work for. */
export function useOf(context: RequestContext | undefined): ModelUse {
  const { countedAs, conversationId } = lifetimeOf(context) ?? {};
  return { countedAs, conversationId, namespace: namespaceOf(context) };
}

/** Undefined: as the agent is set up. */
export function isAddressed(context: RequestContext | undefined): boolean | undefined {
  const addressed = context?.getRaw(addressedKey);
  return typeof addressed === 'boolean' ? addressed : undefined;
}

export function actingUserOf(context: RequestContext | undefined): string | undefined {
  const uid = context?.getRaw(actingUserKey);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** Mastra hands its own signal to no processor of a stream. */
export function signalOfRequest(context: RequestContext | undefined): AbortSignal | undefined {
  const signal = context?.getRaw(signalKey);
  return signal instanceof AbortSignal ? signal : undefined;
}

/** `default` where the caller set none. */
export function namespaceOf(context: RequestContext | undefined): string {
  const namespace = context?.getRaw(namespaceKey);
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

const turnKey = 'knowledge.turn';

export function setTurn(context: RequestContext | undefined, turn: Turn | undefined): void {
  context?.setRaw(turnKey, turn);
}

export const readTurn = (context: RequestContext | undefined): Turn | undefined => context?.getRaw(turnKey) as Turn | undefined;

/** Tokens of a turn, with those of a further model. */
function withJudged({ inputTokens = 0, outputTokens = 0 }: Usage, judged: Usage = {}): Usage {
  return { inputTokens: inputTokens + (judged.inputTokens ?? 0), outputTokens: outputTokens + (judged.outputTokens ?? 0) };
}

/** Who answers where the model does not: what they say, in the pieces in which it is shown. */
export type FallbackAnswerer = (turn: Turn, request: Pick<AgentRequest, 'actingUser' | 'signal'>) => Promise<readonly string[]>;

export interface AgentRunnerOptions {
  /** Undefined: a failure of the model is one of the question. */
  readonly fallbackAnswerer: FallbackAnswerer | undefined;
  /** Until a model of which nothing can be shown yet is given up, so that there is time for the one who stands in. Milliseconds. */
  readonly giveUpMs: number;
}

/** A reader who was shown something gets the rest of it, or an error. */
function createPatienceWith(ending: AbortSignal, giveUpMs: number | undefined) {
  const givingUp = new AbortController();
  const late = () => givingUp.abort(new DOMException(`the model gave no answer within ${giveUpMs} ms`, 'TimeoutError'));
  const timer = giveUpMs === undefined ? undefined : setTimeout(late, giveUpMs);
  const signal = AbortSignal.any([ending, givingUp.signal]);
  return { signal, end: () => clearTimeout(timer) };
}

type StreamChunk = Awaited<ReturnType<Agent['stream']>>['fullStream'] extends AsyncIterable<infer Chunk> ? Chunk : never;

/** @throws what failed */
function toStep(chunk: StreamChunk, turn: Turn | undefined): { turn: Turn | undefined; text?: string; usage?: Usage } {
  if (chunk.type === 'error') throw chunk.payload.error;
  if (chunk.type === 'text-delta') return { turn, text: chunk.payload.text };
  return chunk.type === 'finish' ? { turn, usage: withJudged(chunk.payload.output.usage, turn?.judged) } : { turn };
}

export const createAgentRunner = (agent: Agent, { fallbackAnswerer, giveUpMs }: AgentRunnerOptions): AgentRunner => {
  function begin({ messages, namespace, runId, countedAs, conversationId, signal: ending, ...decided }: AgentRequest) {
    const patience = createPatienceWith(ending, fallbackAnswerer && giveUpMs);
    const { signal } = patience;
    const leaving = new AbortController();
    const lifetime = { countedAs, conversationId, until: AbortSignal.any([signal, leaving.signal]) };
    const requestContext = createRequestContext(namespace, { ...decided, signal, lifetime: lifetime });
    const end = () => {
      patience.end();
      leaving.abort();
    };
    const options = { requestContext, runId, abortSignal: signal };
    return { messages: [...messages], options, patience, turn: () => readTurn(requestContext), end };
  }

  /**
   * The turn as whoever stands in answers it; what the model may still do to its own does not matter any more.
   * @throws the failure, where nobody can
   */
  async function answerInstead(turn: Turn | undefined, request: AgentRequest, failure: unknown) {
    if (!fallbackAnswerer || request.signal.aborted || !turn || turn.error || turn.toolUses.length === 0) throw failure;
    const { writer: _, answer: __, ...found } = turn;
    const own: Turn = { ...found, toolUses: [...turn.toolUses], isDegraded: true };
    return { turn: own, texts: await fallbackAnswerer(own, request), usage: withJudged({}, turn.judged) };
  }

  return {
    id: agent.id,
    toError: modelError,

    async generate(request) {
      const { messages, options, turn, end } = begin(request);
      const { abortSignal } = options;
      try {
        const result = await withAbort(
          abortSignal,
          () => abortSignal.reason,
          () => agent.generate(messages, options),
        );
        abortSignal.throwIfAborted();
        // Why a turn could not be served says more than that it ended.
        if (result.error && !turn()?.error) throw result.error;
        return { turn: turn(), usage: withJudged(result.usage, turn()?.judged) };
      } catch (error) {
        const { texts: _, ...answered } = await answerInstead(turn(), request, error);
        return answered;
      } finally {
        end();
      }
    },

    async *stream(request) {
      const { messages, options, patience, turn, end } = begin(request);
      let isShown = false;
      try {
        const output = await agent.stream(messages, options);
        yield { turn: turn() };
        for await (const chunk of output.fullStream) {
          const step = toStep(chunk, turn());
          if (step.text) {
            isShown = true;
            patience.end();
          }
          yield step;
        }
        options.abortSignal.throwIfAborted();
      } catch (error) {
        if (isShown) throw error;
        const { texts, ...answered } = await answerInstead(turn(), request, error);
        yield answered;
        for (const text of texts) yield { turn: answered.turn, text };
      } finally {
        end();
      }
    },
  };
};
