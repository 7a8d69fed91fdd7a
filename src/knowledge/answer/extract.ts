/**
 * The answer without a model: the few sentences of the passages that say most of what the question asks, verbatim, in reading order,
 * or nothing where none says any of it. Deterministic. List items, table rows and short code blocks count as sentences.
 */
import { holdsActiveMarkup } from '../text/active-markup.ts';
import type { Language } from '../text/languages.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';
import type { AskedWord } from '../types.ts';
import { isAddressedToModel } from './addressed-to-model.ts';
import { createFit } from './answer-type.ts';
import type { PromptPassage } from './turn-prompt.ts';

export interface Extract {
  /** Number of the passage. */
  readonly number: number;
  readonly text: string;
  readonly kind: Unit['kind'];
  /** Of a list item, as it stands in the passage. */
  readonly marker: string | undefined;
}

export interface RankedPassage extends PromptPassage {
  readonly language: Language;
  /** As the search ranked it; comparable between the passages of one question. */
  readonly score: number;
}

export interface ExtractInput {
  readonly question: string;
  /** Best first. */
  readonly passages: readonly RankedPassage[];
  /** The question's words, as the search understood them. */
  readonly asked: readonly AskedWord[];
}

const maxSentences = 3;
/** Least share of the best sentence's score for a further one: in the same passage, and in another, where it may be about something else. */
const minShareOfBest = 0.6;
const minShareElsewhere = 0.7;
/** What a word counts that stands beside a sentence: in the one before or after it, or in what stands above it (title, headings, a list's lead, a table's header). */
const besideShare = 0.3;
const aboveShare = 0.5;
/** What the rank of a passage adds to each of its sentences: this much for the best passage, less by its share of the best score. */
const passageWeight = 0.6;
/** What it adds that a sentence holds the kind of thing that is asked for (a time, a price, a number): a share of what it says, and by itself. */
const fitBonus = 0.35;
const fitShare = 0.3;
/** What a word counts that the question holds which a sentence answers, right before it (`Q:` and `A:`). */
const answeredShare = 0.9;

/** A sentence that only announces something is not quoted. */
const unquotable = /\bNO_ANSWER\b|^\W{0,4}sources\b|[:：]$|\uFFFD/i;
const maxUnitChars = 600;
const maxCodeLines = 12;

const asksForSteps =
  /\bhow (?:do|can|could|to|would|should|does)\b|\bsteps?\b|\bwie (?:kann|können|mach\p{L}*|geht|richt\p{L}*)\b|\bcomment\b|\bcómo\b|\bcome\b|\bcomo\b|\bhoe (?:kan|doe|moet)\b|как|どうやって|方法|如何|怎么|어떻게/iu;

interface Candidate extends Extract {
  readonly score: number;
  readonly order: number;
  /** Says something of the question by itself, or holds the kind of thing that is asked for. */
  readonly isAbout: boolean;
}

const isQuotable = (text: string, { kind }: Unit): boolean =>
  !unquotable.test(text) &&
  !holdsActiveMarkup(text) &&
  !isAddressedToModel(text) &&
  text.length <= maxUnitChars &&
  (kind !== 'code' || (text.split('\n').length <= maxCodeLines && !text.includes('```')));

/** The question's words where no search has understood them. */
export const wordsOf = (question: string, language: Language): AskedWord[] =>
  contentWords(question, language).map(({ term, isName }) => ({ word: term, forms: [{ term, weight: 1 }], idf: 1, isName }));

/** Per asked word how surely some text says it, 0 to 1. */
type Said = readonly number[];

export function extractAnswer({ question, passages, asked }: ExtractInput): Extract[] {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  if (whole === 0 || passages.length === 0) return [];
  const fitOf = createFit(question);
  const bestPassage = Math.max(...passages.map(({ score }) => score));

  const saidIn = (text: string, language: Language): Said => {
    const held = new Set(terms(text, language));
    return asked.map(({ forms }) => forms.reduce((most, { term, weight }) => (weight > most && held.has(term) ? weight : most), 0));
  };

  const isOwn = asked.map(({ isBackground }) => !isBackground);
  const hasOwn = isOwn.includes(true);

  const candidates = passages.flatMap(({ number, label, text, language, score }) => {
    const ofLabel = saidIn(label, language);
    const found = [...units(text)].map((unit) => {
      const own = text.slice(unit.start, unit.end);
      return { unit, own, said: saidIn(own, language) };
    });
    /** What announces a list stands above each of its items, a question above its answer. */
    let lead: Said | undefined;
    let question: Said | undefined;
    return found.flatMap(({ unit, own, said }, position): Candidate[] => {
      if (/[?？][*_"”]*$/.test(own)) {
        question = said;
        return [];
      }
      if (/[:：]$/.test(own)) lead = said;
      else if (unit.kind === 'sentence') lead = undefined;
      const header = unit.header && saidIn(text.slice(unit.header.start, unit.header.end), language);
      const above = [ofLabel, ...(lead ? [lead] : []), ...(header ? [header] : [])];
      const beside = [found[position - 1]?.said, found[position + 1]?.said];
      const answers = question;
      question = undefined;
      if (!isQuotable(own, unit)) return [];
      let inAll = 0;
      let ofOwnWords = 0;
      for (const [word, { idf }] of asked.entries()) {
        const fromAbove = Math.max(aboveShare * Math.max(...above.map((one) => one[word] ?? 0)), answeredShare * (answers?.[word] ?? 0));
        const fromBeside = besideShare * Math.max(...beside.map((one) => one?.[word] ?? 0));
        const held = idf * Math.max(said[word] ?? 0, fromAbove, fromBeside);
        inAll += held;
        if (isOwn[word]) ofOwnWords += held;
      }
      // What was asked before makes no answer to what is asked now.
      if (inAll === 0 || (hasOwn && ofOwnWords === 0)) return [];
      // What kind of thing the cells of a table hold, its header says.
      const fits = unit.kind === 'row' ? 0 : fitOf(own);
      const total = (inAll * (1 + fitBonus * fits)) / whole + fits * fitShare + (passageWeight * score) / bestPassage;
      const isAbout = said.some((share) => share > 0) || fits > 0 || answers?.some((share) => share > 0) === true;
      return [{ number, text: own, kind: unit.kind, marker: unit.marker, score: total, order: number * 10_000 + position, isAbout }];
    });
  });

  const ranked = candidates.sort((a, b) => b.score - a.score || a.order - b.order);
  const best = ranked[0];
  if (!best) return [];
  const steps = asksForSteps.test(question) ? stepsAround(best, candidates) : [];
  const seen = new Set<string>();
  const chosen =
    steps.length > 1
      ? steps
      : ranked
          .filter(({ isAbout }, rank) => isAbout || rank === 0)
          .filter(({ score, number }) => score >= best.score * (number === best.number ? minShareOfBest : minShareElsewhere))
          .filter(({ text }) => !seen.has(text) && seen.add(text))
          .slice(0, maxSentences);
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
