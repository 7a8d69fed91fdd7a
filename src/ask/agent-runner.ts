/**
 * Runs the agent, and stores a request's settings and turn in its RequestContext, where tools and
 * processors read them.
 */
import type { Agent } from '@mastra/core/agent';
import { MASTRA_RESOURCE_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import type { ModelUse } from '../models/model-call.ts';
import { modelError } from '../models/provider-failure.ts';
import type { AgentRequest, AgentRunner, Usage, Working } from './ask.ts';
import type { Turn } from './turn.ts';

const namespaceKey = 'namespace';
/** Our server writes it; in Mastra Studio, the developer does. */
const actingUserKey = 'actingUser';
const signalKey = 'knowledge.signal';
const addressedKey = 'knowledge.addressed';
const lifetimeKey = 'knowledge.stay';
const holdHandOffKey = 'knowledge.holdHandOff';
const repliedKey = 'knowledge.replied';
const workingKey = 'knowledge.working';

/** Accounting of a turn; `until` aborts when the turn ends for any reason. */
export interface TurnLifetime {
  readonly countedAs: string;
  readonly conversationId: string | undefined;
  readonly until: AbortSignal;
}

/** Set by the host only: neither a message nor a request body can change it. */
type RequestDecisions = Partial<
  Pick<AgentRequest, 'actingUser' | 'signal' | 'addressed' | 'holdHandOff' | 'onWorking'>
> & {
  readonly lifetime?: TurnLifetime;
  /** Called when a model's reply is complete; afterwards no fallback replaces it. */
  readonly onReplied?: () => void;
};

export function createRequestContext(
  namespace: string,
  {
    actingUser,
    signal,
    addressed,
    lifetime,
    holdHandOff,
    onReplied,
    onWorking,
  }: RequestDecisions = {},
): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  if (actingUser !== undefined) context.setRaw(actingUserKey, actingUser);
  if (signal !== undefined) context.setRaw(signalKey, signal);
  if (addressed !== undefined) context.setRaw(addressedKey, addressed);
  if (lifetime !== undefined) context.setRaw(lifetimeKey, lifetime);
  if (onWorking !== undefined) context.setRaw(workingKey, onWorking);
  if (onReplied !== undefined) context.setRaw(repliedKey, onReplied);
  if (holdHandOff !== undefined) context.setRaw(holdHandOffKey, holdHandOff);
  return context;
}

/** Undefined if the host does not count usage, as in Mastra Studio. */
export const lifetimeOf = (context: RequestContext | undefined): TurnLifetime | undefined =>
  context?.getRaw(lifetimeKey) as TurnLifetime | undefined;

export const noteReplied = (context: RequestContext | undefined): void =>
  (context?.getRaw(repliedKey) as (() => void) | undefined)?.();

/** Tells a streaming caller what its question waits for. */
export const noteWorking = (context: RequestContext | undefined, on: Working): void =>
  (context?.getRaw(workingKey) as AgentRequest['onWorking'] | undefined)?.(on);

/** Undefined if the host hands nothing off, as in Mastra Studio. */
export const holdHandOffOf = (
  context: RequestContext | undefined,
): AgentRequest['holdHandOff'] | undefined =>
  context?.getRaw(holdHandOffKey) as AgentRequest['holdHandOff'] | undefined;

export function modelUseOf(context: RequestContext | undefined): ModelUse {
  const { countedAs, conversationId } = lifetimeOf(context) ?? {};
  return { countedAs, conversationId, namespace: namespaceOf(context) };
}

/** Undefined: the agent's setting applies. */
export function isAddressed(context: RequestContext | undefined): boolean | undefined {
  const addressed = context?.getRaw(addressedKey);
  return typeof addressed === 'boolean' ? addressed : undefined;
}

/** Default: the resource that an authenticated Mastra server set. */
export function actingUserOf(context: RequestContext | undefined): string | undefined {
  const uid = context?.getRaw(actingUserKey) ?? context?.getRaw(MASTRA_RESOURCE_ID_KEY);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}

/** Needed because Mastra passes no signal to stream processors. */
export function signalOfRequest(context: RequestContext | undefined): AbortSignal | undefined {
  const signal = context?.getRaw(signalKey);
  return signal instanceof AbortSignal ? signal : undefined;
}

