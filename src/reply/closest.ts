/** Chooses the closest excerpts of passages for a question without an answer. */

import type { Place } from '../../packages/grounding/src/rules.ts';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { isShowable, shownAs } from '../../packages/grounding/src/shown-sentence.ts';
import type { Span } from '../../packages/shared/src/language/invisible.ts';
import { segments, type TextSegment } from '../../packages/shared/src/language/segments.ts';
import { withoutTemplateTags } from '../../packages/shared/src/markdown/template-tags.ts';
import { citedAt, type Passage } from '../documents/document.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import { surprisalOf } from '../search/word-frequency.ts';
import { type CheckedPassage, plainOffset } from './checked-passage.ts';
import { kindOf, type QuestionKind } from './question-kind.ts';
import {
  maxWeights,
  type RankedText,
  shareOf,
  type Unit,
  unitsFor,
  type WordWeights,
  wordWeightsIn,
} from './rank-units.ts';
import { passageLabelOf } from './sources.ts';

// An excerpt is one line: links become their labels, table rows "header: value". It contains no
// active markup, template tags or prompt injections.

/**
 * Maximum shown characters per excerpt, so that three excerpts with their marks have at most 900.
 */
const maxExcerptChars = 292;
const maxLeadChars = 120;

const cell = /(?<!\\)\|/;
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(cell)
    .map((one) => one.replace(/\\\|/g, '|').trim());

/** Renders a table row with its header: `Plan: Starter; Price: $15`. */
export function rowAsText(row: string, header: string): string {
  const names = cellsOf(header).map((name) => name.replace(/[*_]{1,3}/g, ''));
  const pairs = cellsOf(row).map((value, at) => ({ name: names[at] ?? '', value }));
  return pairs
    .filter(({ value }) => /[\p{L}\p{N}\p{S}]/u.test(value))
    .map(({ name, value }) => (name === '' || name === value ? value : `${name}: ${value}`))
    .join('; ');
}

