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
import type { RequestContext } from '@mastra/core/request-context';
import { speaksOfCalls } from '../../calls/calls-question.ts';
import { KnowledgeError } from '../../errors.ts';
import { asksForInstructions } from '../../knowledge/answer/addressed-to-model.ts';
import { type Answer, courtesy, refusal } from '../../knowledge/answer/answer.ts';
import { toPlainPassage } from '../../knowledge/answer/plain-passage.ts';
import { labelOf } from '../../knowledge/answer/sources.ts';
import { renderInstructions, renderTurnPrompt } from '../../knowledge/answer/turn-prompt.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import { actingUserOf } from '../request-context.ts';
import { hintsKey, hintsOf } from '../search-hints.ts';
import { callsToolCards } from '../tools/calls.ts';
import { docsRetrieverCard, maxPassages } from '../tools/docs-retriever.ts';
import { addSearch, maySearchAgain, readTurn, searchesOf, type Turn } from '../turn.ts';

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
function withoutModel(turn: Turn, minCoverage: MinCoverage): Answer | undefined {
  const [first] = searchesOf(turn);
  if (!first) return courtesy(turn.namespace);
  if (asksForInstructions(turn.question)) return refusal(turn.namespace);
  const isNothing = !hasRecords(turn) && searchesOf(turn).every((search) => isUncovered(search, minCoverage));
  return turn.passages.length === 0 || isNothing ? refusal(turn.namespace) : undefined;
}

const hasRecords = ({ passages }: Turn) => passages.some(({ isRecord }) => isRecord);

export interface RetrievalOptions {
  readonly retriever: Retriever;
  readonly parseNamespace: ParseNamespace;
  readonly minCoverage: MinCoverage;
  /** Of an answer. */
  readonly maxSentences: number;
  /** Whether a model may search once more where the first search covered the question badly. */
  readonly secondSearch: boolean;
  /** Whether a model may look up the calls of the user who asks. */
  readonly callsTools: boolean;
}

export const createRetrievalProcessor = (options: RetrievalOptions) => {
  const { retriever, parseNamespace, minCoverage, maxSentences, secondSearch, callsTools } = options;

  /** Tools that the model may use before it answers. */
  function offeredTools(turn: Turn | undefined, requestContext: RequestContext | undefined): string[] {
    if (!turn || turn.isSmallTalk || turn.toolUses.length > 1) return [];
    const mayAskForCalls = callsTools && actingUserOf(requestContext) !== undefined && speaksOfCalls(turn.question);
    return [
      ...(secondSearch && maySearchAgain(turn) ? [docsRetrieverCard.id] : []),
      ...(mayAskForCalls ? Object.keys(callsToolCards) : []),
    ];
  }
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
      const offered = stepNumber === 0 ? offeredTools(turn, requestContext) : [];
      if (offered.length > 0) return { activeTools: offered, toolChoice: 'auto' as const };
      // A further call is for what tools have found, once; where they failed, for what the documents hold.
      if (stepNumber > 1) return abort('one_model_call');
      return { tools: {}, activeTools: [], toolChoice: 'none' as const };
    },

    processLLMRequest({ prompt, requestContext }: ProcessLLMRequestArgs): ProcessLLMRequestResult {
      const turn = readTurn(requestContext);
      if (!turn) return { response: cannedReply('') };
      const offered = offeredTools(turn, requestContext);
      const answer = offered.length === 0 ? withoutModel(turn, minCoverage) : undefined;
      if (answer) {
        turn.answer = answer;
        return { response: cannedReply(answer.text) };
      }
      const [first] = searchesOf(turn);
      const passages = turn.passages.map((snippet, position) => ({
        number: position + 1,
        label: labelOf(snippet),
        text: toPlainPassage(snippet.text).text,
      }));
      return {
        prompt: [
          { role: 'system', content: renderInstructions({ maxSentences, tools: offered }) },
          ...history(prompt),
          {
            role: 'user',
            content: [{ type: 'text', text: renderTurnPrompt({ question: turn.question.slice(0, maxQueryChars), passages }) }],
            providerOptions: { [hintsKey]: hintsOf(turn, first !== undefined && !isUncovered(first, minCoverage)) } as NonNullable<
              Prompt[number]['providerOptions']
            >,
          },
        ],
      };
    },
  } satisfies Processor;
};
