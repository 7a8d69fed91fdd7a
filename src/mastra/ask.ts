/**
 * One question to the knowledge agent, whole or as a stream, as every caller of it reads the result: the answer with its citations, the
 * search that it rests on, and nothing of the prompt, the provider's request or the model's own words.
 */
import { randomUUID } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import { type Answer, type CheckedSentence, type Citation, refusal, silence } from '../knowledge/answer/answer.ts';
import type { ChatMessage, ConversationPlace, Conversations } from './conversations.ts';
import { modelError } from './model-error.ts';
import { createRequestContext } from './request-context.ts';
import type { CallsUse } from './tools/calls.ts';
import { toRetrieverResult } from './tools/docs-retriever.ts';
import { placeOf } from './tools/search-docs.ts';
import { readTurn, type Search, searchesOf, type ToolUse, type Turn } from './turn.ts';

export type AskResult = ReturnType<typeof toResult>;

export interface AskOptions {
  /** Oldest first; the last user message is the turn. */
  readonly messages: readonly ChatMessage[];
  readonly namespace: string;
  readonly signal?: AbortSignal;
  /** Who asks. */
  readonly callerId?: string;
  /** The user whose calls may be looked up, as the host knows them. */
  readonly actingUser?: string | undefined;
  /** Where earlier turns are remembered; a conversation that the request brings itself stands for them. */
  readonly memory?: ConversationPlace | undefined;
}

/** What happens while a question is answered, in order; `finished` is the last. */
export type AskEvent =
  | { readonly type: 'searched'; readonly call: ToolCall; readonly result: ToolResult }
  /** Checked text, to be put behind what came before. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'finished'; readonly result: AskResult };

/** What is known of an answer besides what its caller is told. */
export interface Asked {
  readonly question: string;
  readonly callerId: string;
  readonly result: AskResult;
  readonly sentences: readonly CheckedSentence[];
  /** A greeting or thanks. */
  readonly isSmallTalk: boolean;
  /** The first search; undefined where nothing was searched. */
  readonly search: Search | undefined;
}

export interface AskParts {
  readonly agent: Agent;
  /** Name of the model, for the result. */
  readonly model: string;
  readonly conversations: Conversations;
  /** Whether a message speaks to the agent: of others nothing is looked up, in memory neither. */
  readonly isMention: (message: string) => boolean;
  /** Told of every answer and refusal, never of silence. */
  readonly onAnswered?: (asked: Asked) => void;
}

export interface Ask {
  /** @throws KnowledgeError `namespace_not_found`, `model_failed`, `model_unavailable`, `timeout` */
  ask(options: AskOptions): Promise<AskResult>;
  /** The same while it comes in. Ending the iteration early ends the model's call. */
  stream(options: AskOptions & { readonly runId: string }): AsyncGenerator<AskEvent, void, undefined>;
}

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** How long a model may take for its one answer. */
const modelTimeoutMs = 60_000;

const toCitation = ({ index, snippet, quote, start, end }: Citation) => ({ index, ...placeOf(snippet), quote, start, end });

/** A tool's arguments and result, as a chat shows them. */
export type ToolCall = { readonly toolCallId: string } & (
  | { readonly toolName: 'docsRetriever'; readonly args: { readonly query: string; readonly namespace: string } }
  | Pick<CallsUse, 'toolName' | 'args'>
);
export type ToolResult = { readonly toolCallId: string } & (
  | { readonly toolName: 'docsRetriever'; readonly result: ReturnType<typeof toRetrieverResult> }
  | Pick<CallsUse, 'toolName' | 'result'>
);

function toCall(use: ToolUse, namespace: string): ToolCall {
  const { toolCallId } = use;
  if (use.toolName !== 'docsRetriever') return { toolCallId, toolName: use.toolName, args: use.args };
  return { toolCallId, toolName: use.toolName, args: { query: use.search.query, namespace } };
}

function toCallResult(use: ToolUse): ToolResult {
  const { toolCallId } = use;
  if (use.toolName !== 'docsRetriever') return { toolCallId, toolName: use.toolName, result: use.result };
  return { toolCallId, toolName: use.toolName, result: toRetrieverResult(use.search) };
}

