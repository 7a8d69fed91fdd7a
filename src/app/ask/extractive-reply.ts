/**
 * The reply where no model is set up: the few sentences of the passages of the turn that say most of what the question asks, verbatim, in
 * reading order, marked like a model's, so that they go through the same check; or nothing where none says any of it. Deterministic, local,
 * free. List items, table rows and short code blocks count as sentences.
 */
import { splitQuestion } from '../../calls/calls-question.ts';
import { isAddressedToModel } from '../../grounding/addressed-to-model.ts';
import { noAnswer } from '../../grounding/answer.ts';
import { toPlainPassage } from '../../grounding/plain-passage.ts';
import { passageLabelOf } from '../../grounding/sources.ts';
import { type Language, languageOf } from '../../language/languages.ts';
import { segments, type TextSegment } from '../../language/segments.ts';
import { contentWords, terms } from '../../language/tokens.ts';
import { holdsActiveMarkup } from '../../markdown/active-markup.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import type { PromptPassage } from './prompt.ts';
import { searchesOf, type Turn } from './turn.ts';

interface Extract {
  /** Number of the passage. */
  readonly number: number;
  readonly text: string;
  readonly kind: TextSegment['kind'];
  /** Of a list item, as it stands in the passage. */
  readonly marker: string | undefined;
}

interface RankedPassage extends PromptPassage {
  readonly language: Language;
  /** As the search ranked it; comparable between the passages of one question. */
  readonly score: number;
}

interface ExtractInput {
  readonly question: string;
  /** Best first. */
  readonly passages: readonly RankedPassage[];
  /** The question's words, as the search understood them. */
  readonly asked: readonly QueryTerm[];
}

