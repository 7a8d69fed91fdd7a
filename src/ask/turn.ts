/** State of one request to the agent, shared by its steps and read by the caller afterwards. */

import { randomUUID } from 'node:crypto';
import type { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { type Language, languageOf } from '../../packages/shared/src/language/languages.ts';
import { personRequestIn } from '../../packages/shared/src/language/person-request.ts';
import { type SmallTalk, smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { contentWords, rawWords } from '../../packages/shared/src/language/tokens.ts';
import type { CallsUse } from '../calls/user-calls.ts';
import type { Passage } from '../documents/document.ts';
import type { HandOffReason, NamespaceMessages } from '../documents/messages-file.ts';
import type { RequestMade } from '../records/answer-log.ts';
import type { ChatMessage } from '../records/conversations.ts';
import { type Prompt, randomBoundary } from './prompt.ts';
import { type Answer, isClosest, isRefusal, type Wording } from './reply/answer.ts';
import { AnswerWriter } from './reply/answer-writer.ts';
import { questionLanguage } from './reply/question-language.ts';
import { listedSources } from './reply/sources.ts';
import type { Background, Retrieved } from './retriever.ts';
import { type RetrieverResult, toRetrieverResult } from './search-docs.ts';

export interface Search extends Retrieved {
  readonly query: string;
}

export type ToolUse = { readonly toolCallId: string } & (
  | {
      readonly toolName: 'docsRetriever';
      readonly args: { readonly query: string; readonly namespace: string };
      readonly result: RetrieverResult;
      readonly search: Search;
    }
  | CallsUse
);

export interface Turn {
  readonly question: string;
  readonly earlier: readonly ChatMessage[];
  readonly background: Background | undefined;
  /** A greeting, thanks or an empty message. */
  readonly smallTalk: SmallTalk | undefined;
  namespace: string;
  /** Language of most documents of the namespace; set if the search found none. */
  documentLanguage?: Language | undefined;
  messages?: NamespaceMessages;
  /** The user asks for a person, and the operator has set how. */
  isHandoffAsked?: boolean;
  /** Outcomes of which the user learns that a person gets the question: it is stored. */
  heldFor?: readonly HandOffReason[];
  readonly toolUses: ToolUse[];
  /** Distinct passages in the prompt. The sentences of the reply are checked against them. */
  passages: readonly Passage[];
  writer?: AnswerWriter;
  /** Its place among the turns with a model, or why it has none. */
  place?: Promise<KnowledgeError | 'ended' | undefined>;
  /** Messages of the request to answer. */
  prompt?: Prompt;
  /** Of fences in the prompts. */
  readonly boundary: string;
  /** Time of `performance.now()`. */
  readonly startedAt: number;
  readonly requests: RequestMade[];
  answer?: Answer;
  answeredBy?: string;
  isDegraded?: boolean;
  error?: KnowledgeError;
  /** Error of a tool, reported if nothing else answers. */
  lookupError?: KnowledgeError;
}

/** A turn without a conversation, before its search. */
export const newTurn = (question: string, namespace: string): Turn => ({
  question,
  earlier: [],
  background: undefined,
  smallTalk: undefined,
  namespace,
  boundary: randomBoundary(),
  startedAt: performance.now(),
  requests: [],
  toolUses: [],
  passages: [],
});

export const searchesOf = ({ toolUses }: Turn): readonly Search[] =>
  toolUses.flatMap((use) => (use.toolName === 'docsRetriever' ? [use.search] : []));

/** Language of messages to the user; if it is unknown, that of the documents. */
export const languageOfQuestion = (turn: Turn): Language =>
  questionLanguage(
    turn.question,
    searchesOf(turn)[0]?.passages[0]?.document.textLanguage ?? turn.documentLanguage,
  );

export const wordingOf = (turn: Turn): Wording => ({
  language: languageOfQuestion(turn),
  own: turn.messages?.own,
  isHandedOff: turn.heldFor?.includes('refusal') ?? false,
  isClosestHandedOff: turn.heldFor?.includes('closest') ?? false,
});

/** Bytes of UTF-8: about 6,000 tokens or six full chunks. More costs attention and money. */
const maxContextBytes = 24_000;
const bytesPerToken = 4;
/** Instructions, labels and fences. */
const promptBytes = 2_500;
const minContextBytes = 4_000;

/** Bytes for passages, without the question and its history. @param contextTokens of a prompt */
export function passageBytes({ question, earlier }: Turn, contextTokens: number): number {
  const history = earlier.slice(-maxHistoryMessages).map(({ content }) => content);
  const others = [question, ...history.map((text) => text.slice(0, maxHistoryChars))];
  const used = others.reduce((sum, text) => sum + Buffer.byteLength(text), promptBytes);
  return Math.max(minContextBytes, Math.min(maxContextBytes, contextTokens * bytesPerToken - used));
}

/** Earlier messages in the prompt: context, never evidence. */
export const maxHistoryMessages = 6;
export const maxHistoryChars = 2_000;

/**
 * Passages that fit into the context, in their order. Skips passages that are too large, but never
 * the first.
 */
function withinBudget(passages: readonly Passage[], maxBytes: number): Passage[] {
  let left = maxBytes;
  return passages.filter(({ text }, position) => {
    const bytes = Buffer.byteLength(text);
    if (position > 0 && bytes > left) return false;
    left -= bytes;
    return true;
  });
}

/** Notes a search as a use of the tool. */
export function noteSearch(turn: Turn, query: string, found: Retrieved): Search {
  const search = { query, ...found };
  turn.toolUses.push({
    toolName: 'docsRetriever',
    toolCallId: `call_${randomUUID()}`,
    args: { query, namespace: turn.namespace },
    result: toRetrieverResult(search),
    search,
  });
  return search;
}

/** @param passages best first */
export function givePassages(turn: Turn, passages: readonly Passage[], maxBytes: number): void {
  turn.passages = withinBudget(passages, maxBytes);
}

/** Notes a search and gives its passages. */
export function addSearch(turn: Turn, query: string, found: Retrieved): Search {
  const search = noteSearch(turn, query, found);
  givePassages(turn, found.passages, maxContextBytes);
  return search;
}

/** Puts the records of a tool before the passages, because the user asked for them. */
export function addRecords(turn: Turn, use: ToolUse, records: readonly Passage[]): void {
  turn.toolUses.push(use);
  turn.passages = withinBudget([...records, ...turn.passages], maxContextBytes);
}

/**
 * Checks the reply of the turn; one instance per turn. @param mayAsk whether a model checks
 * sentences
 */
export function answerWriterOf(turn: Turn, maxSentences: number, mayAsk = false): AnswerWriter {
  turn.writer ??= new AnswerWriter({
    passages: turn.passages,
    ...wordingOf(turn),
    asked: searchesOf(turn)[0]?.asked ?? [],
    question: turn.question,
    maxSentences,
    mayAsk,
  });
  return turn.writer;
}

// Background of follow-up questions such as "And for annual plans?": words of the last answered
// question are added to the search. They help to find passages, but are no evidence. Only the
// question's own words decide whether it is answered.

/** Questions with more content words need no background, unless they refer back. */
const maxOwnWords = 2;
const maxOwnWordsPointing = 5;
const maxFragmentWords = 3;
const maxBackgroundChars = 500;
const maxEarlier = 12;

const opening =
  /^\W{0,3}(?:and|also|but|or|so|then|ok(?:ay)?,? (?:and|so|but)|what about|how about|what if|same (?:for|with)|und|aber|oder|auch|was ist mit|wie (?:ist|sieht) es|et|mais|ou|y|pero|e|ma|mas|en|maar|а|и|но|それ(?:で|は|では|と)|では|じゃあ|那|那么|还有|그럼|그리고)(?![\p{L}\p{N}])/iu;
const asianOpening = /^\s*(?:それ|では|じゃあ|那么?|还有|그럼|그리고)/u;
const pointing =
  /\b(?:it|its|that|this|those|these|they|them|their|there|one|ones|he|she|such|same|instead|otherwise|er|sie|es|das|dies\w*|dort|ça|cela|ce|eso|esto|ello|lo|questo|quello|isso|isto|dat|dit|deze|это|этот|там)\b|それ|これ|そこ|这个|那个|그것/iu;
const sourcesBegin = /\n\nSources:/;

/**
 * Number of content words. In scripts without spaces, counts character runs other than grammatical
 * endings.
 */
function ownWords(question: string): number {
  const language = languageOf(question);
  if (language === 'ja' || language === 'zh')
    return question.match(/\p{Script=Han}{2,}|\p{Script=Katakana}{2,}|[A-Za-z]{2,}/gu)?.length ?? 0;
  if (language === 'ko') return rawWords(question).length;
  return contentWords(question, language).length;
}

const isFragment = (question: string) => question.trim().split(/\s+/).length <= maxFragmentWords;

const withoutSmallTalk = (messages: readonly ChatMessage[]) =>
  messages.filter((message, position) => {
    const asked = message.role === 'user' ? message : messages[position - 1];
    return (
      asked?.role !== 'user' || !(smallTalkOf(asked.content) || personRequestIn(asked.content))
    );
  });

/** Outcomes of the previous question of the conversation; a second one hands the next off. */
export function repeatedReasons({
  earlier,
  messages,
}: Pick<Turn, 'earlier' | 'messages'>): HandOffReason[] {
  const last = withoutSmallTalk(earlier.slice(-maxEarlier)).findLast(
    ({ role }) => role === 'assistant',
  );
  if (!last) return [];
  if (isRefusal(last.content, messages?.own)) return ['refusal'];
  return isClosest(last.content, messages?.own) ? ['closest'] : [];
}

/** The question before a request for a person. */
export const previousQuestionOf = ({ earlier }: Pick<Turn, 'earlier'>): string | null =>
  withoutSmallTalk(earlier.slice(-maxEarlier)).findLast(({ role }) => role === 'user')?.content ??
  null;

/** The last question that was answered, and the list of sources of its answer. */
export function lastAnswered(
  earlier: readonly ChatMessage[],
): { readonly question: string; readonly sources: string } | undefined {
  const recent = withoutSmallTalk(earlier.slice(-maxEarlier));
  const answeredAt = recent.findLastIndex(
    ({ role, content }) => role === 'assistant' && content.trim() !== '' && !isRefusal(content),
  );
  const asked = recent.slice(0, Math.max(0, answeredAt)).findLast(({ role }) => role === 'user');
  const sources = recent[answeredAt]?.content.split(sourcesBegin)[1] ?? '';
  return asked && { question: asked.content, sources };
}

export function backgroundOf(
  question: string,
  earlier: readonly ChatMessage[],
): Background | undefined {
  const own = ownWords(question);
  const leans = opening.test(question) || asianOpening.test(question) || pointing.test(question);
  if (own > (leans ? maxOwnWordsPointing : maxOwnWords)) return undefined;
  const last = lastAnswered(earlier);
  if (!last) return undefined;
  const titles = listedSources(last.sources)
    .slice(0, 2)
    .map(({ label }) => label);
  return {
    text: [last.question, ...titles].join('\n').slice(0, maxBackgroundChars),
    isNeeded: leans || isFragment(question),
  };
}
