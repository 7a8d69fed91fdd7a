/** Answer to a caller, and the messages that replace it. */

import type { DroppedSentence } from '../../packages/grounding/src/sentence-check.ts';
import { plainLabel } from '../../packages/shared/src/language/label.ts';
import type { Language } from '../../packages/shared/src/language/languages.ts';
import type { MessageLanguage, SmallTalk } from '../../packages/shared/src/language/small-talk.ts';
import type { Passage } from '../documents/document.ts';
import type { OwnMessage, OwnMessages } from '../documents/messages-file.ts';
import { excerptAt } from './closest.ts';
import data from './messages.json' with { type: 'json' };
import { sourceLine } from './sources.ts';

/**
 * A span of a stored document that supports a sentence: `quote` is `slice(start, end)` of the
 * stored file.
 */
export interface Citation {
  /** From 1, in the order of the answer's text; one per place of a passage. */
  readonly index: number;
  readonly passage: Passage;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

export type AnswerReason = 'answered' | 'closest' | 'not_mentioned' | 'no_context' | 'small_talk';

export interface CheckedSentence {
  readonly text: string;
  readonly index: number;
  /** 0 to 1: how well the passage supports it; 1 for verbatim sentences. */
  readonly score: number;
  readonly repaired?: DroppedSentence;
}

export type LeftOut = Pick<Answer, 'dropped' | 'repaired' | 'droppedSentences'>;

export interface Answer {
  readonly reason: AnswerReason;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly sentences: readonly CheckedSentence[];
  /** Unsupported sentences of the model that were removed. */
  readonly dropped: number;
  /** Unsupported sentences of the model that were replaced by the words of a passage. */
  readonly repaired: number;
  /** The first dropped sentences, and those over the limit. */
  readonly droppedSentences: readonly DroppedSentence[];
}

const nothingLeftOut: LeftOut = { dropped: 0, repaired: 0, droppedSentences: [] };

type Message = keyof (typeof data)['en'];

/** Fails to compile if a language lacks a message. */
const messages: Readonly<Record<MessageLanguage, Readonly<Record<Message, string>>>> = data;

export interface Wording {
  readonly language: Language;
  /** Operator's messages: first for the namespace, then for all namespaces. */
  readonly own?: readonly OwnMessages[] | undefined;
  /**
   * Whether a person gets the question, and the user must learn it: after a second refusal, or on
   * request.
   */
  readonly isHandedOff?: boolean;
}

const replaceable: Readonly<Partial<Record<Message, OwnMessage>>> = {
  greeting: 'greeting',
  called: 'greeting',
  refusal: 'refusal',
  closest: 'closest',
};

/**
 * Returns the text from the first file with the message: in the question's language, else for other
 * languages, else English.
 */
function ownText(
  message: OwnMessage | undefined,
  { language, own = [] }: Wording,
): string | undefined {
  if (message === undefined) return undefined;
  const texts = own.flatMap(({ [message]: text }) =>
    text ? [text[language] ?? text.other ?? text.en] : [],
  );
  return texts.find((text) => text !== undefined);
}

/**
 * Returns a chat message: the operator's, else the built-in one, in English for languages without
 * messages.
 */
export function messageText(
  message: Message,
  wording: Wording,
  values: Readonly<Record<string, string>> = {},
): string {
  const { language } = wording;
  const text =
    ownText(replaceable[message], wording) ??
    messages[language === 'other' ? 'en' : language][message];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/**
 * What the user can do next: the operator's text, else a built-in one if a person gets the
 * question.
 */
export const handoffText = (wording: Wording): string | undefined =>
  ownText('handoff', wording) ??
  (wording.isHandedOff ? messageText('handedOff', wording) : undefined);

/** A paragraph of its own. */
export function handoffParagraph(wording: Wording): string {
  const text = handoffText(wording);
  return text === undefined ? '' : `\n\n${text}`;
}

const unanswered = (reason: AnswerReason, text: string, leftOut = nothingLeftOut): Answer => ({
  reason,
  text,
  citations: [],
  sentences: [],
  ...leftOut,
});

export const emptyAnswer: Answer = unanswered('not_mentioned', '');

export const refusal = (wording: Wording, leftOut?: LeftOut): Answer =>
  unanswered(
    'no_context',
    `${messageText('refusal', wording)}${handoffParagraph(wording)}\n\nSources: none`,
    leftOut,
  );

export function excerptLines(citations: readonly Citation[]): string {
  const excerpts = citations.map(({ index, passage, start, end }) =>
    `${excerptAt(passage, start, end)} [${index}]`.trim(),
  );
  return (excerpts.length === 1 ? excerpts : excerpts.map((excerpt) => `- ${excerpt}`)).join('\n');
}

/**
 * Answers with excerpts if no sentence clearly answers. @param citations of the excerpts, closest
 * first
 */
export function closest(
  citations: readonly Citation[],
  wording: Wording,
  leftOut = nothingLeftOut,
): Answer {
  const lines = citations.map(({ index, passage }) => sourceLine(index, passage));
  const text = `${messageText('closest', wording)}\n\n${excerptLines(citations)}${handoffParagraph(wording)}\n\nSources:\n${lines.join('\n')}`;
  return { reason: 'closest', text, citations, sentences: [], ...leftOut };
}

const maxTopicChars = 80;

/**
 * Answers a greeting, thanks or a question about the agent. @param topics titles of documents
 * @param more number of further titles
 */
export function smallTalkAnswer(
  { kind, language = 'en' }: SmallTalk,
  own: readonly OwnMessages[] = [],
  topics: readonly string[] = [],
  more = 0,
): Answer {
  const wording = { language, own };
  const named = topics
    .map((title) => plainLabel(title).slice(0, maxTopicChars).trim())
    .filter((title) => title !== '');
  if (kind !== 'help' || named.length === 0)
    return unanswered('small_talk', messageText(kind === 'help' ? 'helpless' : kind, wording));
  const all = more > 0 ? [...named, messageText('more', wording, { count: String(more) })] : named;
  return unanswered(
    'small_talk',
    messageText('help', wording, {
      topics: all.join(language === 'ja' || language === 'zh' ? '、' : ', '),
    }),
  );
}

/** Reply to a request for a person. */
export const handoffAnswer = (text: string): Answer => unanswered('small_talk', text);

/** Reply of a model if the passages do not contain the answer. */
export const noAnswer = 'NO_ANSWER';
