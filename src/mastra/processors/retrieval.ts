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
import { asksForInstructions } from '../../knowledge/answer/addressed-to-model.ts';
import { type Answer, courtesy, refusal } from '../../knowledge/answer/answer.ts';
import { toPlainPassage } from '../../knowledge/answer/plain-passage.ts';
import { labelOf } from '../../knowledge/answer/sources.ts';
import { renderInstructions, renderTurnPrompt } from '../../knowledge/answer/turn-prompt.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import { hintsKey, hintsOf } from '../search-hints.ts';
import { docsRetrieverCard, maxPassages } from '../tools/docs-retriever.ts';
import { addSearch, maySearchAgain, readTurn, type Turn } from '../turn.ts';

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

/** What takes the place of a model's reply. */
const cannedReply = (text: string) => ({
  chunks: [
    { type: 'text-start', payload: { id: '0' } },
    { type: 'text-delta', payload: { id: '0', text } },
    { type: 'text-end', payload: { id: '0' } },
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
});

/** What was found by meaning need not share a word with the question: a model that reads it is the judge of that. */
const isUncovered = ({ coverage, mode }: Retrieved, { lexical, hybrid }: MinCoverage) => coverage < (mode === 'hybrid' ? hybrid : lexical);

/** What is said without a model: nothing was asked, or nothing was found. */
function withoutModel(turn: Turn, { minCoverage, secondSearch }: RetrievalOptions): Answer | undefined {
  const [first] = turn.searches;
  if (!first) return courtesy(turn.namespace);
  if (secondSearch && turn.searches.length === 1 && maySearchAgain(turn)) return undefined;
  if (asksForInstructions(turn.question)) return refusal(turn.namespace);
  return turn.passages.length === 0 || turn.searches.every((search) => isUncovered(search, minCoverage))
    ? refusal(turn.namespace)
    : undefined;
}

export interface RetrievalOptions {
  readonly retriever: Retriever;
  readonly parseNamespace: ParseNamespace;
  readonly minCoverage: MinCoverage;
  /** Of an answer. */
  readonly maxSentences: number;
  /** Whether a model may search once more where the first search covered the question badly. */
  readonly secondSearch: boolean;
}

export const createRetrievalProcessor = (options: RetrievalOptions) => {
  const { retriever, parseNamespace, maxSentences, secondSearch } = options;
  const isOffered = (turn: Turn | undefined) => secondSearch && turn !== undefined && maySearchAgain(turn);
  return {
    id: 'retrieval' as const,

    async processInput({ messageList, requestContext, abort }: ProcessInputArgs) {
      const turn = readTurn(requestContext);
      if (!turn) return abort('not_mentioned');
      try {
        turn.namespace = parseNamespace(turn.namespace);
        const query = turn.question.slice(0, maxQueryChars);
        if (turn.isSmallTalk) return messageList;
        const found = await retriever.search(turn.namespace, query, maxPassages, turn.background);
        addSearch(turn, `call_${randomUUID()}`, query, found);
      } catch (error) {
        turn.error =
          error instanceof KnowledgeError
            ? error
            : new KnowledgeError('internal', 'The documents could not be searched.', { cause: error });
        return abort(turn.error.code);
      }
      return messageList;
    },

    processInputStep({ stepNumber, requestContext, abort }: ProcessInputStepArgs) {
      const turn = readTurn(requestContext);
      if (stepNumber === 0 && isOffered(turn)) return { activeTools: [docsRetrieverCard.id], toolChoice: 'auto' as const };
      if (stepNumber > 0 && stepNumber + 1 !== turn?.searches.length) return abort('one_model_call');
      return { tools: {}, activeTools: [], toolChoice: 'none' as const };
    },

    processLLMRequest({ prompt, requestContext }: ProcessLLMRequestArgs): ProcessLLMRequestResult {
      const turn = readTurn(requestContext);
      if (!turn) return { response: cannedReply('') };
      const answer = withoutModel(turn, options);
      if (answer) {
        turn.answer = answer;
        return { response: cannedReply(answer.text) };
      }
      const passages = turn.passages.map((snippet, position) => ({
        number: position + 1,
        label: labelOf(snippet),
        text: toPlainPassage(snippet.text).text,
      }));
      return {
        prompt: [
          { role: 'system', content: renderInstructions({ maxSentences, maySearch: isOffered(turn) }) },
          ...history(prompt),
          {
            role: 'user',
            content: [{ type: 'text', text: renderTurnPrompt({ question: turn.question.slice(0, maxQueryChars), passages }) }],
            providerOptions: { [hintsKey]: hintsOf(turn) } as NonNullable<Prompt[number]['providerOptions']>,
          },
        ],
      };
    },
  } satisfies Processor;
};