function toResult(answer: Answer, uses: readonly ToolUse[], run: { namespace: string; runId: string; model: string; usage: Usage }) {
  const { inputTokens = 0, outputTokens = 0 } = run.usage;
  return {
    text: answer.text,
    answered: answer.reason === 'answered',
    reason: answer.reason,
    namespace: run.namespace,
    runId: run.runId,
    finishReason: 'stop',
    model: run.model,
    citations: answer.citations.map(toCitation),
    dropped: answer.dropped,
    toolCalls: uses.map((use) => toCall(use, run.namespace)),
    toolResults: uses.map(toCallResult),
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  };
}

export function createAsk({ agent, model, conversations, isMention, onAnswered }: AskParts): Ask {
  /** What both ways of asking share: where the turn is kept, when it ends, and what is done with its outcome. */
  async function begin({ messages, namespace, signal, callerId = '', actingUser, memory }: AskOptions, runId: string) {
    const requestContext = createRequestContext(namespace, actingUser);
    const deadline = AbortSignal.timeout(modelTimeoutMs);
    const leaving = new AbortController();
    const abortSignal = AbortSignal.any([deadline, leaving.signal, ...(signal ? [signal] : [])]);
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const earlier = memory && messages.length === 1 && isMention(asked) ? await conversations.recall(memory) : [];

    const finish = (turn: Turn | undefined, usage: Usage): AskResult => {
      const answer = turn ? (turn.answer ?? refusal(namespace)) : silence;
      // The documents are not to blame for what could not be looked up elsewhere.
      if (turn?.lookupError && answer.reason === 'no_context') throw turn.lookupError;
      const result = toResult(answer, turn?.toolUses ?? [], { namespace, runId, model, usage });
      if (!turn) return result;
      const { question, isSmallTalk } = turn;
      onAnswered?.({ question, callerId, result, sentences: answer.sentences, isSmallTalk, search: searchesOf(turn)[0] });
      if (memory)
        conversations.remember(memory, [
          { role: 'user', content: asked },
          { role: 'assistant', content: answer.text },
        ]);
      return result;
    };

    return {
      messages: [...earlier, ...messages],
      options: { requestContext, abortSignal, runId },
      leave: () => leaving.abort(),
      turn: () => readTurn(requestContext),
      finish,
      toError: (error: unknown) => modelError(error, deadline.aborted ? modelTimeoutMs / 1_000 : undefined),
    };
  }

  return {
    async ask(options) {
      const run = await begin(options, randomUUID());
      try {
        const result = await agent.generate(run.messages, run.options);
        const turn = run.turn();
        if (turn?.error) throw turn.error;
        if (result.error) throw result.error;
        if (run.options.abortSignal.aborted) throw run.options.abortSignal.reason;
        return run.finish(turn, turn ? result.usage : {});
      } catch (error) {
        throw run.toError(error);
      }
    },

    async *stream({ runId, ...options }) {
      const run = await begin(options, runId);
      try {
        const output = await agent.stream(run.messages, run.options);
        let told = 0;
        let usage: Usage = {};
        const searched = function* (): Generator<AskEvent> {
          for (const use of run.turn()?.toolUses.slice(told) ?? []) {
            told++;
            yield { type: 'searched', call: toCall(use, options.namespace), result: toCallResult(use) };
          }
        };
        yield* searched();
        for await (const chunk of output.fullStream) {
          yield* searched();
          if (chunk.type === 'text-delta') yield { type: 'text', text: chunk.payload.text };
          else if (chunk.type === 'error') throw chunk.payload.error;
          else if (chunk.type === 'finish') usage = chunk.payload.output.usage;
        }
        const turn = run.turn();
        if (turn?.error) throw turn.error;
        if (run.options.abortSignal.aborted) throw run.options.abortSignal.reason;
        yield { type: 'finished', result: run.finish(turn, usage) };
      } catch (error) {
        throw run.toError(error);
      } finally {
        run.leave();
      }
    },
  };
}
