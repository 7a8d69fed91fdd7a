/**
 * One question to the knowledge agent, whole or as a stream, as every caller of it reads the result: the answer with its citations, the
 * search that it rests on, and nothing of the prompt, the provider's request or the model's own words.
 */
import { randomUUID } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import { type Answer, type CheckedSentence, type Citation, refusal, silence } from '../knowledge/answer/answer.ts';
import type { ChatMessage, ConversationPlace, Conversations } from './conversations.ts';
import { modelError } from './model-error.ts';
import { toRetrieverResult } from './tools/docs-retriever.ts';
import { placeOf } from './tools/search-docs.ts';
import { createRequestContext, readTurn, type Search, type Turn } from './turn.ts';

export type AskResult = ReturnType<typeof toResult>;

export interface AskOptions {
  /** Oldest first; the last user message is the turn. */
  readonly messages: readonly ChatMessage[];
  readonly namespace: string;
  readonly signal?: AbortSignal;
  /** Who asks. */
  readonly callerId?: string;
  /** Where earlier turns are remembered; a conversation that the request brings itself stands for them. */
  readonly memory?: ConversationPlace | undefined;
}

/** What happens while a question is answered, in order; `finished` is the last. */
export type AskEvent =
  | { readonly type: 'searched'; readonly call: AskResult['toolCalls'][number]; readonly result: AskResult['toolResults'][number] }
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

const toolName = 'docsRetriever';
const toCitation = ({ index, snippet, quote, start, end }: Citation) => ({ index, ...placeOf(snippet), quote, start, end });
const toCall = ({ toolCallId, query }: Search, namespace: string) => ({ toolCallId, toolName, args: { query, namespace } });
const toCallResult = (search: Search) => ({ toolCallId: search.toolCallId, toolName, result: toRetrieverResult(search) });

function toResult(answer: Answer, searches: readonly Search[], run: { namespace: string; runId: string; model: string; usage: Usage }) {
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
    toolCalls: searches.map((search) => toCall(search, run.namespace)),
    toolResults: searches.map(toCallResult),
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  };
}

export function createAsk({ agent, model, conversations, onAnswered }: AskParts): Ask {
  /** What both ways of asking share: where the turn is kept, when it ends, and what is done with its outcome. */
  async function begin({ messages, namespace, signal, callerId = '', memory }: AskOptions, runId: string) {
    const requestContext = createRequestContext(namespace);
    const deadline = AbortSignal.timeout(modelTimeoutMs);
    const leaving = new AbortController();
    const abortSignal = AbortSignal.any([deadline, leaving.signal, ...(signal ? [signal] : [])]);
    const earlier = memory && messages.length === 1 ? await conversations.recall(memory) : [];

    const finish = (turn: Turn | undefined, usage: Usage): AskResult => {
      const answer = turn ? (turn.answer ?? refusal(namespace)) : silence;
      const searches = turn?.searches ?? [];
      const result = toResult(answer, searches, { namespace, runId, model, usage });
      if (!turn) return result;
      const { question, isSmallTalk } = turn;
      onAnswered?.({ question, callerId, result, sentences: answer.sentences, isSmallTalk, search: searches[0] });
      const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
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
          for (const search of run.turn()?.searches.slice(told) ?? []) {
            told++;
            yield { type: 'searched', call: toCall(search, options.namespace), result: toCallResult(search) };
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
