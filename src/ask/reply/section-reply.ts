/**
 * Quotes the sections that a question is about, without a model.
 */
import type { Place } from '../../../packages/grounding/src/rules.ts';
import {
  fold,
  type Language,
  languageOf,
} from '../../../packages/shared/src/language/languages.ts';
import { contentWords, rawWords, terms } from '../../../packages/shared/src/language/tokens.ts';
import type { Passage } from '../../documents/document.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import { doOverlap, plainPassageOf } from './checked-passage.ts';
import {
  announces,
  type Section,
  type SectionBlock,
  sectionsOf,
  sentencesOf,
} from './section-blocks.ts';

export type QuotedSection = Readonly<{
  /** Offsets in the plain text of the passage. */
  place: Place;
  /** Heading path in bold, then whole blocks. */
  text: string;
  /** Whether the question repeats its heading, or is its FAQ question. */
  isAsked: boolean;
  /** Whether it continues the section before it, whose heading it shares. */
  isRest?: boolean;
}>;

type Asked = readonly QueryTerm[];
/** Per question word: the weight of its best form in a text, 0 to 1. */
type Weights = readonly number[];

const firstChars = 1_000;
const furtherChars = 400;
const maxSections = 3;
const maxRows = 12;

/** How well a text holds each word of a question. */
export function weightsIn(text: string, language: Language, asked: Asked) {
  const held = new Set(terms(text, language));
  return asked.map(({ forms }) =>
    forms.reduce((best, { term, weight }) => (weight > best && held.has(term) ? weight : best), 0),
  );
}
const shareOf = (held: Weights, asked: Asked) =>
  held.reduce((sum, weight, word) => sum + weight * (asked[word]?.idf ?? 0), 0) /
  (asked.reduce((sum, { idf }) => sum + idf, 0) || 1);

/** Share of the best row's score with which another row matches. */
const minShareOfBest = 0.8;

const rowsOf = ({ kind, text }: SectionBlock) =>
  kind === 'table' ? text.split('\n').slice(2) : [];

/** What the blocks of a section are cut to. `room`: in characters. */
type Frame = Readonly<{ passage: Passage; room: number; asked: Asked; isAsked: boolean }>;

/**
 * Cuts a table to its header and the rows that match about as well as the best one. Without such
 * rows it keeps the first ones, if the section is asked for as a whole.
 */
function matchingRows(block: SectionBlock, frame: Frame) {
  const { passage, asked, isAsked } = frame;
  const [header = '', dashes = ''] = block.text.split('\n');
  const rows = rowsOf(block).map((text, at) => {
    const held = weightsIn(text, passage.document.textLanguage, asked);
    return { at, text, share: shareOf(held, asked) };
  });
  const best = Math.max(...rows.map(({ share }) => share));
  if (best === 0 && !isAsked) return [];
  const kept = new Set<number>();
  let room = frame.room - header.length - dashes.length;
  for (const { at, text, share } of rows.toSorted((a, b) => b.share - a.share)) {
    room -= text.length + 1;
    if (share < minShareOfBest * best || room < 0 || kept.size === maxRows) break;
    kept.add(at);
  }
  if (kept.size === 0) return [];
  const text = [header, dashes, ...rows.filter(({ at }) => kept.has(at)).map((row) => row.text)];
  return [{ ...block, ...placeOfRows(block, passage, kept), text: text.join('\n') }];
}

/** From the first to the last of some rows of a table, which follow its header and the frame. */
function placeOfRows({ start, end }: SectionBlock, passage: Passage, rows: ReadonlySet<number>) {
  const written = plainPassageOf(passage).text.slice(start, end);
  const ends = [...written.matchAll(/\n|$/g)].map(({ index }) => start + index);
  const before = ends[Math.min(...rows) + 1] ?? start - 1;
  return { start: before + 1, end: ends[Math.max(...rows) + 2] ?? end };
}

/** Cuts a block to the budget: rows of a table, or whole sentences. */
function fitting(block: SectionBlock, frame: Frame) {
  const { kind, text, start } = block;
  // A table that begins in an earlier passage is long.
  const isShort = rowsOf(block).length <= maxRows && !(frame.passage.tableHeader && start === 0);
  if (text.length <= frame.room && isShort) return [block];
  if (kind === 'code') return [];
  return kind === 'table' ? matchingRows(block, frame) : sentencesOf(block, frame.passage);
}

