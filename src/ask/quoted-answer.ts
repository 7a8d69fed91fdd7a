/** Answers without a model: records of tools, and sections of the documents. */

import { isShowable } from '../../packages/grounding/src/shown-sentence.ts';
import { languageOf } from '../../packages/shared/src/language/languages.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { splitQuestion } from '../calls/calls-question.ts';
import type { Passage } from '../documents/document.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import { informationOf } from '../search/word-frequency.ts';
import type { Question } from './question.ts';
import { closest, quotedAnswerOf, refusal } from './reply/answer.ts';
import { plainPassageOf } from './reply/checked-passage.ts';
import { questionLanguage } from './reply/question-language.ts';
import { type QuotedSection, quotedSections, weightsIn } from './reply/section-reply.ts';
import { passageLabelOf } from './reply/sources.ts';

/** First sentence of each record; if there is only one record, its first two. */
function recordsOf({ passages }: Question): QuotedSection[] {
  const records = passages.flatMap((one, passage) => (one.isRecord ? [{ one, passage }] : []));
  return records.flatMap(({ one, passage }, order) => {
    const { text } = plainPassageOf(one);
    const [first, last = first] = [...segments(text)]
      .slice(0, records.length === 1 ? 2 : 1)
      .filter(({ start, end }) => isShowable(text.slice(start, end)));
    if (!first || !last) return [];
    const place = { passage, start: first.start, end: last.end };
    const own = text.slice(place.start, place.end);
    return [{ place, text: `${order > 0 ? '- ' : ''}${own}`, isAsked: true }];
  });
}

/**
 * A passage is about the question if it contains this share of its information, or this many of its
 * words.
 */
const minInformationShare = 0.4;
const minWords = 2;
const priorIdf = 2;

/** How well what was searched of a passage holds each word. */
function heldBy(passage: Passage, asked: readonly QueryTerm[]) {
  const text = [passage.about, passageLabelOf(passage), plainPassageOf(passage).text].join('\n');
  return weightsIn(text, passage.document.textLanguage, asked);
}

/** Whether a passage shares informative words with the question, not only everyday ones. */
export function shareInformativeWords(passages: readonly Passage[], all: readonly QueryTerm[]) {
  // Words of earlier questions do not count.
  const own = all.filter(({ isBackground, isOptional }) => !isBackground && !isOptional);
  const asked = own.length > 0 ? own : all;
  const worths = asked.map(({ word, idf }) => (idf + priorIdf) * informationOf(word));
  const whole = worths.reduce((sum, worth) => sum + worth, 0);
  return passages.some((passage) => {
    const held = heldBy(passage, asked);
    const known = held.reduce((sum, weight, word) => sum + weight * (worths[word] ?? 0), 0);
    return (
      !passage.isRecord &&
      ((known > 0 && known >= minInformationShare * whole) ||
        held.filter((weight) => weight > 0.5).length >= minWords)
    );
  });
}

/** Information of a word that is not an everyday one, as `SAML`. */
const minRare = 0.85;

/**
 * Whether a passage has a rare word of a question in another language, or two others, letter by
 * letter.
 */
const shareWordsExactly = (passages: readonly Passage[], all: readonly QueryTerm[]) =>
  passages.some((passage) => {
    const held = heldBy(passage, all);
    const same = all.filter((_, at) => held[at] === 1);
    return same.length >= minWords || same.some(({ word }) => informationOf(word) >= minRare);
  });

export function quotedAnswer(question: Question) {
  const { passages, wording } = question;
  const records = recordsOf(question);
  const isAboutCalls = records.length > 0 || question.lookupError !== undefined;
  const text = isAboutCalls ? splitQuestion(question.text).rest : question.text;
  const words = new Set(contentWords(text, languageOf(text)).map(({ term }) => term));
  const all = question.searches[0]?.asked ?? [];
  const asked = isAboutCalls
    ? all.filter(({ forms }) => forms.some(({ term }) => words.has(term)))
    : all;
  // A question in another language shares few words with any document.
  const { textLanguage } = passages[0]?.document ?? {};
  const isForeign =
    languageOf(question.text, textLanguage) !== textLanguage &&
    questionLanguage(question.text, 'other') !== textLanguage;
  // With queries of a model, passages need no word of the question.
  const isAlike = isForeign
    ? question.searches.length > 1 || shareWordsExactly(passages, asked)
    : shareInformativeWords(passages, asked);
  const isFound = text !== '' && isAlike;
  const sections = isFound ? quotedSections(passages, asked, text) : [];
  // Below records, the best section answers the rest of the question.
  const [first, second] = sections.filter(({ isAsked }) => isAsked || records.length > 0);
  const best = [first ?? [], second?.isRest ? second : []].flat();
  const answering = [...records, ...best];
  if (answering.length > 0) return quotedAnswerOf(answering, passages);
  return sections.length > 0 ? closest(sections, passages, wording) : refusal(wording);
}
