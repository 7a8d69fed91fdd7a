/**
 * "And for annual plans?" is about what was asked before. Which words of the conversation a question is searched with besides its own:
 * those of the last question that was answered, where the new one leans on it. They help to find passages; they are never evidence, and
 * what a question asks for itself decides whether it is answered.
 */

import type { ChatMessage } from '../../answers/conversations.ts';
import { languageOf } from '../../language/languages.ts';
import { smallTalkOf } from '../../language/small-talk.ts';
import { contentWords, rawWords } from '../../language/tokens.ts';
import type { Background } from '../search/retriever.ts';

/** A question with more words of its own than this stands by itself, unless it points back. */
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
/** The end of a refusal, or the beginning of excerpts under a line without a citation: nothing was answered there. */
const refused = /\n\nSources: none\s*$|^[^\n[]{1,1000}\n\n[^\n]{1,400} \[1\]\n/;
const sourcesBegin = /\n\nSources:/;
const sourceTitle = /^\[\d{1,3}\] \[?(.{1,200}?)(?:\]| )\([^()]*\)$/gm;

/** How many words of its own a question has; of a script without spaces how many runs that are no endings. */
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
    return asked?.role !== 'user' || !smallTalkOf(asked.content);
  });

/** @param earlier oldest first, without the question itself */
export function backgroundOf(question: string, earlier: readonly ChatMessage[]): Background | undefined {
  const own = ownWords(question);
  const leans = opening.test(question) || asianOpening.test(question) || pointing.test(question);
  if (own > (leans ? maxOwnWordsPointing : maxOwnWords)) return undefined;
  const recent = withoutSmallTalk(earlier.slice(-maxEarlier));
  const answeredAt = recent.findLastIndex(({ role, content }) => role === 'assistant' && content.trim() !== '' && !refused.test(content));
  const asked = recent.slice(0, Math.max(0, answeredAt)).findLast(({ role }) => role === 'user');
  if (!asked) return undefined;
  const sources = recent[answeredAt]?.content.split(sourcesBegin)[1] ?? '';
  const titles = [...sources.matchAll(sourceTitle)].slice(0, 2).map(([, title]) => title);
  return { text: [asked.content, ...titles].join('\n').slice(0, maxBackgroundChars), isNeeded: leans || isFragment(question) };
}
