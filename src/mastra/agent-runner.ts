/**
 * The agent as asking needs it: what its stream and its result come to, without Mastra's own words; and what a host decides about one
 * request and what has come of it, where tools and processors find it: nothing outlives the request.
 */
import type { Agent } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import type { AgentRequest, AgentRunner } from '../app/ask/ask.ts';
import type { Turn } from '../app/ask/turn.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../errors.ts';

const namespaceKey = 'namespace';
const actingUserKey = 'knowledge.actingUser';

/** @param actingUser who asks, as the host knows them: no message and no body has a say in it */
export function createRequestContext(namespace: string, actingUser?: string): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  if (actingUser !== undefined) context.setRaw(actingUserKey, actingUser);
  return context;
}

export function actingUserOf(context: RequestContext | undefined): string | undefined {
  const uid = context?.getRaw(actingUserKey);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
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
function providerStatusOf(thrown: unknown): number | undefined {
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

const begin = ({ messages, namespace, actingUser, runId, signal }: AgentRequest) => {
  const requestContext = createRequestContext(namespace, actingUser);
  return { messages: [...messages], options: { requestContext, runId, abortSignal: signal }, turn: () => readTurn(requestContext) };
};

export const createAgentRunner = (agent: Agent): AgentRunner => ({
  toError: modelError,

  async generate(request) {
    const { messages, options, turn } = begin(request);
    const result = await agent.generate(messages, options);
    // Why a turn could not be served says more than that it ended.
    if (result.error && !turn()?.error) throw result.error;
    return { turn: turn(), usage: result.usage };
  },

  async *stream(request) {
    const { messages, options, turn } = begin(request);
    const output = await agent.stream(messages, options);
    yield { turn: turn() };
    for await (const chunk of output.fullStream) {
      if (chunk.type === 'error') throw chunk.payload.error;
      yield {
        turn: turn(),
        ...(chunk.type === 'text-delta' ? { text: chunk.payload.text } : {}),
        ...(chunk.type === 'finish' ? { usage: chunk.payload.output.usage } : {}),
      };
    }
  },
});
