/**
 * Finds the passage sentence that answers a question best. Returns it verbatim, with its context or
 * a further sentence, in reading order. Deterministic and without a model. List items, table rows
 * and short code blocks count as sentences.
 */
import { fold, type Language } from '../../../packages/shared/src/language/languages.ts';
import { segments, type TextSegment } from '../../../packages/shared/src/language/segments.ts';
import { rawWords, terms } from '../../../packages/shared/src/language/tokens.ts';
import { isTopic, kindOf, type QuestionKind } from '../../reply/question-kind.ts';
import {
  type AskedQuestion,
  isQuotable,
  shareOf,
  type Unit,
  unitsFor,
  type WordWeights,
} from '../../reply/rank-units.ts';
import { backgroundWeight } from '../../search/scoring.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import type { PromptPassage } from './prompt.ts';

// Rules for stating an extracted sentence as the answer. Measured (bench/README.md): the share of
// question words in a sentence is a weak signal. Of sentences with a high share and the expected
// kind of answer, four of five are right. All others are shown as excerpts.

export interface ConfidenceFeatures {
  readonly kind: QuestionKind | undefined;
  readonly hasKind: boolean;
  readonly isTopic: boolean;
  readonly isUnderQuestion: boolean;
  /** Whether the question repeats its heading, and it is outside lists and tables. */
  readonly isOfHeading: boolean;
  /** Rank of its passage, from 0. */
  readonly position: number;
  readonly words: number;
  /** Share of the question's words in the sentence, 0 to 1. */
  readonly own: number;
  /** Share in the sentence, its headings and its lead. */
  readonly share: number;
  /** Share in the headings and the lead only. */
  readonly above: number;
  /**
   * Share of the sentence's words that occur in the question, 0 to 1. Long sentences match by
   * chance.
   */
  readonly density: number;
  readonly isOfSubject: boolean;
  readonly isRow: boolean;
  readonly isConditional: boolean;
  readonly steps: number;
}

const minOwn = 0.75;
const minDensity = 0.1;
const minOwnElsewhere = 0.99;
const minDensityElsewhere = 0.2;
const minShareOfFigure = 0.95;
const minOwnOfFigure = 0.3;
const minDensityOfFigure = 0.05;
/** A row may lack question words that the table header contains. */
const minShareOfRow = 0.7;
const minShareOfOtherRow = 0.95;
const minShareOfTopic = 0.99;
const minOwnOfTopic = 0.3;
const minDensityOfEcho = 0.5;
const minSteps = 2;
/** Minimum share in the headings, because they name the purpose of a list. */
const minAboveSteps = 0.85;

type Rule = (features: ConfidenceFeatures) => boolean;

const isSureRow: Rule = ({ share, position }) =>
  share >= (position === 0 ? minShareOfRow : minShareOfOtherRow);
const isSureElsewhere: Rule = ({ kind, own, density }) =>
  kind !== undefined &&
  kind !== 'steps' &&
  own >= minOwnElsewhere &&
  density >= minDensityElsewhere;
const areSureSteps: Rule = ({ steps, above, words }) =>
  steps >= minSteps && above >= minAboveSteps && words > 1;
const isSureTopic: Rule = ({ share, own }) => share >= minShareOfTopic && own >= minOwnOfTopic;
const isSureOfNoKind: Rule = ({ own, isOfSubject, density }) =>
  own >= minOwn && (isOfSubject || (own >= minShareOfTopic && density >= minDensityOfEcho));
/** A figure of the right kind rarely matches by chance, so headings may supply the other words. */
const isSureFigure: Rule = ({ kind, share, own, density }) =>
  (kind === 'time' || kind === 'number' || kind === 'price') &&
  share >= minShareOfFigure &&
  own >= minOwnOfFigure &&
  density >= minDensityOfFigure;

function ruleFor({
  kind,
  isRow,
  isOfSubject,
  position,
  isTopic,
  isUnderQuestion,
  isOfHeading,
}: ConfidenceFeatures): Rule {
  if (isOfHeading && position === 0) return () => true;
  if (isRow && isOfSubject) return isSureRow;
  if (position > 0) return isSureElsewhere;
  if (kind === 'steps') return areSureSteps;
  if (isTopic) return isSureTopic;
  if (kind === undefined) return isSureOfNoKind;
  if (isUnderQuestion) return ({ own }) => own > 0;
  return (features) =>
    isSureFigure(features) || (features.own >= minOwn && features.density >= minDensity);
}

export const isSure = (features: ConfidenceFeatures): boolean =>
  features.hasKind && !features.isConditional && ruleFor(features)(features);

export type Extract = Readonly<{
  number: number;
  text: string;
  kind: TextSegment['kind'];
  marker: string | undefined;
}>;

