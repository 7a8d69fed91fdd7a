/**
 * Passages → the sentence of them that answers a question best, word for word, with what it leans on or what completes it, in reading order.
 * Deterministic, local, free. List items, table rows and short code blocks count as sentences.
 */
import type { Language } from '../../language/languages.ts';
import { segments, type TextSegment } from '../../language/segments.ts';
import { terms } from '../../language/tokens.ts';
import { isTopic, kindOf } from '../../reply/question-kind.ts';
import { type AskedQuestion, isQuotable, type Said, shareOf, type Unit, unitsFor } from '../../reply/rank-units.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import type { ConfidenceFeatures } from './answer-confidence.ts';
import type { PromptPassage } from './prompt.ts';

export interface Extract {
  readonly number: number;
  readonly text: string;
  readonly kind: TextSegment['kind'];
  /** Of a list item, as it stands in the passage. */
  readonly marker: string | undefined;
}

export interface RankedPassage extends PromptPassage {
  readonly language: Language;
  /** As the search ranked it; comparable between the passages of one question. */
  readonly score: number;
  /** Title and headings of what begins at an offset of the text; undefined: `label` everywhere. */
  readonly labelAt?: (offset: number) => string;
}

export interface ExtractInput {
  readonly question: string;
  readonly passages: readonly RankedPassage[];
  readonly asked: readonly QueryTerm[];
}

export interface Extracted {
  readonly extracts: readonly Extract[];
  readonly features: ConfidenceFeatures;
}

/** Besides what the best sentence leans on. */
const maxSentences = 2;
const maxSteps = 5;
/** Least share of the best sentence's score for a further one: in the same section, and in another passage, where it may be about something else. */
const minShareOfBest = 0.7;
const minShareElsewhere = 0.8;
/** Least share of the question that it has to say and the best does not: what only comes near says the same again (bench/README.md). */
const minAdded = 0.1;

/** A beginning that only says something together with the sentence before. */
const leansBack =
  /^\W{0,3}(?:(?:this|these|those|that|it|they|such|its|their|there)\s|(?:therefore|thus|hence|however|otherwise|instead|so|then|but|also|in (?:this|that|such)|after (?:this|that)|for (?:this|that))\b|(?:dies\p{L}{0,2}|er|sie|es|deshalb|daher|jedoch|sonst)\s|(?:cela|ceci|il|elle|ils|elles|cependant)\s|(?:esto|eso|sin embargo)\s)/iu;

type Asked = readonly QueryTerm[];

/** What was asked before makes no answer to what is asked now. */
function isAsked({ said }: Unit, asked: Asked): boolean {
  const hasOwn = asked.some(({ isBackground }) => !isBackground);
  return said.some((share, word) => share > 0 && (!hasOwn || asked[word]?.isBackground !== true));
}