const maxSentences = 3;
/** Least share of the best sentence's score for a further one: in the same passage, and in another, where it may be about something else. */
const minShareOfBest = 0.6;
const minShareElsewhere = 0.75;
/** What a word counts that stands above a sentence: in title and headings, in what announces its list, in the question that it answers. */
const aboveShare = 0.5;
/** What the rank of a passage adds to each of its sentences: this much for the best passage, less by its share of the best score. */
const passageWeight = 0.6;
/** A sentence that asks or only announces something is not quoted. */
const unquotable = /\bNO_ANSWER\b|^\W{0,4}sources\b|[:：]$|[?？][*_"”]*$|\uFFFD/i;
const maxUnitChars = 600;
const maxCodeLines = 12;

const asksForSteps =
  /\bhow (?:do|can|could|to|would|should|does)\b|\bsteps?\b|\bwie (?:kann|können|mach\p{L}*|geht|richt\p{L}*)\b|\bcomment\b|\bcómo\b|\bcome\b|\bcomo\b|\bhoe (?:kan|doe|moet)\b|как|どうやって|方法|如何|怎么|어떻게/iu;

interface Candidate extends Extract {
  readonly score: number;
  readonly order: number;
  /** Says something of the question by itself. */
  readonly isAbout: boolean;
  /** Of each asked word what it tells, as far as the sentence holds it with what stands above. */
  readonly held: readonly number[];
}

const isQuotable = (text: string, { kind }: TextSegment): boolean =>
  !unquotable.test(text) &&
  !holdsActiveMarkup(text) &&
  !isAddressedToModel(text) &&
  text.length <= maxUnitChars &&
  (kind !== 'code' || (text.split('\n').length <= maxCodeLines && !text.includes('```')));

/** Per asked word how surely some text says it, 0 to 1. */
type Said = readonly number[];

function saidIn(text: string, language: Language, asked: readonly QueryTerm[]): Said {
  const held = new Set(terms(text, language));
  return asked.map(({ forms }) => forms.reduce((most, { term, weight }) => (weight > most && held.has(term) ? weight : most), 0));
}

/** Every sentence that says something of what is asked, with its score. */
function candidatesIn(
  { text, label, language, number, score }: RankedPassage,
  asked: readonly QueryTerm[],
  bestPassage: number,
): Candidate[] {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  const hasOwn = asked.some(({ isBackground }) => !isBackground);
  const ofLabel = saidIn(label, language, asked);
  let lead: Said = [];
  return [...segments(text)].flatMap((unit, position): Candidate[] => {
    const own = text.slice(unit.start, unit.end);
    const said = saidIn(own, language, asked);
    const announced = lead;
    // A question stands above its answer, what ends in a colon above each item of its list.
    if (/[?？:：][*_"”]*$/.test(own)) lead = said;
    else if (unit.kind === 'sentence') lead = [];
    const held = asked.map(
      ({ idf }, word) => idf * Math.max(said[word] ?? 0, aboveShare * Math.max(ofLabel[word] ?? 0, announced[word] ?? 0)),
    );
    // What was asked before makes no answer to what is asked now.
    const ofOwnWords = held.filter((_, word) => !hasOwn || !asked[word]?.isBackground);
    if (!isQuotable(own, unit) || ofOwnWords.every((share) => share === 0)) return [];
    const isAbout = [...said, ...announced].some((share) => share > 0);
    const value = held.reduce((sum, share) => sum + share, 0) / whole + (passageWeight * score) / bestPassage;
    return [{ number, text: own, kind: unit.kind, marker: unit.marker, score: value, order: number * 10_000 + position, isAbout, held }];
  });
}

/** Different sentences that come near the best, and are not about something else: they hold the names that it holds. @param ranked best first */
function nearBest(ranked: readonly Candidate[], best: Candidate, asked: readonly QueryTerm[]): Candidate[] {
  const seen = new Set<string>();
  const names = asked.flatMap(({ isName }, word) => (isName && (best.held[word] ?? 0) > 0 ? [word] : []));
  return ranked
    .filter(({ isAbout, held }, rank) => (isAbout && names.every((word) => (held[word] ?? 0) > 0)) || rank === 0)
    .filter(({ score, number }) => score >= best.score * (number === best.number ? minShareOfBest : minShareElsewhere))
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, maxSentences);
}

export function extractAnswer({ question, passages, asked }: ExtractInput): Extract[] {
  if (passages.length === 0 || asked.every(({ idf }) => idf === 0)) return [];
  const bestPassage = Math.max(...passages.map(({ score }) => score));
  const candidates = passages.flatMap((passage) => candidatesIn(passage, asked, bestPassage));
  const ranked = candidates.sort((a, b) => b.score - a.score || a.order - b.order);
  const [best] = ranked;
  if (!best) return [];
  const steps = asksForSteps.test(question) ? stepsAround(best, ranked) : [];
  const chosen = steps.length > 1 ? steps : nearBest(ranked, best, asked);
  return chosen.sort((a, b) => a.order - b.order).map(({ number, text, kind, marker }) => ({ number, text, kind, marker }));
}

const isStep = ({ kind, marker }: Extract) => kind === 'item' && marker !== undefined && /^\d/.test(marker);

/** Of a numbered list the steps that follow one another about the best: one step alone is no way to do something. */
function stepsAround(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  if (!isStep(best)) return [];
  const at = (order: number) => candidates.find((one) => one.order === order && isStep(one));
  const steps = [best];
  for (let before = at(best.order - 1); before && steps.length < maxSentences; before = at(before.order - 1)) steps.unshift(before);
  for (let after = at(best.order + 1); after && steps.length < maxSentences; after = at(after.order + 1)) steps.push(after);
  return steps;
}

/** In a table row the marker stands inside the last cell, so that the line stays a row; after code below its fence. */
function withMarker({ text, number, kind, marker }: Extract): string {
  if (kind === 'row') return `${text.replace(/\|\s*$/, '').trimEnd()} [${number}] |`;
  if (kind === 'code') return `\`\`\`\n${text}\n\`\`\`\n[${number}]`;
  if (kind === 'item') return `${marker ?? '-'} ${text} [${number}]`;
  // Where a quotation goes on to the next line, the mark of its first line shows that it is one.
  return `${/\n\s*>/.test(text) ? '> ' : ''}${text} [${number}]`;
}

/** What tools found was asked for: the first sentence of each record says what it is, and of one alone the second says more. */
const fromRecords = (records: readonly RankedPassage[]): string[] =>
  records.flatMap(({ number, text }, order) => {
    const sentences = [...segments(text)].slice(0, records.length === 1 ? 2 : 1);
    return sentences.map(({ start, end }) => `${order > 0 ? '- ' : ''}${text.slice(start, end)} [${number}]`);
  });

/** @param isCovered whether the documents speak of what is asked */
export function extractiveReply(turn: Turn, isCovered: boolean): string {
  const given = turn.passages.map((passage, position) => ({
    number: position + 1,
    label: passageLabelOf(passage),
    text: toPlainPassage(passage.text).text,
    language: passage.document.textLanguage,
    score: passage.score,
    isRecord: passage.isRecord === true,
  }));
  const records = fromRecords(given.filter(({ isRecord }) => isRecord));
  // Of a question with two parts the documents are asked the other one.
  const question = records.length > 0 ? splitQuestion(turn.question).rest : turn.question;
  const language = languageOf(question);
  const words = new Set([...contentWords(question, language)].map(({ term }) => term));
  const known = searchesOf(turn)[0]?.asked ?? [];
  const asked = records.length > 0 ? known.filter(({ forms }) => forms.some(({ term }) => words.has(term))) : known;
  const passages = given.filter(({ isRecord }) => !isRecord);
  const sentences = question !== '' && isCovered ? extractAnswer({ question, passages, asked }).map(withMarker) : [];
  const reply = [...records, ...sentences];
  return reply.length === 0 ? noAnswer : reply.join('\n\n');
}
