/** Answer to a caller, and the messages that replace it. */

import { isRefusedReply } from '../../../packages/grounding/src/reply-reader.ts';
import type { Place } from '../../../packages/grounding/src/rules.ts';
import type { DroppedSentence } from '../../../packages/grounding/src/sentence-check.ts';
import { plainLabel } from '../../../packages/shared/src/language/label.ts';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import type {
  MessageLanguage,
  SmallTalk,
} from '../../../packages/shared/src/language/small-talk.ts';
import { citedAt, type Passage } from '../../documents/document.ts';
import type { OwnMessage, OwnMessages } from '../../documents/messages-file.ts';
import { placeOf } from '../search-docs.ts';
import { plainPassageOf } from './checked-passage.ts';
import data from './messages.json' with { type: 'json' };
import type { QuotedSection } from './section-reply.ts';
import { SectionNumbers, sourceLines } from './sources.ts';

/**
 * A span of a stored document that supports a sentence: `quote` is `slice(start, end)` of the
 * stored file.
 */
export type Citation = Readonly<{
  /** From 1, in the order of the answer's text; citations of one section share it. */
  index: number;
  passage: Passage;
  quote: string;
  start: number;
  end: number;
}>;

type AnswerReason = 'answered' | 'closest' | 'not_mentioned' | 'no_context' | 'small_talk';

export type CheckedSentence = Readonly<{
  text: string;
  index: number;
  /** 0 to 1: how well the passage supports it; 1 for verbatim sentences. */
  score: number;
  /** The sentence that failed and was written again. */
  rewritten?: DroppedSentence;
}>;

export type LeftOut = Pick<
  Answer,
  'dropped' | 'repaired' | 'rewritten' | 'droppedSentences' | 'checkedBy'
>;

export type Answer = Readonly<{
  reason: AnswerReason;
  text: string;
  citations: readonly Citation[];
  sentences: readonly CheckedSentence[];
  /** Unsupported sentences of the model that were removed. */
  dropped: number;
  /** Sections shown in place of unsupported sentences, 0 or 1. */
  repaired: number;
  /** Unsupported sentences that the model wrote again. */
  rewritten: number;
  /** What decided the sentences that are not quotations. */
  checkedBy: 'model' | 'rules' | 'mixed';
  /** The first dropped sentences, and those over the limit. */
  droppedSentences: readonly DroppedSentence[];
}>;

const nothingLeftOut: LeftOut = {
  dropped: 0,
  repaired: 0,
  rewritten: 0,
  droppedSentences: [],
  checkedBy: 'rules',
};

type Message = keyof (typeof data)['en'];

/** Fails to compile if a language lacks a message. */
const messages: Readonly<Record<MessageLanguage, Readonly<Record<Message, string>>>> = data;

export type Wording = Readonly<{
  language: Language;
  /** Operator's messages: first for the namespace, then for all namespaces. */
  own?: readonly OwnMessages[] | undefined;
  /**
   * Whether a person gets the question, and the user must learn it: after a second refusal, or on
   * request.
   */
  isHandedOff?: boolean | undefined;
  /** Whether the user must learn it below sections, after two such answers. */
  isClosestHandedOff?: boolean | undefined;
}>;

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
function ownText(message: OwnMessage | undefined, { language, own = [] }: Wording) {
  if (message === undefined) return undefined;
  const [text] = own.flatMap(
    ({ [message]: texts }) => texts?.[language] ?? texts?.other ?? texts?.en ?? [],
  );
  return text;
}

/**
 * Returns a chat message: the operator's, else the built-in one, in English for languages without
 * messages.
 */
export function messageText(
  message: Message,
  wording: Wording,
  values: Readonly<Record<string, string>> = {},
) {
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
function handoffParagraph(wording: Wording) {
  const text = handoffText(wording);
  return text === undefined ? '' : `\n\n${text}`;
}

const unanswered = (reason: AnswerReason, text: string, leftOut = nothingLeftOut) => ({
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

/** Whether a text of a conversation is a refusal, also where clients get no `Sources: none`. */
export function isRefusal(text: string, own: readonly OwnMessages[] = []) {
  return isRefusedReply(text) || beginsWith(text, 'refusal', own);
}

/** Whether a text of a conversation shows sections that may answer its question. */
export const isClosest = (text: string, own: readonly OwnMessages[] = []) =>
  beginsWith(text, 'closest', own);

const beginsWith = (text: string, message: 'refusal' | 'closest', own: readonly OwnMessages[]) =>
  [
    ...Object.values(messages).map(({ [message]: one }) => one),
    ...own.flatMap(({ [message]: one }) => Object.values(one ?? {})),
  ].some((one) => one && text.startsWith(one));

/** Returns the citations of places, each with the heading path of its section. */
export const citationsOf = (
  places: readonly Place[],
  passages: readonly Passage[],
  numbers: SectionNumbers,
): Citation[] =>
  places.flatMap(({ passage: at, start, end }) => {
    const passage = passages[at];
    if (!passage) return [];
    const stored = plainPassageOf(passage).storedSpan(start, end);
    const from = passage.start + stored.start;
    const cited = citedAt(passage, from);
    return {
      index: numbers.of(cited),
      passage: cited,
      quote: passage.text.slice(stored.start, stored.end),
      start: from,
      end: passage.start + stored.end,
    };
  });

/** The end of an answer: its sources, or that it has none. */
export function sourceList(citations: readonly Citation[]) {
  const places = citations.map(({ index, passage }) => ({
    index,
    ...placeOf(passage),
    pageLabel: passage.pageLabel,
  }));
  return `\n\nSources:${citations.length > 0 ? `\n${sourceLines(places).join('\n')}` : ' none'}`;
}

/** Below a table or code, a number has its own paragraph. */
export const beforeNumber = (section: string) => (/(?:\||`{3}|~{3})$/.test(section) ? '\n\n' : ' ');

/** Quotes sections without a model; each ends with its number. @param sections best first */
function quotation(sections: readonly QuotedSection[], passages: readonly Passage[], below = '') {
  const places = sections.map(({ place }) => place);
  const citations = citationsOf(places, passages, new SectionNumbers());
  const body = sections.map(({ text }, at) => {
    const index = citations[at]?.index;
    return index === citations[at + 1]?.index ? text : `${text}${beforeNumber(text)}[${index}]`;
  });
  return { text: `${body.join('\n\n')}${below}${sourceList(citations)}`, citations };
}

/** Answers with sections of the documents that may answer the question. */
export function closest(
  sections: readonly QuotedSection[],
  passages: readonly Passage[],
  wording: Wording,
  leftOut = nothingLeftOut,
): Answer {
  const below = wording.isClosestHandedOff
    ? handoffParagraph({ ...wording, isHandedOff: true })
    : '';
  const { text, citations } = quotation(sections, passages, below);
  const lead = `${messageText('closest', wording)}\n\n`;
  return { reason: 'closest', text: `${lead}${text}`, citations, sentences: [], ...leftOut };
}

/** Answers with records, and the section that the question names. */
export function quotedAnswerOf(
  sections: readonly QuotedSection[],
  passages: readonly Passage[],
): Answer {
  const { text, citations } = quotation(sections, passages);
  const sentences = sections.map((section, at) => ({
    text: section.text,
    index: citations[at]?.index ?? 0,
    score: 1,
  }));
  return { reason: 'answered', text, citations, sentences, ...nothingLeftOut };
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
    .filter(Boolean);
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
