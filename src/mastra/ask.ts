/**
 * One question to the knowledge agent, as every caller of it reads the result: the answer with its citations, the search that it rests
 * on, and nothing of the prompt, the provider's request or the model's own words.
 */
import { randomUUID } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import { causesOf, KnowledgeError, systemErrorCode } from '../errors.ts';
import { type Answer, type Citation, refusal, silence } from '../knowledge/answer/answer.ts';
import { toRetrieverResult } from './tools/docs-retriever.ts';
import { placeOf } from './tools/search-docs.ts';
import { createRequestContext, readTurn, type Turn } from './turn.ts';

export type ChatMessage = { readonly role: 'user'; readonly content: string } | { readonly role: 'assistant'; readonly content: string };

export type AskResult = ReturnType<typeof toResult>;

/** How long a model may take for its one answer. */
const modelTimeoutMs = 60_000;

const toCitation = ({ index, snippet, quote, start, end }: Citation) => ({ index, ...placeOf(snippet), quote, start, end });

function toResult(answer: Answer, turn: Turn | undefined, run: { namespace: string; model: string; usage: Usage }) {
  const retrieval = turn?.retrieval;
  const call = { toolCallId: retrieval?.toolCallId ?? '', toolName: 'docsRetriever' };
  return {
    text: answer.text,
    answered: answer.reason === 'answered',
    reason: answer.reason,
    namespace: run.namespace,
    runId: randomUUID() as string,
    finishReason: 'stop',
    model: run.model,
    citations: answer.citations.map(toCitation),
    toolCalls: retrieval ? [{ ...call, args: { query: retrieval.query, namespace: run.namespace } }] : [],
    toolResults: retrieval ? [{ ...call, result: toRetrieverResult(retrieval) }] : [],
    usage: run.usage,
  };
}

interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** HTTP status with which a provider answered, where it did. */
function providerStatusOf(thrown: unknown): number | undefined {
  for (const error of causesOf(thrown)) if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return undefined;
}

function modelError(error: unknown, timedOut: boolean): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (timedOut) return new KnowledgeError('timeout', `The model did not answer within ${modelTimeoutMs / 1000} seconds.`, { cause: error });
  const status = providerStatusOf(error);
  const isUnreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'].includes(
    systemErrorCode(error) ?? '',
  );
  if (status === 429 || status === 503 || isUnreachable) {
    return new KnowledgeError('model_unavailable', 'The model cannot be reached or is overloaded; try again in a moment.', {
      cause: error,
      retryAfterSeconds: 10,
    });
  }
  return new KnowledgeError('model_failed', 'The model did not give an answer.', { cause: error });
}

export interface AskOptions {
  /** Oldest first; the last user message is the turn. */
  readonly messages: readonly ChatMessage[];
  readonly namespace: string;
  /** Name of the model, for the result. */
  readonly model: string;
  readonly signal?: AbortSignal;
}

/** @throws KnowledgeError `namespace_not_found`, `model_failed`, `model_unavailable`, `timeout` */
export async function ask(agent: Agent, { messages, namespace, model, signal }: AskOptions): Promise<AskResult> {
  const requestContext = createRequestContext(namespace);
  const deadline = AbortSignal.timeout(modelTimeoutMs);
  const abortSignal = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const result = await agent.generate([...messages], { requestContext, abortSignal });
    const turn = readTurn(requestContext);
    if (turn?.error) throw turn.error;
    if (result.error) throw result.error;
    if (abortSignal.aborted) throw abortSignal.reason;
    if (!turn) return toResult(silence, undefined, { namespace, model, usage: noUsage });
    const { inputTokens = 0, outputTokens = 0 } = result.usage;
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    return toResult(turn.answer ?? refusal(namespace), turn, { namespace, model, usage });
  } catch (error) {
    throw modelError(error, deadline.aborted);
  }
}