/** The best, and another sentence that adds what was asked and is not about something else: it holds the names that the best holds. @param ranked best first */
function withFurther(ranked: readonly Unit[], best: Unit, asked: Asked): Unit[] {
  const names = asked.flatMap(({ isName }, word) => (isName && (best.said[word] ?? 0) > 0 ? [word] : []));
  const added = ({ said }: Unit) =>
    shareOf(
      said.map((share, word) => Math.max(0, share - (best.said[word] ?? 0))),
      asked,
    );
  const isNear = (one: Unit) => {
    if (one.position !== best.position) return one.score >= best.score * minShareElsewhere;
    // Another section of the passage may be about something else.
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

function leanedOn(best: Unit, { text }: RankedPassage): Extract[] {
  const { segment, lead, position, order } = best;
  const before =
    segment.kind === 'item' ? lead : leansBack.test(best.text) && segment.kind === 'sentence' ? [...segments(text)][order - 1] : undefined;
  const own = before && text.slice(before.start, before.end);
  if (!before || own === undefined || before.kind !== 'sentence') return [];
  if (!(segment.kind === 'item' ? /[:：]$/.test(own) && isQuotable(own.slice(0, -1), before) : isQuotable(own, before))) return [];
  return [{ number: position, text: own, kind: 'sentence', marker: undefined }];
}

const isStep = ({ segment: { kind, marker } }: Unit) => kind === 'item' && marker !== undefined && /^\d/.test(marker);

/** Of a numbered list the steps that follow one another about the best: one step alone is no way to do something. */
function stepsAround(best: Unit, candidates: readonly Unit[]): Unit[] {
  if (!isStep(best)) return [];
  const at = (order: number) => candidates.find((one) => one.position === best.position && one.order === order && isStep(one));
  const steps = [best];
  for (let before = at(best.order - 1); before && steps.length < maxSteps; before = at(before.order - 1)) steps.unshift(before);
  for (let after = at(best.order + 1); after && steps.length < maxSteps; after = at(after.order + 1)) steps.push(after);
  return steps;
}

const shareOfOwn = (said: Said, asked: Asked): number =>
  asked.every(({ isBackground }) => isBackground)
    ? shareOf(said, asked)
    : shareOf(
        said,
        asked.map((one) => (one.isBackground ? { ...one, idf: 0 } : one)),
      );

const condition = /(?:^|[,;(]\s*)(?:if|unless|when|in case|provided|falls|wenn|sofern|si|se|als)\s+([^,;.]{1,200})[,;.]/iu;
/** Share of the words of a condition that a question has to name. */
const minShareOfCondition = 0.3;

function isConditional({ text }: Unit, known: ReadonlySet<string>, language: Language): boolean {
  const words = [...terms(condition.exec(text)?.[1] ?? '', language)];
  return words.length > 0 && words.filter((word) => known.has(word)).length < words.length * minShareOfCondition;
}

function featuresOf(best: Unit, question: AskedQuestion, language: Language, steps: number): ConfidenceFeatures {
  const { text, asked } = question;
  const words = [...terms(best.text, language)];
  const known = new Set(asked.flatMap(({ forms }) => forms.map(({ term }) => term)));
  return {
    kind: kindOf(text),
    hasKind: best.hasKind,
    isTopic: isTopic(text),
    isUnderQuestion: best.isUnderQuestion,
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

const measured = /\bhow (long|large|big|high|far|old|fast|quickly|soon|often|expensive|deep|wide|heavy)\b/i;

/** @returns undefined where no sentence says anything of what is asked */
export function extractAnswer({ question, passages, asked }: ExtractInput): Extracted | undefined {
  // `large` in "how large" asks for a figure, and need not be said.
  const measure = measured.exec(question)?.[1]?.toLowerCase();
  const known = asked.filter(({ idf, word }) => idf > 0 && word !== measure);
  if (passages.length === 0 || known.length === 0) return undefined;
  const texts = passages.map((passage) => ({ ...passage, labelAt: passage.labelAt ?? (() => passage.label) }));
  const candidates = unitsFor(texts, { text: question, asked: known }).filter(
    (one) => isAsked(one, known) && isQuotable(one.text, one.segment),
  );
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.position - b.position || a.order - b.order);
  const [best] = ranked;
  const passage = best && passages[best.position];
  if (!passage) return undefined;
  const steps = kindOf(question) === 'steps' ? stepsAround(best, ranked) : [];
  const chosen = steps.length > 1 ? steps : withFurther(ranked, best, known);
  const extracts = chosen
    .toSorted((a, b) => a.position - b.position || a.order - b.order)
    .map(({ position, text, segment: { kind, marker } }) => ({ number: position, text, kind, marker }));
  const before = leanedOn(chosen.find((one) => one.position === best.position) ?? best, passage);
  const all = [...before.filter((one) => extracts.every(({ text }) => text !== one.text)), ...extracts];
  return {
    extracts: all.map((one) => ({ ...one, number: passages[one.number]?.number ?? 0 })),
    features: featuresOf(best, { text: question, asked: known }, passage.language, steps.length),
  };
}
