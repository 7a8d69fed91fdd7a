/**
 * Passages → the few sentences of them that answer a question best, word for word, in reading order: one where one says it, with what it
 * leans on or what completes it. Deterministic, local, free. List items, table rows and short code blocks count as sentences.
 */
import { isAddressedToModel } from '../../grounding/addressed-to-model.ts';
import type { Language } from '../../language/languages.ts';
import { segments, type TextSegment } from '../../language/segments.ts';
import { terms } from '../../language/tokens.ts';
import { holdsActiveMarkup } from '../../markdown/active-markup.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import type { ConfidenceFeatures } from './answer-confidence.ts';
import type { PromptPassage } from './prompt.ts';

export interface Extract {
  /** Number of the passage. */
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
}

export interface ExtractInput {
  readonly question: string;
  /** Best first. */
  readonly passages: readonly RankedPassage[];
  /** The question's words, as the search understood them. */
  readonly asked: readonly QueryTerm[];
}

export interface Extracted {
  /** In reading order. */
  readonly extracts: readonly Extract[];
  /** What tells how surely the best of them answers. */
  readonly features: ConfidenceFeatures;
}

/** Besides what the best sentence leans on. */
const maxSentences = 2;
const maxSteps = 5;
/** Least share of the best sentence's score for a further one: in the same passage, and in another, where it may be about something else. */
const minShareOfBest = 0.7;
const minShareElsewhere = 0.8;
/** Least share of the question that it has to say and the best does not: what only comes near says the same again (bench/README.md, padding). */
const minAdded = 0.1;
/** What the rank of a passage adds to each of its sentences: this much for the best passage, less by its share of the best score. */
const passageWeight = 0.6;
/** What words of the question add that stand as near to each other in the sentence as in the question. */
const orderWeight = 0.1;
const nearTerms = 5;
/** What a sentence loses that has no figure, or no price, where the question asks for one. */
const kindWeight = 0.2;
/** What a table row adds that is about what is asked, and a sentence that begins with the thing of which it is asked what it is. */
const subjectWeight = 0.35;
const asksWhatItIs = /^\W*(?:what|who)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:an?|the)\s+)?\S+(?:\s\S+){0,2}$/i;
/** Words with which a sentence begins. */
const leadingTerms = 3;
/** A sentence that asks or only announces something, or points elsewhere, is not quoted. */
const unquotable =
  /\bNO_ANSWER\b|^\W{0,4}sources\b|[:：]$|[?？][*_"”]*$|\uFFFD|<!--|-->|^\W*(?:see|read|refer to|check out)\b.{0,200}\b(?:for (?:more|further|an? example|examples|details)|details|above|below)\b[^.]{0,40}\.?\W*$/iu;
const maxUnitChars = 600;
const maxCodeLines = 12;

const asksForSteps =
  /\bhow (?:do|can|could|to|would|should|does)\b|\bsteps?\b|\bwie (?:kann|können|mach\p{L}*|geht|richt\p{L}*)\b|\bcomment\b|\bcómo\b|\bcome\b|\bcomo\b|\bhoe (?:kan|doe|moet)\b|как|どうやって|方法|如何|怎么|어떻게/iu;
const asksForFigure =
  /\bhow (?:long|soon|fast|quickly|many|much|often|big|large|far|high|old)\b|\bwhen\b|\b(?:what|which) (?:time|date|day|year|percentage)\b|\b(?:price|costs?|fee|limit|maximum|minimum|deadline)\b|\bwie (?:lange?|viele?|oft|teuer)\b|\bwann\b|\bcombien\b|\bquand\b|\bcuánt[oa]s?\b|\bcuándo\b|いくら|何[日分時人年回]|いつ|多少|多久|几/iu;
const figure =
  /\p{N}|[$€£¥]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|daily|weekly|monthly|annually|immediately|unlimited|free|once|twice)\b/iu;

const asksForPrice =
  /\bhow (?:much|expensive)\b(?! (?:time|notice|storage|space|memory|data|traffic))|\b(?:price|costs?|fee|fees|charge)\b|\bwas kostet|\bwie teuer\b|\bcombien coûte|\bcuánto (?:cuesta|vale)|いくら|料金|多少钱/iu;
const price =
  /[$€£¥%]|\b(?:eur|usd|gbp|euros?|dollars?|pounds?|cents?|free|included|kostenlos|gratis|gratuit\p{L}*|no charge)\b|円|元|無料/iu;