/** A table behind one with the same header continues it. */
const shownAfter = (before: SectionBlock | undefined, block: SectionBlock) => {
  const { kind, text, cutFrom } = block;
  if (!before) return text;
  const isSame = before.kind === kind;
  if (isSame && kind === 'table' && headerOf(before.text) === headerOf(text))
    return `\n${rowsOf(block).join('\n')}`;
  if (cutFrom && cutFrom === before.cutFrom) return ` ${text}`;
  return `${isSame && kind === 'item' ? '\n' : '\n\n'}${text}`;
};
const headerOf = (table: string) => table.slice(0, table.indexOf('\n'));

/** The best sequence of whole blocks in a section, with what leads it. */
type Window = QuotedSection &
  Readonly<{
    passage: Passage;
    score: number;
  }>;

const blockWeight = 0.85;
const rowWeight = 0.15;
const rankWeight = 0.6;
const askedWeight = 2;

const leadsOf = ({ lead }: SectionBlock): SectionBlock[] => (lead ? [...leadsOf(lead), lead] : []);

/** An item is never quoted from its middle on. */
const isTorn = ({ kind, cutFrom }: SectionBlock, before: SectionBlock | undefined) =>
  kind === 'item' && cutFrom !== undefined && cutFrom === before?.cutFrom;

const isLeadOnly = (last: SectionBlock | undefined, units: readonly SectionBlock[]) =>
  last !== undefined &&
  ((last.kind !== 'code' && announces.test(last.text)) || units.some(({ lead }) => lead === last));

/** Returns the longest sequence from a block on that fits into the budget, with what leads it. */
function runFrom(units: readonly SectionBlock[], at: number, room: number) {
  const first = units[at] as SectionBlock;
  const run = leadsOf(first);
  let length = run.reduce((sum, { text }) => sum + text.length + 2, 0);
  for (const one of units.slice(at)) {
    length += one.text.length + 2;
    if (length > room + 2) break;
    run.push(one);
  }
  // What leads to nothing is left out.
  while (isLeadOnly(run.at(-1), units)) run.pop();
  return run.includes(first) && !isTorn(first, units[at - 1]) ? run : [];
}

/** Shown below the path of the section, or of the part that it begins with. */
function textOf([first, ...rest]: readonly SectionBlock[], sectionPath: string) {
  const blocks = first?.path === undefined ? [first as SectionBlock, ...rest] : rest;
  const texts = blocks.map((one, at) => shownAfter(blocks[at - 1], one));
  return `**${first?.path ?? sectionPath}**\n\n${texts.join('')}`;
}

function windowIn(section: Section, passage: Passage, budget: number, query: Query) {
  const language = passage.document.textLanguage;
  const room = budget - section.path.length - 6;
  const { asked } = query;
  const isAsked = query.isAsked(section, language);
  const asksForCode = isAsked || query.asksForCode(section, language);
  const units = section.blocks.flatMap((one) => fitting(one, { passage, room, asked, isAsked }));
  const held = new Map(
    units.map((one) => [one, weightsIn(`${one.lead?.text ?? ''} ${one.text}`, language, asked)]),
  );
  const label = weightsIn(section.path, language, asked);
  let best: Window | undefined;
  for (const at of units.keys()) {
    const run = runFrom(units, at, room);
    // Code alone answers no question in words.
    if (run.every(({ kind }) => kind === 'code' && !asksForCode)) continue;
    const said = [label, ...run.map((one) => held.get(one) ?? [])];
    // Each further block with a word counts less.
    const missed = asked.map((_, word) =>
      said.reduce((left, weights) => left * (1 - blockWeight * (weights[word] ?? 0)), 1),
    );
    const isNamed = run.some((one) => query.namesRow(one, language));
    const score = 1 - shareOf(missed, asked) + (isNamed ? rowWeight : 0);
    // A section that is asked for is quoted from its beginning.
    if (best && (isAsked || best.score >= score)) continue;
    best = {
      passage,
      place: { passage: section.passage, start: run[0]?.start ?? 0, end: run.at(-1)?.end ?? 0 },
      text: textOf(run, section.path),
      isAsked,
      score,
    };
  }
  return best;
}

