/**
 * The agent as asking needs it: what its stream and its result come to, without Mastra's own words; and what a host decides about one
 * request and what has come of it, where tools and processors find it: nothing outlives the request.
 */
import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { AgentRequest, AgentRunner, Usage } from '../app/ask/ask.ts';
import type { Turn } from '../app/ask/turn.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../errors.ts';

const namespaceKey = 'namespace';
const actingUserKey = 'knowledge.actingUser';
const signalKey = 'knowledge.signal';
const addressedKey = 'knowledge.addressed';
const stayKey = 'knowledge.stay';

/** Who is counted for what a turn takes up while it lasts, and when it is over: however it ends. */
interface Stay {
  readonly countedAs: string;
  readonly until: AbortSignal;
}

/** What a host decides about a request: who asks, what ends it, whether it needs a mention. No message and no body has a say in it. */
type Decided = Partial<Pick<AgentRequest, 'actingUser' | 'signal' | 'addressed'>> & { readonly stay?: Stay };

export function createRequestContext(namespace: string, { actingUser, signal, addressed, stay }: Decided = {}): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  if (actingUser !== undefined) context.setRaw(actingUserKey, actingUser);
  if (signal !== undefined) context.setRaw(signalKey, signal);
  if (addressed !== undefined) context.setRaw(addressedKey, addressed);
  if (stay !== undefined) context.setRaw(stayKey, stay);
  return context;
}

/** Undefined where no host counts, as in Mastra's own studio. */
export const stayOf = (context: RequestContext | undefined): Stay | undefined => context?.getRaw(stayKey) as Stay | undefined;

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

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'];

/** HTTP status with which a provider answered, where it did. */
export function providerStatusOf(thrown: unknown): number | undefined {
  for (const error of causesOf(thrown)) if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return undefined;
}

/** What went wrong with a model, as a caller reads it: never what the provider said. */
function modelError(error: unknown, timeoutSeconds?: number): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (timeoutSeconds !== undefined)
    return new KnowledgeError('timeout', `The model did not answer within ${timeoutSeconds} seconds.`, { cause: error });
  const status = providerStatusOf(error);
  if (status === 429 || status === 503 || unreachable.includes(systemErrorCode(error) ?? '')) {
    return new KnowledgeError('model_unavailable', 'The model cannot be reached or is overloaded; try again in a moment.', {
      cause: error,
      retryAfterSeconds: 10,
    });
  }
  return new KnowledgeError('model_failed', 'The model did not give an answer.', { cause: error });
}

const begin = ({ messages, namespace, runId, signal, countedAs, ...decided }: AgentRequest) => {
  const leaving = new AbortController();
  const stay = { countedAs, until: AbortSignal.any([signal, leaving.signal]) };
  const requestContext = createRequestContext(namespace, { signal, stay, ...decided });
  return {
    messages: [...messages],
    options: { requestContext, runId, abortSignal: signal },
    turn: () => readTurn(requestContext),
    end: () => leaving.abort(),
  };
};

/** Tokens of a turn, with those of a further model. */
function withJudged({ inputTokens = 0, outputTokens = 0 }: Usage, judged: Usage = {}): Usage {
  return { inputTokens: inputTokens + (judged.inputTokens ?? 0), outputTokens: outputTokens + (judged.outputTokens ?? 0) };
}

export const createAgentRunner = (agent: Agent): AgentRunner => ({
  toError: modelError,

  async generate(request) {
    const { messages, options, turn, end } = begin(request);
    try {
      const result = await agent.generate(messages, options);
      // Why a turn could not be served says more than that it ended.
      if (result.error && !turn()?.error) throw result.error;
      return { turn: turn(), usage: withJudged(result.usage, turn()?.judged) };
    } finally {
      end();
    }
  },

  async *stream(request) {
    const { messages, options, turn, end } = begin(request);
    try {
      const output = await agent.stream(messages, options);
      yield { turn: turn() };
      for await (const chunk of output.fullStream) {
        if (chunk.type === 'error') throw chunk.payload.error;
        yield {
          turn: turn(),
          ...(chunk.type === 'text-delta' ? { text: chunk.payload.text } : {}),
          ...(chunk.type === 'finish' ? { usage: withJudged(chunk.payload.output.usage, turn()?.judged) } : {}),
        };
      }
    } finally {
      end();
    }
  },
});