/** A beginning that only says something together with the sentence before. */
const leansBack =
  /^\W{0,3}(?:(?:this|these|those|that|it|they|such|its|their|there)\s|(?:therefore|thus|hence|however|otherwise|instead|so|then|but|also|in (?:this|that|such)|after (?:this|that)|for (?:this|that))\b|(?:dies\p{L}{0,2}|er|sie|es|deshalb|daher|jedoch|sonst)\s|(?:cela|ceci|il|elle|ils|elles|cependant)\s|(?:esto|eso|sin embargo)\s)/iu;

interface Candidate extends Extract {
  readonly score: number;
  /** Of the question, with what stands above it, 0 to 1. */
  readonly share: number;
  /** It is about what is asked as a whole, and not only says words of it. */
  readonly isOfSubject: boolean;
  readonly order: number;
  /** Says something of the question by itself. */
  readonly isAbout: boolean;
  /** Of each asked word how surely the sentence says it, with what stands above. */
  readonly said: Said;
}

/** Per asked word how surely some text says it, 0 to 1. */
type Said = readonly number[];

const isQuotable = (text: string, { kind }: TextSegment): boolean =>
  !unquotable.test(text) &&
  !holdsActiveMarkup(text) &&
  !isAddressedToModel(text) &&
  text.length <= maxUnitChars &&
  (kind !== 'code' || (text.split('\n').length <= maxCodeLines && !text.includes('```')));

function saidIn(text: string, language: Language, asked: readonly QueryTerm[]): Said {
  const held = new Set(terms(text, language));
  return asked.map(({ forms }) => forms.reduce((most, { term, weight }) => (weight > most && held.has(term) ? weight : most), 0));
}

const most = (...some: readonly Said[]): Said => (some[0] ?? []).map((_, word) => Math.max(...some.map((said) => said[word] ?? 0)));

/** Share of neighbouring words of the question that stand near each other in a text. */
function orderIn(text: string, language: Language, asked: readonly QueryTerm[]): number {
  const places = new Map<string, number>();
  for (const [at, term] of [...terms(text, language)].entries()) if (!places.has(term)) places.set(term, at);
  const first = asked.map(({ forms }) => Math.min(...forms.map(({ term }) => places.get(term) ?? Number.POSITIVE_INFINITY)));
  const near = first.filter((at, word) => Math.abs(at - (first[word + 1] ?? Number.POSITIVE_INFINITY)) <= nearTerms);
  return near.length / Math.max(1, asked.length - 1);
}

/** Whether a unit is about what is asked: its row, by the first cell, or the sentence that says what it is. */
function hasSubject({ question, asked }: Scale, text: string, kind: Extract['kind'], language: Language): boolean {
  const isAsked = (held: string) => asked.some(({ forms }) => forms.some(({ term }) => term === held));
  if (kind !== 'row')
    return kind === 'sentence' && asksWhatItIs.test(question) && [...terms(text, language)].slice(0, leadingTerms).some(isAsked);
  const first = [...terms(text.split('|').find((cell) => cell.trim() !== '') ?? '', language)];
  return first.length > 0 && first.every(isAsked);
}

interface Scale {
  readonly question: string;
  readonly asked: readonly QueryTerm[];
  /** Score of the best passage. */
  readonly bestPassage: number;
}