/** `default` if the caller set none. */
export function namespaceOf(context: RequestContext | undefined): string {
  const namespace = context?.getRaw(namespaceKey);
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

const turnKey = 'knowledge.turn';

export function setTurn(context: RequestContext | undefined, turn: Turn | undefined): void {
  context?.setRaw(turnKey, turn);
}

export const readTurn = (context: RequestContext | undefined): Turn | undefined =>
  context?.getRaw(turnKey) as Turn | undefined;

function addUsage({ inputTokens = 0, outputTokens = 0 }: Usage, other: Usage = {}): Usage {
  return {
    inputTokens: inputTokens + (other.inputTokens ?? 0),
    outputTokens: outputTokens + (other.outputTokens ?? 0),
  };
}

/** Tokens of the other requests than that of the reply. */
const usedBesides = (turn: Turn | undefined): Usage =>
  (turn?.requests ?? []).filter(({ purpose }) => purpose !== 'answer').reduce<Usage>(addUsage, {});

/** Answers if the model fails. @returns the answer as segments, which are shown one by one */
export type FallbackAnswerer = (
  turn: Turn,
  request: Pick<AgentRequest, 'actingUser' | 'signal'>,
) => Promise<readonly string[]>;

export interface AgentRunnerOptions {
  /** Undefined: a failing model fails the question. */
  readonly fallbackAnswerer: FallbackAnswerer | undefined;
  /**
   * Time in which a model must send its first text, so that the fallback answerer has time left.
   * Milliseconds.
   */
  readonly giveUpMs: number;
}

/**
 * Aborts after `giveUpMs` unless `end` is called. The first shown text calls it: later failures
 * become errors.
 */
function createGiveUpTimer(ending: AbortSignal, giveUpMs: number | undefined) {
  const givingUp = new AbortController();
  const late = () =>
    givingUp.abort(
      new DOMException(`the model sent no text within ${giveUpMs} ms`, 'TimeoutError'),
    );
  const timer = giveUpMs === undefined ? undefined : setTimeout(late, giveUpMs);
  const signal = AbortSignal.any([ending, givingUp.signal]);
  return { signal, end: () => clearTimeout(timer) };
}

type StreamChunk =
  Awaited<ReturnType<Agent['stream']>>['fullStream'] extends AsyncIterable<infer Chunk>
    ? Chunk
    : never;

function toStep(
  chunk: StreamChunk,
  turn: Turn | undefined,
): { turn: Turn | undefined; text?: string; usage?: Usage } {
  // The caller reads the error of the turn, which names the cause.
  if (chunk.type === 'error' && !turn?.error) throw chunk.payload.error;
  if (chunk.type === 'text-delta') return { turn, text: chunk.payload.text };
  return chunk.type === 'finish'
    ? { turn, usage: addUsage(chunk.payload.output.usage, usedBesides(turn)) }
    : { turn };
}

export const createAgentRunner = (
  agent: Agent,
  { fallbackAnswerer, giveUpMs }: AgentRunnerOptions,
): AgentRunner => {
  function begin({
    messages,
    namespace,
    runId,
    countedAs,
    conversationId,
    signal: ending,
    ...decided
  }: AgentRequest) {
    const giveUp = createGiveUpTimer(ending, fallbackAnswerer && giveUpMs);
    const { signal } = giveUp;
    const leaving = new AbortController();
    const lifetime = {
      countedAs,
      conversationId,
      until: AbortSignal.any([signal, leaving.signal]),
    };
    const requestContext = createRequestContext(namespace, {
      ...decided,
      signal,
      lifetime,
      onReplied: giveUp.end,
    });
    const end = () => {
      giveUp.end();
      leaving.abort();
    };
    const options = { requestContext, runId, abortSignal: signal };
    return { messages: [...messages], options, giveUp, turn: () => readTurn(requestContext), end };
  }

  /**
   * Answers with the fallback. Uses a copy of the turn, so that the model cannot change it. @throws
   * the failure without a fallback
   */
  async function answerInstead(turn: Turn | undefined, request: AgentRequest, failure: unknown) {
    if (
      !fallbackAnswerer ||
      request.signal.aborted ||
      !turn ||
      turn.error ||
      turn.toolUses.length === 0
    )
      throw failure;
    const { writer: _, answer: __, ...found } = turn;
    const own: Turn = { ...found, toolUses: [...turn.toolUses], isDegraded: true };
    return {
      turn: own,
      texts: await fallbackAnswerer(own, request),
      usage: usedBesides(turn),
    };
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
        if (result.error) throw result.error;
        return { turn: turn(), usage: addUsage(result.usage, usedBesides(turn())) };
      } catch (error) {
        // The error of the turn names the cause; the other one says only that the stream ended.
        if (turn()?.error) return { turn: turn(), usage: usedBesides(turn()) };
        const { texts: _, ...answered } = await answerInstead(turn(), request, error);
        return answered;
      } finally {
        end();
      }
    },

    async *stream(request) {
      const { messages, options, giveUp, turn, end } = begin(request);
      let isShown = false;
      try {
        const output = await agent.stream(messages, options);
        yield { turn: turn() };
        for await (const chunk of output.fullStream) {
          const step = toStep(chunk, turn());
          if (step.text) {
            isShown = true;
            giveUp.end();
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