const codeWords = /`|\b(?:code|snippet|command|script|curl|example|syntax|config\w*|json|yaml)\b/i;
const howTo = /^\P{L}*(?:how|wie|comment|cómo|come|como|hoe|как)\s/iu;

type Query = ReturnType<typeof queryOf>;

function queryOf(question: string, all: Asked) {
  const wordsOf = (text: string, language: Language) =>
    new Set(contentWords(text, language).map(({ term }) => term));
  // A few words do not show their language: it is that of the document then.
  const askedIn = (language: Language) => wordsOf(question, languageOf(question, language));
  const isRepeated = (own: ReadonlySet<string>, language: Language) =>
    own.size > 0 && own.isSubsetOf(askedIn(language));
  const isSameText = (heading: string) =>
    rawWords(fold(heading)).join(' ') === rawWords(fold(question)).join(' ');
  return {
    asked: all.filter(({ idf }) => idf > 0),
    /** Whether it names code, or asks how to do what the heading says. */
    asksForCode: ({ heading }: Section, language: Language) =>
      codeWords.test(question) ||
      (howTo.test(question) && isRepeated(wordsOf(heading, language), language)),
    /** Whether it names a row of a table by its first cell. */
    namesRow(block: SectionBlock, language: Language) {
      const cells = rowsOf(block).map((row) => wordsOf(row.split('|')[1] ?? '', language));
      return cells.some((cell) => isRepeated(cell, language));
    },
    /** Whether it repeats the heading, at most with words of the headings above it. */
    isAsked({ heading, path }: Section, language: Language) {
      const own = wordsOf(heading, language);
      const known = own.union(wordsOf(path, language));
      return isRepeated(own, language)
        ? askedIn(language).isSubsetOf(known)
        : own.size === 0 && isSameText(heading);
    },
  };
}

const headingOf = (text: string) => text.slice(0, text.indexOf('\n\n') + 2);

/** Share of the best score with which a section is shown, even if it has no further word. */
const nearlyBest = 0.9;

/**
 * Returns up to three sections, best first. Records of other systems are not quoted. @param isKnown
 * whether the user has read a place already
 */
export function quotedSections(
  passages: readonly Passage[],
  asked: Asked,
  question: string,
  isKnown: (place: Place) => boolean = () => false,
): QuotedSection[] {
  const bestScore = Math.max(...passages.map(({ score }) => score));
  const sections = passages.flatMap((passage, at) =>
    passage.isRecord ? [] : sectionsOf(passage, at),
  );
  const query = queryOf(question, asked);
  const windowsOf = (budget: number) =>
    sections.flatMap((section) => {
      const passage = passages[section.passage] as Passage;
      const window = windowIn(section, passage, budget, query);
      if (!window || isKnown(window.place)) return [];
      const rank = (rankWeight * passage.score) / bestScore + (window.isAsked ? askedWeight : 0);
      return [{ ...window, score: window.score + rank }];
    });
  const [first] = windowsOf(firstChars).toSorted((a, b) => b.score - a.score);
  if (!first) return [];
  const chosen = [first];
  const stored = ({ passage, place }: Window) => {
    const { start, end } = plainPassageOf(passage).storedSpan(place.start, place.end);
    return { document: passage.document, start: passage.start + start, end: passage.start + end };
  };
  const isShown = (one: Window) => chosen.some((known) => doOverlap(stored(known), stored(one)));
  const startOf = ({ passage }: Window) => passage.start;
  const idOf = ({ passage }: Window) => passage.document.id;
  /** The rest of a section that is asked for, in another passage. */
  const isRest = (one: Window) =>
    first.isAsked && one.isAsked && idOf(one) === idOf(first) && startOf(one) > startOf(first);
  const language = first.passage.document.textLanguage;
  const wordsOf = (text: string) => new Set(terms(text, language));
  const missing = wordsOf(question).difference(wordsOf(first.text));
  const others = windowsOf(furtherChars);
  const rest = others.filter(isRest).toSorted((a, b) => startOf(a) - startOf(b));
  const further = others
    .filter(
      ({ text, score }) =>
        score >= nearlyBest * first.score || !missing.isDisjointFrom(wordsOf(text)),
    )
    .toSorted((a, b) => b.score - a.score);
  for (const one of [...rest.slice(0, 1), ...further])
    if (chosen.length < maxSections && !isShown(one)) chosen.push(one);
  return chosen.map((one, at) => {
    const before = chosen[at - 1];
    const heading = headingOf(one.text);
    const isSame = before && idOf(before) === idOf(one) && headingOf(before.text) === heading;
    // A section that continues the one before it has no heading.
    return isSame ? { ...one, isRest: true, text: one.text.slice(heading.length) } : one;
  });
}