/** Every sentence that says something of what is asked, with its score. */
function candidatesIn(passage: RankedPassage, scale: Scale): Candidate[] {
  const { question, asked, bestPassage } = scale;
  const { text, label, language, number } = passage;
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  const shareOf = (said: Said) => said.reduce((sum, share, word) => sum + share * (asked[word]?.idf ?? 0), 0) / whole;
  const hasOwn = asked.some(({ isBackground }) => !isBackground);
  const ofLabel = saidIn(label, language, asked);
  const lacksKind = (own: string) => (asksForPrice.test(question) ? !price.test(own) : asksForFigure.test(question) && !figure.test(own));
  let lead: Said = asked.map(() => 0);
  return [...segments(text)].flatMap((unit, position): Candidate[] => {
    const own = text.slice(unit.start, unit.end);
    // A row says nothing without what stands over its columns.
    const said = saidIn(unit.header ? `${text.slice(unit.header.start, unit.header.end)}\n${own}` : own, language, asked);
    const announced = lead;
    // A question stands above its answer, what ends in a colon above each item of its list.
    if (/[?？:：][*_"”]*$/.test(own)) lead = said;
    else if (unit.kind === 'sentence') lead = asked.map(() => 0);
    const all = most(said, ofLabel, announced);
    // What was asked before makes no answer to what is asked now.
    const isAsked = all.some((share, word) => share > 0 && (!hasOwn || asked[word]?.isBackground !== true));
    if (!isAsked || !isQuotable(own, unit)) return [];
    const share = shareOf(all);
    const isOfSubject = hasSubject(scale, own, unit.kind, language);
    const score =
      (shareOf(said) + share) / 2 +
      orderWeight * orderIn(own, language, asked) +
      (isOfSubject ? subjectWeight : 0) -
      (lacksKind(own) ? kindWeight : 0) +
      (passageWeight * passage.score) / bestPassage;
    const isAbout = [...said, ...announced].some((one) => one > 0);
    const extract = { number, text: own, kind: unit.kind, marker: unit.marker };
    return [{ ...extract, score, share, isOfSubject, order: number * 10_000 + position, isAbout, said: all }];
  });
}

/** The best, and another sentence that adds what was asked and is not about something else: it holds the names that the best holds. @param ranked best first */
function withFurther(ranked: readonly Candidate[], best: Candidate, asked: readonly QueryTerm[]): Candidate[] {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  const names = asked.flatMap(({ isName }, word) => (isName && (best.said[word] ?? 0) > 0 ? [word] : []));
  const added = ({ said }: Candidate) =>
    said.reduce((sum, share, word) => sum + Math.max(0, share - (best.said[word] ?? 0)) * (asked[word]?.idf ?? 0), 0) / whole;
  const isNear = ({ number, score }: Candidate) => score >= best.score * (number === best.number ? minShareOfBest : minShareElsewhere);
  const further = ranked.filter(
    (one) =>
      one.isAbout &&
      (one.isOfSubject || !best.isOfSubject || one.number === best.number) &&
      names.every((word) => (one.said[word] ?? 0) > 0) &&
      isNear(one) &&
      added(one) >= minAdded,
  );
  return [best, ...further.slice(0, maxSentences - 1)];
}

/** What the best sentence leans on, where that is a sentence that can be quoted. */
function leanedOn(best: Candidate, { text, number }: RankedPassage): Candidate[] {
  if (best.kind !== 'sentence' || !leansBack.test(best.text)) return [];
  const units = [...segments(text)];
  const at = best.order % 10_000;
  const before = units[at - 1];
  const own = before && text.slice(before.start, before.end);
  if (!before || own === undefined || before.kind !== 'sentence' || !isQuotable(own, before)) return [];
  return [{ ...best, number, text: own, order: best.order - 1 }];
}

const isStep = ({ kind, marker }: Extract) => kind === 'item' && marker !== undefined && /^\d/.test(marker);

/** Of a numbered list the steps that follow one another about the best: one step alone is no way to do something. */
function stepsAround(best: Candidate, candidates: readonly Candidate[]): Candidate[] {
  if (!isStep(best)) return [];
  const at = (order: number) => candidates.find((one) => one.order === order && isStep(one));
  const steps = [best];
  for (let before = at(best.order - 1); before && steps.length < maxSteps; before = at(before.order - 1)) steps.unshift(before);
  for (let after = at(best.order + 1); after && steps.length < maxSteps; after = at(after.order + 1)) steps.push(after);
  return steps;
}

/** Of what is asked now, 0 to 1. */
function shareOfOwn(said: Said, asked: readonly QueryTerm[]): number {
  const weights = asked.map(({ idf, isBackground }) => (isBackground ? 0 : idf));
  return said.reduce((sum, one, word) => sum + one * (weights[word] ?? 0), 0) / weights.reduce((sum, weight) => sum + weight, 0);
}

/** @returns undefined where no sentence says anything of what is asked */
export function extractAnswer({ question, passages, asked }: ExtractInput): Extracted | undefined {
  const known = asked.filter(({ idf }) => idf > 0);
  if (passages.length === 0 || known.length === 0) return undefined;
  const bestPassage = Math.max(...passages.map(({ score }) => score));
  const candidates = passages.flatMap((passage) => candidatesIn(passage, { question, asked: known, bestPassage }));
  const ranked = candidates.sort((a, b) => b.score - a.score || a.order - b.order);
  const [best] = ranked;
  if (!best) return undefined;
  const place = passages.findIndex(({ number }) => number === best.number);
  // What was asked before helps to find the sentence, and is no answer.
  const own = known.filter(({ isBackground }) => isBackground !== true);
  const share = own.length === 0 ? best.share : shareOfOwn(best.said, known);
  const steps = asksForSteps.test(question) ? stepsAround(best, ranked) : [];
  const chosen = steps.length > 1 ? steps : withFurther(ranked, best, known);
  const before = leanedOn(best, passages[place] as RankedPassage).filter(({ order }) => chosen.every((one) => one.order !== order));
  return {
    extracts: [...before, ...chosen]
      .sort((a, b) => a.order - b.order)
      .map(({ number, text, kind, marker }) => ({ number, text, kind, marker })),
    features: {
      share,
      said: Math.log(1 + share * (own.length || 1)),
      rank: 1 / (place + 1),
    },
  };
}
