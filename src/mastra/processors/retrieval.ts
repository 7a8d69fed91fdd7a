/**
 * Second processor: searches before the model is asked, and decides what the model is given. The prompt is written here from scratch
 * (our instructions, the recent turns, the passages, the question), so nothing that a caller passes as instructions, system message,
 * tool or tool result reaches a model. Where nothing was found, the refusal stands in for the model's reply and no model is called.
 */
import { randomUUID } from 'node:crypto';
import type {
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessLLMRequestResult,
  Processor,
} from '@mastra/core/processors';
import { KnowledgeError } from '../../errors.ts';
import { labelOf } from '../../knowledge/answer/answer.ts';
import { withinBudget } from '../../knowledge/answer/context.ts';
import { instructions, noAnswer, renderTurnPrompt } from '../../knowledge/answer/turn-prompt.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import { hintsKey, hintsOf } from '../search-hints.ts';
import { readTurn } from '../turn.ts';

/** Passages that a model is given at most. */
const maxPassages = 6;
const maxQueryChars = 2_000;
/** Earlier messages that a model sees, for the wording; never as evidence. */
const maxHistoryMessages = 6;
const maxHistoryChars = 2_000;

/** Coverage below which the documents are taken not to hold what is asked, and no model is asked, 0 to 1. */
export interface MinCoverage {
  readonly lexical: number;
  readonly hybrid: number;
}

type Prompt = ProcessLLMRequestArgs['prompt'];

/** Text of earlier turns, oldest first; roles that a caller could use to instruct or to forge results are left out. */
const history = (prompt: Prompt): Prompt => {
  const turns = prompt.flatMap((message): Prompt => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    const text = message.content
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n')
      .slice(0, maxHistoryChars);
    return text === '' ? [] : [{ role: message.role, content: [{ type: 'text', text }] }];
  });
  const current = turns.findLastIndex((message) => message.role === 'user');
  return turns.slice(0, Math.max(0, current)).slice(-maxHistoryMessages);
};

/** A reply of the model that says nothing, without a model. */
const cannedReply = {
  chunks: [
    { type: 'text-start', payload: { id: 'refusal' } },
    { type: 'text-delta', payload: { id: 'refusal', text: noAnswer } },
    { type: 'text-end', payload: { id: 'refusal' } },
    {
      type: 'finish',
      payload: {
        stepResult: { reason: 'stop' },
        output: { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
        metadata: {},
        messages: { all: [], user: [], nonUser: [] },
      },
    },
  ],
};

/** What was found by meaning need not share a word with the question: a model that reads it is the judge of that. */
const isUncovered = ({ coverage, mode }: Retrieved, { lexical, hybrid }: MinCoverage) => coverage < (mode === 'hybrid' ? hybrid : lexical);

export const createRetrievalProcessor = (retriever: Retriever, parseNamespace: ParseNamespace, minCoverage: MinCoverage) =>
  ({
    id: 'retrieval' as const,

    async processInput({ messageList, requestContext, abort }: ProcessInputArgs) {
      const turn = readTurn(requestContext);
      if (!turn) return abort('not_mentioned');
      try {
        turn.namespace = parseNamespace(turn.namespace);
        const query = turn.question.slice(0, maxQueryChars);
        if (turn.isSmallTalk) return messageList;
        const found = await retriever.search(turn.namespace, query, maxPassages, turn.background);
        turn.retrieval = { toolCallId: `call_${randomUUID()}`, query, ...found, snippets: withinBudget(found.snippets) };
      } catch (error) {
        turn.error =
          error instanceof KnowledgeError
            ? error
            : new KnowledgeError('internal', 'The documents could not be searched.', { cause: error });
        return abort(turn.error.code);
      }
      return messageList;
    },

    processInputStep({ stepNumber, abort }: ProcessInputStepArgs) {
      if (stepNumber > 0) return abort('one_model_call');
      return { tools: {}, activeTools: [], toolChoice: 'none' as const };
    },

    processLLMRequest({ prompt, requestContext }: ProcessLLMRequestArgs): ProcessLLMRequestResult {
      const turn = readTurn(requestContext);
      if (!turn?.retrieval || turn.retrieval.snippets.length === 0 || isUncovered(turn.retrieval, minCoverage))
        return { response: cannedReply };
      const passages = turn.retrieval.snippets.map((snippet, position) => ({
        number: position + 1,
        label: labelOf(snippet),
        text: snippet.text,
      }));
      return {
        prompt: [
          { role: 'system', content: instructions },
          ...history(prompt),
          {
            role: 'user',
            content: [{ type: 'text', text: renderTurnPrompt({ question: turn.retrieval.query, passages }) }],
            providerOptions: { [hintsKey]: hintsOf(turn.retrieval) } as NonNullable<Prompt[number]['providerOptions']>,
          },
        ],
      };
    },
  }) satisfies Processor;