export interface RankedPassage extends PromptPassage {
  readonly language: Language;
  /** Search score; comparable within one question. */
  readonly score: number;
  /** Title and headings at an offset of the text; default: `label`. */
  readonly labelAt?: (offset: number) => string;
}

export type ExtractInput = Readonly<{
  question: string;
  passages: readonly RankedPassage[];
  asked: readonly QueryTerm[];
}>;

type Extracted = Readonly<{ extracts: readonly Extract[]; features: ConfidenceFeatures }>;

const maxSentences = 2;
const maxSteps = 5;
/**
 * Minimum score of a further sentence, as a share of the best score: in the same section, and in
 * other passages.
 */
const minShareOfBest = 0.7;
const minShareElsewhere = 0.8;
/**
 * Minimum share of the question that a further sentence must add; otherwise it repeats the best one
 * (bench/README.md).
 */
const minAdded = 0.1;

const leansBack =
  /^\W{0,3}(?:(?:this|these|those|that|it|they|such|its|their|there)\s|(?:therefore|thus|hence|however|otherwise|instead|so|then|but|also|in (?:this|that|such)|after (?:this|that)|for (?:this|that))\b|(?:dies\p{L}{0,2}|er|sie|es|deshalb|daher|jedoch|sonst)\s|(?:cela|ceci|il|elle|ils|elles|cependant)\s|(?:esto|eso|sin embargo)\s)/iu;

type Asked = readonly QueryTerm[];

function isAsked({ said }: Unit, asked: Asked): boolean {
  const hasOwn = asked.some(({ isBackground }) => !isBackground);
  return said.some((share, word) => share > 0 && (!hasOwn || asked[word]?.isBackground !== true));
}

/**
 * Returns the best sentence and at most one more, with the same names (same subject) and new
 * question words. @param ranked best first
 */
function withFurther(ranked: readonly Unit[], best: Unit, asked: Asked): Unit[] {
  const names = asked.flatMap(({ isName }, word) =>
    isName && (best.said[word] ?? 0) > 0 ? [word] : [],
  );
  const added = ({ said }: Unit) =>
    shareOf(
      said.map((share, word) => Math.max(0, share - (best.said[word] ?? 0))),
      asked,
    );
  const isNear = (one: Unit) => {
    if (one.position !== best.position) return one.score >= best.score * minShareElsewhere;
    return one.label === best.label && one.score >= best.score * minShareOfBest;
  };
  const further = ranked.filter(
    (one) =>
      one !== best &&
      one.isAbout &&
      (one.isOfSubject || !best.isOfSubject || one.position === best.position) &&
      names.every((word) => (one.said[word] ?? 0) > 0) &&
      isNear(one) &&
      added(one) >= minAdded,
  );
  return [best, ...further.slice(0, maxSentences - 1)];
}

function contextOf(best: Unit, { text }: RankedPassage): Extract[] {
  const { segment, lead, position, order } = best;
  const before =
    segment.kind === 'item'
      ? lead
      : leansBack.test(best.text) && segment.kind === 'sentence'
        ? [...segments(text)][order - 1]
        : undefined;
  const own = before && text.slice(before.start, before.end);
  if (!before || own === undefined || before.kind !== 'sentence') return [];
  if (
    !(segment.kind === 'item'
      ? /[:：]$/.test(own) && isQuotable(own.slice(0, -1), before)
      : isQuotable(own, before))
  )
    return [];
  return [{ number: position, text: own, kind: 'sentence', marker: undefined }];
}

const isStep = ({ segment: { kind, marker } }: Unit) =>
  kind === 'item' && marker !== undefined && /^\d/.test(marker);

/**
 * Consecutive steps of a numbered list around the best one, because a single step is no
 * instruction.
 */
function stepsAround(best: Unit, candidates: readonly Unit[]): Unit[] {
  if (!isStep(best)) return [];
  const at = (order: number) =>
    candidates.find((one) => one.position === best.position && one.order === order && isStep(one));
  const steps = [best];
  for (
    let before = at(best.order - 1);
    before && steps.length < maxSteps;
    before = at(before.order - 1)
  )
    steps.unshift(before);
  for (
    let after = at(best.order + 1);
    after && steps.length < maxSteps;
    after = at(after.order + 1)
  )
    steps.push(after);
  return steps;
}

const shareOfOwn = (said: WordWeights, asked: Asked): number =>
  asked.every(({ isBackground }) => isBackground)
    ? shareOf(said, asked)
    : shareOf(
        said,
        asked.map((one) => (one.isBackground ? { ...one, idf: 0 } : one)),
      );