const link =
  /!?\[([^[\]]{0,300})\]\(\s{0,3}<?[^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?>?(?:\s{1,3}["'][^"'\n]{0,300}["'])?\s{0,3}\)/g;
const tag = /<\/?[a-z][^<>]{0,500}>/gi;
const autolink = /<((?:https?:\/\/|mailto:)[^<>\s]{1,500}|[^<>\s@]{1,100}@[^<>\s]{1,200})>/g;
const footnote = /\[\^[^[\]\s]{1,40}\]/g;

/** Removes links, tags and template tags, but not in code spans. */
const bare = (text: string): string =>
  withoutTemplateTags(text)
    .split(/(`[^`\n]{1,500}`)/)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replace(autolink, '$1').replace(tag, ' ').replace(footnote, ''),
    )
    .join('')
    .replace(link, '$1');

function asCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.includes('`') ? line.replace(/`/g, "'") : `\`${line}\``;
}

/** Renders a unit on one line; empty if it may not be shown. @param header header of a row */
function shownUnit(text: string, kind: TextSegment['kind'], header = ''): string {
  const line =
    kind === 'code'
      ? asCode(shownAs(text, kind))
      : shownAs(kind === 'row' ? rowAsText(bare(text), bare(header)) : bare(text), 'sentence');
  const shown = line
    .replace(/\s+/g, ' ')
    .replace(/^(?:>\s*|#{1,6}\s+)+/, '')
    .trim();
  return isShowable(shown) && !/<[a-z!/?]/i.test(shown.replace(/`[^`]*`/g, '')) ? shown : '';
}

function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 1);
  const at = cut.lastIndexOf(' ');
  const kept = at > maxChars / 2 ? cut.slice(0, at) : cut;
  // Closes a code span that the cut opened.
  const isOpen = (kept.split('`').length - 1) % 2 === 1;
  return `${kept.replace(/[\s,;:.]+$/, '').replace(/[\uD800-\uDBFF]$/, '')}…${isOpen ? '`' : ''}`;
}

type Piece = Readonly<{ start: number; end: number }>;

const separatorChars = 3;

function shownLead(text: string, lead: TextSegment): string {
  const shown = shownUnit(text.slice(lead.start, lead.end), lead.kind);
  return shown.length > maxLeadChars ? '' : shown;
}

const leadLength = (text: string, lead: TextSegment | undefined): number =>
  lead === undefined ? 0 : shownLead(text, lead).length + separatorChars;

/**
 * Renders units within a span on one line. @param lead sentence above the span that introduces them
 */
function excerptOf(
  text: string,
  units: readonly TextSegment[],
  { start, end }: Piece,
  lead?: TextSegment,
): string {
  const inside = units.filter((unit) => unit.start < end && unit.end > start);
  const shown = inside.flatMap(({ kind, header, ...unit }) => {
    const [from, to] =
      kind === 'row'
        ? [unit.start, unit.end]
        : [Math.max(start, unit.start), Math.min(end, unit.end)];
    const line = shownUnit(
      text.slice(from, to),
      kind,
      header && text.slice(header.start, header.end),
    );
    return line === ''
      ? []
      : [`${from > unit.start ? '… ' : ''}${line}${to < unit.end ? ' …' : ''}`];
  });
  const above = lead && lead.end <= start ? shownLead(text, lead) : '';
  const led = above === '' || shown.length === 0 ? shown : [above, ...shown];
  const whole = joined(led, inside);
  return isShowable(whole) ? shortened(whole, maxExcerptChars) : '';
}

/** Separates list items and rows, which may end without a stop. */
const joined = (lines: readonly string[], units: readonly TextSegment[]): string => {
  const isList = units.some(({ kind }) => kind === 'item' || kind === 'row');
  return lines.reduce(
    (whole, line) =>
      whole === ''
        ? line
        : `${whole}${isList && !/[.!?:;…。！？]$/.test(whole) ? ' ·' : ''} ${line}`,
    '',
  );
};

const maxExcerpts = 3;
/** Maximum characters of the stored text, in which links include their addresses. */
const maxQuoteChars = 600;
const passageWeight = 0.2;
const gainWeight = 0.2;
const kindWeight = 0.3;
const ellipsisChars = 2;
/** A shorter part of a unit is useless. */
const minCutChars = 60;

/**
 * A passage is about the question if it contains this share of its information, or this many of its
 * words.
 */
const minInformationShare = 0.4;
const minWords = 2;
/** Surprisal of a word in bits, scaled to 0–1 between these bounds. */
const minBits = 8;
const maxBits = 18;
const minInformation = 0.2;
const informationOf = ({ word, idf }: QueryTerm): number =>
  (idf + 2) *
  Math.min(1, Math.max(minInformation, (surprisalOf(word) - minBits) / (maxBits - minBits)));

type Checked = Pick<CheckedPassage, 'passage' | 'plain'>;

type Run = Readonly<{ units: readonly Unit[]; place: Place; said: WordWeights; score: number }>;

export const labelAt = ({ passage, plain }: Checked): ((offset: number) => string) => {
  const label = (at: number) =>
    passageLabelOf(citedAt(passage, passage.start + plain.storedSpan(at, at + 1).start));
  return passage.sections ? label : () => passageLabelOf(passage);
};

/** Returns offsets at which a unit may be cut: not inside a link or code. */
function cutsOf({ segment: { kind }, text }: Unit): number[] {
  const masked = text.replace(/\[[^[\]]{0,300}\]\([^()\s]{0,2000}\)|`[^`\n]{1,500}`/g, (whole) =>
    whole.replace(/\s/g, '_'),
  );
  return [...masked.matchAll(kind === 'code' ? /\n/g : /\s/g)].map(({ index }) => index + 1);
}

/** Returns the end of a unit cut to `room` characters, or `from` if it cannot be cut. */
function cutEnd(unit: Unit, from: number, room: number): number {
  if (from + room >= unit.text.length) return unit.text.length;
  return unit.segment.kind === 'row'
    ? from
    : unit.text
        .slice(0, cutsOf(unit).findLast((at) => at > from && at <= from + room) ?? from)
        .trimEnd().length;
}

/** Returns the span of a long unit with most question words, at most one excerpt long. */
function spanWithin(unit: Unit, terms: ReadonlySet<string>): Span {
  const { segment, text } = unit;
  const { start, end, kind } = segment;
  if (kind === 'row' || end - start <= maxExcerptChars) return { start, end };
  const room = maxExcerptChars - 2 * ellipsisChars;
  const lower = text.toLowerCase();
  const hits = [...terms].map((term) => lower.indexOf(term.slice(0, 5))).filter((at) => at >= 0);
  const holds = (from: number) => hits.filter((at) => from <= at && at < from + room).length;
  // Includes some text before the first hit.
  const first = hits.length === 0 ? 0 : Math.max(0, Math.min(...hits) - room / 3);
  const cuts = [0, ...cutsOf(unit)];
  const from = cuts.reduce(
    (best, at) =>
      holds(at) > holds(best) || (holds(at) === holds(best) && at <= first) ? at : best,
    0,
  );
  const to = cutEnd(unit, from, room);
  return {
    start: start + from,
    end: start + (to > from ? to : Math.min(text.length, from + room)),
  };
}

/**
 * Returns the end of the run that begins at a unit, and its last unit, which may be cut. @param
 * lengths shown length of each unit
 */
function runEnd(
  units: readonly Unit[],
  at: number,
  span: Span,
  lengths: readonly number[],
): { readonly last: number; readonly end: number } {
  let [last, length, end] = [at, lengths[at] ?? 0, span.end];
  for (let next = at + 1; next < units.length && end === units[last]?.segment.end; next++) {
    const unit = units[next] as Unit;
    if (unit.label !== units[at]?.label || unit.segment.end - span.start > maxQuoteChars) break;
    const room = maxExcerptChars - length - separatorChars;
    length += separatorChars + (lengths[next] ?? 0);
    const cut =
      length <= maxExcerptChars ? unit.text.length : cutEnd(unit, 0, room - ellipsisChars);
    if (cut < unit.text.length && cut < minCutChars) break;
    [last, end] = [next, unit.segment.start + cut];
  }
  return { last, end };
}

function scoreOf(run: readonly Unit[], { asked, kind, passageShare }: Question): number {
  const [own, said] = [
    maxWeights(...run.map((unit) => unit.own)),
    maxWeights(...run.map((unit) => unit.said)),
  ];
  const peak = Math.max(...run.map(({ score }) => score));
  const lacksKind = kind !== undefined && !run.some(({ hasKind }) => hasKind);
  return (
    (shareOf(own, asked) + shareOf(said, asked)) / 2 +
    passageWeight * passageShare +
    peak -
    (lacksKind ? kindWeight : 0)
  );
}

/** Returns, for each unit, the longest run that begins with it and fits into an excerpt. */
function runsIn(units: readonly Unit[], { plain: { text } }: Checked, question: Question): Run[] {
  const headerOf = ({ segment: { header } }: Unit) =>
    header && text.slice(header.start, header.end);
  const lengths = units.map(
    (unit) => shownUnit(unit.text, unit.segment.kind, headerOf(unit)).length,
  );
  return units.flatMap((first, at): Run[] => {
    if (lengths[at] === 0) return [];
    const span = spanWithin(first, question.terms);
    const led = lengths.with(at, (lengths[at] ?? 0) + leadLength(text, first.lead));
    const { last, end } = runEnd(units, at, span, led);
    const run = units.slice(at, last + 1);
    const place = { passage: first.position, start: span.start, end };
    return [
      {
        units: run,
        place,
        said: maxWeights(...run.map((unit) => unit.said)),
        score: scoreOf(run, question),
      },
    ];
  });
}

interface Question {
  readonly asked: readonly QueryTerm[];
  readonly kind: QuestionKind | undefined;
  readonly terms: ReadonlySet<string>;
  readonly passageShare: number;
}

/** Chooses the best run, then runs that add most question words to the chosen ones. */
function chosenOf(
  runs: readonly Run[],
  asked: readonly QueryTerm[],
  isShown: (run: Run) => boolean,
): Run[] {
  const chosen: Run[] = [];
  const isAsked = ({ said }: Run) => said.some((share) => share > 0);
  let left = runs.some(isAsked) ? runs.filter(isAsked) : [...runs];
  while (chosen.length < maxExcerpts && left.length > 0) {
    const held =
      chosen.length === 0 ? asked.map(() => 0) : maxWeights(...chosen.map(({ said }) => said));
    const worth = ({ said, score }: Run) =>
      score + gainWeight * (shareOf(maxWeights(held, said), asked) - shareOf(held, asked));
    const values = left.map(worth);
    const best = left[values.indexOf(Math.max(...values))] as Run;
    if (isShown(best)) chosen.push(best);
    left = left.filter(
      ({ place }) =>
        place.passage !== best.place.passage ||
        place.end <= best.place.start ||
        place.start >= best.place.end,
    );
  }
  return chosen;
}

export const textsOf = (passages: readonly Checked[]): RankedText[] =>
  passages.map((checked) => {
    const { passage, plain } = checked;
    // Records of other systems have no excerpts.
    return {
      text: passage.isRecord ? '' : plain.text,
      language: passage.document.textLanguage,
      score: passage.score,
      labelAt: labelAt(checked),
    };
  });

/** Whether a passage shares informative words with the question, not only everyday ones. */
export function shareInformativeWords(
  passages: readonly Checked[],
  all: readonly QueryTerm[],
): boolean {
  // Words of earlier questions do not count.
  const own = all.filter(({ isBackground }) => !isBackground);
  const asked = own.length > 0 ? own : all;
  const whole = asked.reduce((sum, term) => sum + informationOf(term), 0);
  return textsOf(passages).some(({ text, language, labelAt: label }) => {
    const said = wordWeightsIn(`${label(0)}\n${text}`, language, asked);
    const held = said.reduce(
      (sum, share, word) => sum + share * informationOf(asked[word] as QueryTerm),
      0,
    );
    return (
      (held > 0 && held >= minInformationShare * whole) ||
      said.filter((share) => share > 0.5).length >= minWords
    );
  });
}

export function closestPlaces(
  passages: readonly Checked[],
  asked: readonly QueryTerm[],
  question = '',
): Place[] {
  const known = asked.filter(({ idf }) => idf > 0);
  const texts = textsOf(passages);
  const best = Math.max(...texts.map(({ score }) => score));
  const terms = new Set(known.flatMap(({ forms }) => forms.map(({ term }) => term)));
  const units = unitsFor(texts, { text: question, asked: known });
  const runs = passages.flatMap((checked, position) => {
    const passageShare = (texts[position]?.score ?? 0) / best;
    const own = units.filter((unit) => unit.position === position);
    return runsIn(own, checked, { asked: known, kind: kindOf(question), terms, passageShare });
  });
  const isShown = ({ units: [first, ...rest], place }: Run) => {
    const segmentsOf = [first as Unit, ...rest].map(({ segment }) => segment);
    return excerptOf(texts[place.passage]?.text ?? '', segmentsOf, place, first?.lead) !== '';
  };
  return chosenOf(runs, known, isShown).map(({ place }) => place);
}

/** Returns the citation of a place, with the heading path of its section. */
export function citationAt({ passage, plain }: Checked, { start, end }: Place, index: number) {
  const stored = plain.storedSpan(start, end);
  const from = passage.start + stored.start;
  return {
    index,
    passage: citedAt(passage, from),
    quote: passage.text.slice(stored.start, stored.end),
    start: from,
    end: passage.start + stored.end,
  };
}

/** Renders the excerpt at stored offsets; empty if no unit of the passage is there. */
export function excerptAt(passage: Passage, start: number, end: number): string {
  const plain = toPlainPassage(passage.text);
  const units = [...segments(plain.text)];
  const isInside = ({ start: from, end: to }: TextSegment) => {
    const stored = plain.storedSpan(from, to);
    return passage.start + stored.start < end && passage.start + stored.end > start;
  };
  const first = units.findIndex(isInside);
  const inside = units.filter(isInside);
  if (first < 0) return '';
  const offsetOf = (stored: number) => plainOffset(plain, stored - passage.start);
  const label = labelAt({ passage, plain });
  const lead =
    units[first]?.kind === 'item'
      ? units.slice(0, first).findLast(({ kind }) => kind === 'sentence')
      : undefined;
  const isLead =
    lead &&
    /[:：?？][*_"”]*$/.test(plain.text.slice(lead.start, lead.end)) &&
    label(lead.start) === label(units[first]?.start ?? 0);
  return excerptOf(
    plain.text,
    inside,
    { start: offsetOf(start), end: offsetOf(end) },
    isLead ? lead : undefined,
  );
}
