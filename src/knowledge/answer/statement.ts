/**
 * A sentence → its clauses with what each one says: words by how telling they are, figures, units, names, and what turns it around. The
 * same for a sentence of an answer and for the sentences of a passage.
 */
import { fold, type Language } from '../text/languages.ts';
import { continuations, exceptions, joints } from '../text/lexicon/negations.ts';
import { isNameAt, wordMatches } from '../text/words.ts';
import { type Figure, figuresOf, impliedFigures } from './figures.ts';
import { measureAtStart } from './measures.ts';
import { figureWord, type Turns, turnsOf } from './turns.ts';
import { daysOfWork, factsOf, type WordFacts } from './word-facts.ts';

export interface Word {
  readonly term: string;
  readonly written: string;
  /** Of a compound; any of a plain word is the word. */
  readonly parts: readonly string[];
  /** How telling it is; 1 for a word of the trade. */
  readonly weight: number;
  readonly isName: boolean;
  /** Written with a capital, which may be because a sentence begins with it. */
  readonly isCapital: boolean;
  /** Opposites of which it says the side. */
  readonly pairs: readonly number[];
  /** Of the words of its text. */
  readonly position: number;
}

export interface Clause {
  readonly text: string;
  /** Telling words, each once. */
  readonly words: readonly Word[];
  /** Stems of all its words. */
  readonly terms: ReadonlySet<string>;
  readonly figures: readonly Figure[];
  /** Units and days, with a figure and without. */
  readonly measures: ReadonlySet<string>;
  readonly turns: Turns;
  /** Speaks of what the clause before it speaks of. */
  readonly continues: boolean;
  /** Takes something out of what the clause before it says. */
  readonly excepts: boolean;
  /** Only says when or why the next one holds. */
  readonly isCondition: boolean;
}

const nameWeight = 1.3;
const maxClauses = 400;
/** Pairs of characters that are endings and particles. */
const kanaPair = /^\p{Script=Hiragana}+$/u;
const kanaWeight = 0.4;
const kanaIn = /\p{Script=Hiragana}/u;