const condition =
  /(?:^|[,;(]\s*)(?:if|unless|when|in case|provided|falls|wenn|sofern|si|se|als)\s+([^,;.]{1,200})[,;.]/iu;
const minShareOfCondition = 0.3;

function isConditional({ text }: Unit, known: ReadonlySet<string>, language: Language): boolean {
  const words = [...terms(condition.exec(text)?.[1] ?? '', language)];
  return (
    words.length > 0 &&
    words.filter((word) => known.has(word)).length < words.length * minShareOfCondition
  );
}

function featuresOf(
  best: Unit,
  question: AskedQuestion,
  language: Language,
  steps: number,
): ConfidenceFeatures {
  const { text, asked } = question;
  const words = [...terms(best.text, language)];
  const known = new Set(asked.flatMap(({ forms }) => forms.map(({ term }) => term)));
  return {
    kind: kindOf(text),
    hasKind: best.hasKind,
    isTopic: isTopic(text),
    isUnderQuestion: best.isUnderQuestion,
    isOfHeading: best.isOfHeading && best.segment.kind !== 'item' && best.segment.kind !== 'row',
    position: best.position,
    words: asked.filter(({ isBackground }) => isBackground !== true).length,
    own: shareOfOwn(best.own, asked),
    share: shareOfOwn(best.said, asked),
    above: shareOfOwn(best.above, asked),
    density: words.filter((word) => known.has(word)).length / Math.max(1, words.length),
    isOfSubject: best.isOfSubject,
    isRow: best.segment.kind === 'row',
    isConditional: isConditional(best, known, language),
    steps,
  };
}

const measured =
  /\bhow (long|large|big|high|far|old|fast|quickly|soon|often|expensive|deep|wide|heavy)\b/i;

export function extractAnswer({ question, passages, asked }: ExtractInput): Extracted | undefined {
  // `large` in "how large" asks for a figure; the answer need not repeat it.
  const measure = measured.exec(question)?.[1]?.toLowerCase();
  const known = asked.filter(({ idf, word }) => idf > 0 && word !== measure);
  if (passages.length === 0 || known.length === 0) return undefined;
  const texts = passages.map((passage) => ({
    ...passage,
    labelAt: passage.labelAt ?? (() => passage.label),
  }));
  const candidates = unitsFor(texts, { text: question, asked: known }).filter(
    (one) => isAsked(one, known) && isQuotable(one.text, one.segment),
  );
  const ranked = candidates.toSorted(
    (a, b) => b.score - a.score || a.position - b.position || a.order - b.order,
  );
  const [best] = ranked;
  const passage = best && passages[best.position];
  if (!passage) return undefined;
  const steps = kindOf(question) === 'steps' ? stepsAround(best, ranked) : [];
  const chosen = steps.length > 1 ? steps : withFurther(ranked, best, known);
  const extracts = chosen
    .toSorted((a, b) => a.position - b.position || a.order - b.order)
    .map(({ position, text, segment: { kind, marker } }) => ({
      number: position,
      text,
      kind,
      marker,
    }));
  const before = contextOf(chosen.find((one) => one.position === best.position) ?? best, passage);
  const all = [
    ...before.filter((one) => extracts.every(({ text }) => text !== one.text)),
    ...extracts,
  ];
  return {
    extracts: all.map((one) => ({ ...one, number: passages[one.number]?.number ?? 0 })),
    features: featuresOf(best, { text: question, asked: known }, passage.language, steps.length),
  };
}

interface QuestionPart {
  readonly text: string;
  /** All words of the question; words of other parts have less weight. */
  readonly asked: readonly QueryTerm[];
}

const joint =
  /[?？]\s*(?=\S)|,?\s+(?:and|und|et|y|e|en)\s+(?:also\s+)?(?=(?:what|how|when|where|who|which|why|can|could|do|does|is|are|will|should|was|wie|wann|wo|wer|welche\p{L}*|kann|comment|quand|où|qui|quel\p{L}*|cómo|cuándo|dónde|quién|qué|cuánto\p{L}*)(?!\p{L}))/giu;
const maxParts = 3;

export function questionParts(question: string, asked: readonly QueryTerm[]): QuestionPart[] {
  const texts = question.split(joint).filter((text) => /\p{L}/u.test(text));
  const parts = texts.slice(0, maxParts).flatMap((text): QuestionPart[] => {
    const words = new Set(rawWords(text).map(fold));
    const isOwn = ({ word }: QueryTerm) => words.has(word);
    if (!asked.some((term) => isOwn(term) && term.isBackground !== true)) return [];
    const weighed = asked.map((term) =>
      isOwn(term) ? term : { ...term, idf: term.idf * backgroundWeight, isBackground: true },
    );
    return [{ text, asked: weighed }];
  });
  return parts.length > 1 ? parts : [{ text: question, asked }];
}
