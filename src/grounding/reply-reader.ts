/**
 * A model's reply → its sentences, as they come in. A sentence is given out when the model has begun the next one, or at once where its
 * citation ends it; the last one at the end. How the reply is cut into pieces on its way makes no difference to what is read.
 */
import { withoutInvisible } from '../language/invisible.ts';
import { segments, type TextSegment } from '../language/segments.ts';

export interface ReplySentence {
  readonly text: string;
  /** The same in pieces, each with the passages that it points to, where numbers stand inside the sentence. */
  readonly parts: readonly ReplyPart[];
  readonly kind: TextSegment['kind'];
  /** Of a list item. */
  readonly marker: string | undefined;
}

export interface ReplyPart {
  readonly text: string;
  /** Of the passages as the model saw them, from 1. */
  readonly numbers: readonly number[];
}

/** What lies beyond is not looked at: an answer of five sentences needs a fraction of it. */
const maxReplyChars = 20_000;
/** What has not become a sentence by then is none that a person reads. */
const maxHeldChars = 2_000;
/** After so many looks in vain it is looked at again only when it has grown by a tenth: abbreviations can look like ends for pages. */
const eagerLooks = 8;
const patientGrowth = 1.1;

const numbersPattern = String.raw`\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]`;
/** Citations, with what joins several: `[1], [2] and [3]`. */
const markers = new RegExp(String.raw`\s*${numbersPattern}(?:(?:\s|,|;|&|\b(?:and|und|et|y|e|en)\b){0,3}${numbersPattern})*`, 'g');
/** `… days. [1] Next` → `… days [1]. Next`, so that a marker belongs to the sentence it follows; a space before the stop goes with it. */
const markerAfterStop = new RegExp(String.raw`(\s{0,3}[.!?。！？]["”')*_]*)((?:\s*${numbersPattern})+)`, 'g');
/** A row whose number stands behind its last bar: `| Team | $28 | [1]`. */
const markerAfterRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${numbersPattern})+)(?=[ \t]*$)`, 'gm');
/** Further numbers of a sentence that was given out with its first, and the address of one that was written as a link. */
const furtherMarkers = new RegExp(String.raw`^(?:\([^()\s]{0,300}\)|[ \t,;&]*${numbersPattern})+`);
const linkedMarker = new RegExp(String.raw`(${numbersPattern})\([^()\s]{0,300}\)`, 'g');
/** A stop behind a citation ends a sentence, however the next one begins. */
const citedStop = new RegExp(String.raw`${numbersPattern}\s{0,3}[.!?…。！？]["”’')*_]*(?=\s)`, 'g');
/** A list of sources of the model's own, which is skipped: ours is the only one. */
const ownSources = /^[ \t>*_#]{0,6}(?:sources|references|citations|quellen|fuentes|fonti|bronnen|出典|来源)[*_]{0,3}[ \t]*[:：]/im;
/** How an entry of such a list begins. */
const sourceEntry = /[[\]\-*•(<【［\d]/;
/** What wraps an answer that was written as a field of JSON. */
const jsonBefore = /^\s*(?:```(?:json)?\s*)?[{[]\s*(?:"[^"\n]{1,40}"\s*:\s*[{["]?\s*){1,3}/;
const jsonAfter = /"\s*[}\],][\s}\],]*$/;

/** In the order of `markerAfterStop`: the number, then the stop. */
const endsCited = new RegExp(String.raw`${numbersPattern}\s{0,3}[.!?…。！？]["”’')*_]*$`);

/** What shows that a row is whole: another line, unless it makes the row a header. */
const belowRow = /^[^\S\n]*\n\s*(?:\|\s*[^\s:|-]|[^\s|])/;
/** The line below code that holds its number, and what may still become one. */
const numberLine = new RegExp(String.raw`^\s*(?:${numbersPattern}[ \t]*)+(?:\n|$)`);
const mayBeNumberLine = /^\s*(?:\[[\d,\s]*\]?[ \t]*)*$/;
const fenceBelow = /^\s*(?:`{3,}|~{3,})[^\n]*/;

/** A stop and one number behind it: nothing else can end a sentence at a bracket. */
const endsInMarkedStop = /[.!?…。！？]["”’')*_]{0,4}\s{0,3}(?:\[[^\][]{1,60}\]|【[^【】]{1,60}】|［[^［］]{1,20}］)$/;
const maxMarkedStop = 90;

/** Characters before it that a trigger looks at, at most. */
const maxLookBehind = 40;

const markEnd = /^[\]】］]$/;
const stopMark = /^[.!?…。！？]$/;

/**
 * Where a sentence may have ended: at a number, at the stop behind one, at the first character of what follows a stop or an empty line,
 * of a list item, and of a line that begins a block or follows a whole one.
 */
const trigger =
  /[\]】］]|(?<=[\]】］]\s?)[.!?…。！？]|(?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8})[^\s.!?…。！？]|(?<=[。！？])[^\s.!?…。！？"”’')」』）]|(?<=\n[ \t]{0,8}(?:[-*+][ \t]{1,4}|\|[ \t]{0,4}))\S|(?<=\n[ \t]{0,8}\n[ \t]{0,8}|[\]|】］:：][ \t]{0,8}\n[ \t]{0,8})\S|(?<=\n[ \t]{0,8})[-*+#>|`~\d[【［]/gu;

/** Other ways in which models write a citation: `【1†source】`, `[^1]`, `［1］`, `[passage 1]`, `[1-3]`; `[1.5]` and `[-1]` cite nothing. */
const foreignMarker =
  /【\s*([\d０-９]{1,3})[^【】\n]{0,60}】|［\s*([\d０-９]{1,3})\s*］|\[\s*(?:\^\s*|(?:passage|source|ref|citation|doc(?:ument)?)\s*(?:#\s*)?)(\d{1,3})\s*\]|\[\s*(\d{1,3})\s*[-–]\s*(\d{1,3})\s*\]|\[\s*-?\d{0,3}[.-]\d{1,3}\s*\]/giu;

/** All of the same length as before, so that positions stay. */
const withOwnMarkers = (text: string) =>
  text.replace(foreignMarker, (whole, a?: string, b?: string, c?: string, from?: string, to?: string) => {
    const number = (a ?? b ?? c ?? '').normalize('NFKC');
    const inside = from !== undefined && to !== undefined ? `${from},${to}` : number === '' ? '0' : number;
    return `[${inside.padEnd(whole.length - 2)}]`;
  });
const withMarkersInside = (text: string) => withOwnMarkers(text).replace(markerAfterRow, '$1$2|').replace(markerAfterStop, '$2$1');

function toSentence(raw: string, { kind, marker }: TextSegment): ReplySentence {
  const visible = withoutInvisible(raw);
  if (kind === 'code') return { text: visible, parts: [{ text: visible, numbers: [] }], kind, marker };
  const unwrapped = withOwnMarkers(visible).replace(linkedMarker, '$1').replace(jsonBefore, '').replace(jsonAfter, '');
  const parts: ReplyPart[] = [];
  let from = 0;
  // A code span may index a list: `items[0]` cites nothing.
  const blanked = unwrapped.replace(/`[^`\n]{1,500}`/g, (code) => '`'.repeat(code.length));
  for (const match of blanked.matchAll(markers)) {
    const numbers = [...match[0].matchAll(/\d+/g)].map(Number);
    parts.push({ text: unwrapped.slice(from, match.index), numbers });
    from = match.index + match[0].length;
  }
  const rest = unwrapped.slice(from);
  const last = parts.at(-1);
  // The full stop, or the end of a row, belongs to what stands before the number.
  if (last && !/[\p{L}\p{N}]/u.test(rest)) parts[parts.length - 1] = { text: `${last.text}${rest}`, numbers: last.numbers };
  else parts.push({ text: rest, numbers: [] });
  const text = parts.map((part) => part.text).join('');
  return { text: text.trim(), parts, kind, marker };
}

/** Sentences that the segmenter takes for one because the next begins in lower case, or with markup. */
function* split(text: string, unit: TextSegment): Generator<TextSegment> {
  let start = unit.start;
  if (unit.kind === 'sentence' || unit.kind === 'item') {
    for (const match of text.slice(unit.start, unit.end).matchAll(citedStop)) {
      const end = unit.start + match.index + match[0].length;
      yield start === unit.start ? { ...unit, start, end } : { start, end, kind: 'sentence' };
      start = end;
    }
  }
  if (start === unit.start) yield unit;
  else if (start < unit.end) yield { start, end: unit.end, kind: 'sentence' };
}

/** Units of a text as they are given out, each with where it ends in the text. @param skipped characters that were given out before */
const unitsBehind = (text: string, skipped: number) =>
  [...segments(text)].filter(({ end }) => end > skipped).flatMap((unit) => [...split(text, unit)]);

type IsWhole = (sentence: ReplySentence, raw: string) => boolean;

interface WholeUnit {
  readonly sentence: ReplySentence;
  readonly end: number;
}

/** Code with the number that stands below it, because code cannot hold one; undefined where one may still come. */
function wholeCode(text: string, unit: TextSegment, isOver: boolean): WholeUnit | undefined {
  const end = unit.end + (fenceBelow.exec(text.slice(unit.end))?.[0].length ?? 0);
  if (!isOver && mayBeNumberLine.test(text.slice(end))) return undefined;
  const [line] = numberLine.exec(text.slice(end)) ?? [''];
  const sentence = toSentence(text.slice(unit.start, unit.end), unit);
  const numbers = [...line.matchAll(/\d+/g)].map(Number);
  return { sentence: { ...sentence, parts: [{ text: sentence.text, numbers }] }, end: end + line.length };
}

/** A unit as it is given out, and where it ends; undefined where it may still go on. @param isWhole without it all has come */
function wholeOf(text: string, unit: TextSegment, isLast: boolean, isWhole: IsWhole | undefined): WholeUnit | undefined {
  if (unit.kind === 'code') return wholeCode(text, unit, isWhole === undefined);
  const raw = text.slice(unit.start, unit.end);
  const sentence = toSentence(raw, unit);
  const hasEnded = !isLast || (unit.kind === 'row' && belowRow.test(text.slice(unit.end)));
  return hasEnded || !isWhole || isWhole(sentence, raw) ? { sentence, end: unit.end } : undefined;
}

/** What may end a sentence at a character: a number behind a stop, a stop behind a number; or nothing, but something else begins. */
function endingAt(character: string, tail: string): 'cited' | 'begins' | 'none' {
  if (markEnd.test(character)) return endsInMarkedStop.test(tail) ? 'cited' : 'none';
  return stopMark.test(character) ? 'cited' : 'begins';
}

export class ReplyReader {
  readonly #triggers = new RegExp(trigger);
  #received = '';
  /** Half of a character whose other half has not come. */
  #carried = '';
  /** Where what is not yet given out begins. */
  #held = 0;
  /** The last of what has been looked at, as far back as a trigger looks. The whole reply is not touched for each piece of it. */
  #examined = '';
  /** The last sentence was given out with its first number: further ones may follow. */
  #wasEarly = false;
  #isInSources = false;
  #isOver = false;
  /** How often what is held was looked at in vain, and how much of it there was. */
  #looks = { count: 0, from: -1, to: 0 };

  /**
   * @param decide whether a sentence that may still get further citations can be taken as it is
   * @returns the sentences that are whole now
   */
  push(text: string, decide: (sentence: ReplySentence) => boolean): ReplySentence[] {
    return this.#isOver ? [] : [...this.#read(this.#add(text), decide)];
  }

  /** The rest. */
  end(): ReplySentence[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    return this.#isInSources ? [] : [...this.#take(this.#sourcesIn(this.#received.length) ?? this.#received.length)];
  }

  /** @returns what was added: half a character waits for its other half, and what is too long is left out */
  #add(text: string): string {
    const whole = `${this.#carried}${text}`;
    this.#carried = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    const added = whole
      .slice(0, whole.length - this.#carried.length)
      .toWellFormed()
      .slice(0, maxReplyChars - this.#received.length);
    this.#received += added;
    return added;
  }

  *#read(added: string, decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    const text = `${this.#examined}${added}`;
    const before = this.#received.length - text.length;
    this.#triggers.lastIndex = this.#examined.length;
    for (let match = this.#triggers.exec(text); match; match = this.#triggers.exec(text))
      yield* this.#look(match[0], before + match.index, decide);
    this.#examined = text.slice(-maxLookBehind);
  }

  /** Looks at what is held where a sentence may have ended. @param index of the character that says so */
  *#look(character: string, index: number, decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    if (this.#isInSources) {
      // A list of sources goes on where a character may begin something else.
      const isNewLine = !markEnd.test(character) && /\n[ \t]{0,8}$/.test(this.#received.slice(Math.max(this.#held, index - 9), index));
      if (!isNewLine || sourceEntry.test(character)) return;
      this.#isInSources = false;
      this.#held = index;
    }
    const end = index + character.length;
    const ending = endingAt(character, this.#received.slice(Math.max(this.#held, end - maxMarkedStop), end));
    if (ending === 'none' || !this.#isDue(end)) return;
    const sources = this.#sourcesIn(end);
    // Only prose is whole when its number has come: an item, a row and code go on to the end of their line.
    const isWhole: IsWhole = (sentence, raw) =>
      ending === 'cited' && sentence.kind === 'sentence' && endsCited.test(raw) && decide(sentence);
    yield* sources === undefined ? this.#take(end, isWhole) : this.#take(sources);
    if (sources === undefined) return;
    this.#held = sources;
    this.#isInSources = true;
  }

  /** Whether it is worth while to look at what is held: after some looks in vain only when it has grown. */
  #isDue(end: number): boolean {
    if (this.#held !== this.#looks.from) this.#looks = { count: 0, from: this.#held, to: this.#held };
    const { count, from, to } = this.#looks;
    if (count >= eagerLooks && end - from < (to - from) * patientGrowth) return false;
    this.#looks = { count: count + 1, from, to: end };
    return true;
  }

  /** Where a list of sources of the model's own begins in what is held. */
  #sourcesIn(end: number): number | undefined {
    const found = ownSources.exec(this.#received.slice(this.#held, end));
    return found ? this.#held + found.index : undefined;
  }

  /** Sentences of what is held up to `until`. @param isWhole whether the last one is; without it all that came is */
  *#take(until: number, isWhole?: IsWhole): Generator<ReplySentence> {
    const begin = this.#held;
    const text = withMarkersInside(this.#received.slice(begin, until));
    const skipped = this.#wasEarly ? (furtherMarkers.exec(text)?.[0].length ?? 0) : 0;
    const units = unitsBehind(text, skipped);
    for (const [position, unit] of units.entries()) {
      const next = units[position + 1];
      const whole = wholeOf(text, { ...unit, start: Math.max(unit.start, skipped) }, next === undefined, isWhole);
      if (!whole) break;
      this.#wasEarly = next === undefined && unit.kind !== 'code';
      this.#held = begin + whole.end;
      if (whole.sentence.text !== '') yield whole.sentence;
      // The number of code was the beginning of the sentence below it.
      if (next && next.start < whole.end) return yield* this.#take(until, isWhole);
    }
    if (until - this.#held > maxHeldChars) this.#held = until;
  }
}
