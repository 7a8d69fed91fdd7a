/**
 * First step of a question: whether a message mentions the agent, and what it asks. Also reads the
 * conversation before it.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { mentionedTurn } from '../../packages/mastra/src/mention-gate-processor.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { languageOf } from '../../packages/shared/src/language/languages.ts';
import {
  personPhrasesIn,
  personRequestIn,
} from '../../packages/shared/src/language/person-request.ts';
import {
  messageLanguages,
  smallTalkIn,
  smallTalkOf,
} from '../../packages/shared/src/language/small-talk.ts';
import { contentWords, rawWords } from '../../packages/shared/src/language/tokens.ts';
import type { HandOffReason } from '../documents/messages-file.ts';
import type { ChatMessage } from '../records/conversations.ts';
import type { Question } from './question.ts';
import { isClosest, isRefusal } from './reply/answer.ts';
import { listedSources } from './reply/sources.ts';

/** A longer question loses its middle, such as a log before or behind what is asked. */
const maxQuestionChars = 2_000;
const withoutMiddle = (question: string) =>
  question.length <= maxQuestionChars
    ? question
    : `${question.slice(0, maxQuestionChars / 2)}\n${question.slice(1 - maxQuestionChars / 2)}`.toWellFormed();

/** Reads the phrases of small talk in slices: the first question would block the event loop. */
export async function loadTalk() {
  for (const language of messageLanguages)
    for (const load of [smallTalkIn, personPhrasesIn]) {
      await yieldToEventLoop();
      load(language);
    }
}

/** @returns undefined without a mention */
export function askedIn(
  messages: readonly MastraDBMessage[],
  gate: MentionGate,
  isAddressed: boolean | undefined,
) {
  const mentioned = mentionedTurn(messages, gate, isAddressed);
  if (!mentioned) return undefined;
  const { earlier } = mentioned;
  // Invisible characters reach neither the search nor a model.
  const text = withoutInvisible(withoutMiddle(mentioned.question));
  return { text, earlier, background: backgroundOf(text, earlier), smallTalk: smallTalkOf(text) };
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
function ownWords(question: string) {
  const language = languageOf(question);
  if (language === 'ja' || language === 'zh')
    return question.match(/\p{Script=Han}{2,}|\p{Script=Katakana}{2,}|[A-Za-z]{2,}/gu)?.length ?? 0;
  if (language === 'ko') return rawWords(question).length;
  return contentWords(question, language).length;
}

/** The last messages, without small talk and requests for a person. */
const recentTurns = (messages: readonly ChatMessage[]) =>
  messages.slice(-maxEarlier).filter((message, position, recent) => {
    const asked = message.role === 'user' ? message : recent[position - 1];
    return (
      asked?.role !== 'user' || !(smallTalkOf(asked.content) || personRequestIn(asked.content))
    );
  });

/** Outcomes of the previous question of the conversation; a second one hands the next off. */
export function repeatedReasons({ asked, messages }: Question): HandOffReason[] {
  const last = recentTurns(asked.earlier).findLast(({ role }) => role === 'assistant');
  if (!last) return [];
  if (isRefusal(last.content, messages?.own)) return ['refusal'];
  return isClosest(last.content, messages?.own) ? ['closest'] : [];
}

/** The question before a request for a person. */
export const previousQuestionOf = ({ asked }: Question) =>
  recentTurns(asked.earlier).findLast(({ role }) => role === 'user')?.content ?? null;

/** The last question that was answered, and the list of sources of its answer. */
export function lastAnswered(earlier: readonly ChatMessage[]) {
  const recent = recentTurns(earlier);
  const answeredAt = recent.findLastIndex(
    ({ role, content }) => role === 'assistant' && content.trim() !== '' && !isRefusal(content),
  );
  const asked = recent.slice(0, Math.max(0, answeredAt)).findLast(({ role }) => role === 'user');
  const sources = recent[answeredAt]?.content.split(sourcesBegin)[1] ?? '';
  return asked && { question: asked.content, sources };
}

export function backgroundOf(question: string, earlier: readonly ChatMessage[]) {
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
    isNeeded: leans || question.trim().split(/\s+/).length <= maxFragmentWords,
  };
}