const setOf = (words: string | undefined) =>
  new Set(
    (words ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  );
const byLanguage = <T>(make: (language: Language) => T) => {
  const made = new Map<Language, T>();
  return (language: Language): T => {
    const found = made.get(language) ?? make(language);
    made.set(language, found);
    return found;
  };
};
const inLexicon = <T extends object>(lexicon: T, language: Language): T[keyof T] | undefined => lexicon[language as keyof T];
const conditions = setOf(
  'if, when, while, although, though, even, because, by, about, whether, wenn, falls, obwohl, si, quand, cuando, aunque',
);
const exceptionWords = setOf(exceptions);
/** A sentence that begins so speaks of what the sentence before it speaks of. */
const pronouns = setOf(
  'it, they, he, she, this, these, those, es, sie, er, dies, diese, il, elle, ils, elles, ce, esto, estos, este, ellos',
);
const continuationsOf = byLanguage((language) => setOf(inLexicon(continuations, language)));
const jointPattern = byLanguage((language) => {
  const words = [...setOf(inLexicon(joints, language) ?? joints.en)].sort((a, b) => b.length - a.length);
  return new RegExp(`[;()、，；：。]|[,:–—](?=\\s)|\\s-\\s|(?<=\\s)(?:${words.join('|')})(?=\\s)`, 'giu');
});
/** `June 16, 1972` is one date and `80 and 100 mph` one range. */
const isBetweenFigures = (text: string, { 0: joint, index }: RegExpExecArray): boolean =>
  /^(?:[,–—]|\p{L}+)$/u.test(joint) &&
  /\d\s?$/.test(text.slice(Math.max(0, index - 2), index)) &&
  /^\s+\d/.test(text.slice(index + joint.length, index + joint.length + 4));
/** `Identity and Access Management` is one name. */
const isInsideName = (text: string, { 0: joint, index }: RegExpExecArray): boolean =>
  joint === 'and' &&
  /(?:^|[\s(])\p{Lu}\p{Ll}+ $/u.test(text.slice(Math.max(0, index - 30), index)) &&
  /^ \p{Lu}\p{Ll}+ \p{Lu}/u.test(text.slice(index + 3, index + 40));
/** What is only joined hands a denial on: `cannot be refunded or exchanged`. */
const handsOn = /^(?:or|nor|oder|ou|o|of)$/i;

const joinsEquals = /^(?:and|or|und|oder|et|ou|y|o|e)$/i;

interface RawWord {
  readonly raw: string;
  readonly index: number;
  readonly facts: WordFacts;
}

/** `Anna Schmidt` is a name also where a sentence begins with it. */
const twoCapitals = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}/uy;
function beginsName(text: string, index: number, language: Language): boolean {
  twoCapitals.lastIndex = index;
  return language !== 'de' && twoCapitals.test(text);
}

/** Telling words of a clause. Of a script without spaces each pair of characters is one. */
function wordsIn(found: readonly RawWord[], text: string, turns: Turns, language: Language, first: number): Word[] {
  const seen = new Set<string>();
  const words: Word[] = [];
  const add = (
    written: string,
    term: string,
    parts: readonly string[],
    weight: number,
    isName: boolean,
    isCapital: boolean,
    offset: number,
  ) => {
    if (seen.has(term)) return;
    seen.add(term);
    words.push({ written, term, parts, weight, isName, isCapital, pairs: turns.at.get(offset) ?? [], position: first + offset });
  };
  for (const [offset, { raw, index, facts }] of found.entries()) {
    const [whole] = facts.terms;
    if (whole === undefined) continue;
    if (facts.isUnspaced) {
      for (const term of facts.terms)
        if (!kanaPair.test(term) && !/^\p{N}+$/u.test(term))
          add(term, term, [term], kanaIn.test(term) ? kanaWeight : 1, false, false, offset);
      continue;
    }
    if (facts.isSilent) continue;
    const { isCapital } = facts;
    const isName = isCapital && (beginsName(text, index, language) || isNameAt(text, index, raw, language));
    add(raw, whole, facts.parts, isName ? nameWeight : facts.weight, isName, isCapital, offset);
  }
  return words;
}

const calendarWords = /[月火水木金土日]曜|周[一二三四五六日末]|星期[一二三四五六日]|週末|平日|[每毎][日天周週月年]|[月年]額/gu;
const measured = /\p{Script=Han}|\p{Script=Katakana}/u;

/** Alone `second` is an order more often than a time. */
const perSecond = /\b(?:per|each|every|a)\s+second\b(?!\s+\p{L}*(?:time|chance|user|person|account|seat))|\/\s?s(?:ec)?\b/iu;

function measuresIn(found: readonly RawWord[], figures: readonly Figure[], text: string): Set<string> {
  const measures = new Set<string>(perSecond.test(text) ? ['s'] : []);
  for (const [order, { raw, facts }] of found.entries()) {
    const isOfUnit = !daysOfWork.test(raw) || (found[order + 1]?.facts.measures.length ?? 0) > 0;
    if (isOfUnit) for (const measure of facts.measures) measures.add(measure);
    if (facts.isUnspaced && measured.test(raw)) {
      for (const [written] of raw.matchAll(calendarWords)) {
        const measure = measureAtStart(written.replace(/^[每毎]|額$/u, ''));
        if (measure !== undefined) measures.add(measure);
      }
    }
  }
  for (const { units } of figures) for (const unit of units) measures.add(unit);
  return measures;
}

/** `(SASE)` behind the words whose initials it is says nothing more. */
function isAcronym(raw: string, initials: string): boolean {
  return (
    raw.length >= 2 && raw.length <= 8 && /^\p{Lu}[\p{Lu}\p{N}]*s?$/u.test(raw) && initials.includes(raw.replace(/s$/, '').toLowerCase())
  );
}

const capitals = /\p{Lu}{2}/u;

/** First letters of its words, with those of stop words and without. */
function initialsOf(raws: readonly RawWord[]): string {
  const letters = (words: readonly RawWord[]) =>
    words.flatMap(({ raw }) => raw.split('-').map((part) => part.charAt(0).toLowerCase())).join('');
  return `${letters(raws)} ${letters(raws.filter(({ facts }) => !facts.isSilent))}`;
}

/** @param whole in NFKC @param isPiecemeal false for a table row or code: one statement */
export function clausesOf(whole: string, language: Language, isPiecemeal = true): Clause[] {
  const cuts: { readonly at: number; readonly joint: string }[] = [{ at: 0, joint: '' }];
  if (isPiecemeal)
    for (const joint of whole.matchAll(jointPattern(language))) {
      if (isBetweenFigures(whole, joint) || isInsideName(whole, joint)) continue;
      cuts.push({ at: joint.index, joint: joint[0] });
      if (cuts.length === maxClauses) break;
    }
  const raws: RawWord[] = [...wordMatches(whole)].map(({ 0: raw, index }) => ({ raw, index, facts: factsOf(raw, language) }));
  const spelled = capitals.test(whole) ? initialsOf(raws) : '';
  const figures = [...figuresOf(whole, language), ...impliedFigures(whole, language)];
  const clauses: Clause[] = [];
  let from = 0;
  let denies = false;
  let held: number | undefined;
  for (const [order, { at: cut, joint }] of cuts.entries()) {
    const at = held ?? cut;
    const end = cuts[order + 1]?.at ?? whole.length;
    let to = from;
    while (to < raws.length && (raws[to]?.index ?? end) < end) to++;
    const found = raws.slice(from, to);
    const text = whole.slice(at, end);
    const own = figures.filter((figure) => figure.at >= at && figure.at < end);
    // `In 2018,` says when of what follows.
    if (own.length > 0 && cuts[order + 1]?.joint === ',' && found.every(({ facts }) => facts.isSilent)) {
      held ??= at;
      continue;
    }
    held = undefined;
    const first = from;
    from = to;
    if (found.length === 0) continue;
    const spoken = found.map(({ raw, index, facts }) =>
      own.some((figure) => figure.at >= index - 1 && figure.at < index + raw.length) ? figureWord : facts.spoken,
    );
    let turns = turnsOf(spoken, text, language);
    const starts = found.slice(0, 3).map(({ facts }) => facts.lower);
    const isJoint = joint !== '' && starts[0] === joint.toLowerCase();
    if (isJoint && handsOn.test(joint) && denies) turns = { ...turns, denies };
    denies = turns.denies;
    const opening = continuationsOf(language);
    const begins = spoken[isJoint ? 1 : 0];
    const turnsAtOnce = isJoint && begins !== undefined && turnsOf([begins], '', language).sides.size > 0;
    const words = wordsIn(found, whole, turns, language, first).filter(({ isName, written }) => !isName || !isAcronym(written, spelled));
    clauses.push({
      text,
      words,
      terms: new Set(found.flatMap(({ facts }) => facts.terms)),
      figures: own,
      measures: measuresIn(found, own, text),
      turns,
      continues:
        (clauses.length > 0 &&
          (words.length === 0 || opening.has(starts[0] ?? '') || turnsAtOnce || (isJoint && opening.has(starts[1] ?? '')))) ||
        (clauses.length === 0 && pronouns.has(starts[0] ?? '')),
      isCondition: conditions.has(starts[0] ?? '') || (isJoint && joinsEquals.test(joint) && clauses.at(-1)?.isCondition === true),
      excepts: isJoint && exceptionWords.has(fold(joint)),
    });
  }
  return clauses;
}
