/**
 * A model's reply → its sentences, as they come in. A sentence is given out when the model has begun the next one, or at once where its
 * citation ends it; the last one at the end. How the reply is cut into pieces on its way makes no difference to what is read.
 */
import { type Unit, units } from '../text/units.ts';
import { withoutInvisible } from './plain-passage.ts';

export interface ReplySentence {
  readonly text: string;
  /** The same in pieces, each with the passages that it points to, where numbers stand inside the sentence. */
  readonly parts: readonly ReplyPart[];
  readonly kind: Unit['kind'];
  /** Of a list item. */
  readonly marker: string | undefined;
}

export interface ReplyPart {
  readonly text: string;
  /** Of the passages as the model saw them, from 1. */
  readonly numbers: readonly number[];
}

export interface ReplyReader {
  /** @param decide whether a sentence that may still get further citations can be taken as it is */
  push(text: string, decide: (sentence: ReplySentence) => boolean): ReplySentence[];
  end(): ReplySentence[];
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
/** `… days. [1] Next` → `… days [1]. Next`, so that a marker belongs to the sentence it follows. */
const markerAfterStop = new RegExp(String.raw`([.!?。！？]["”')*_]*)((?:\s*${numbersPattern})+)`, 'g');
/** A row whose number stands behind its last bar: `| Team | $28 | [1]`. */
const markerAfterRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${numbersPattern})+)(?=[ \t]*$)`, 'gm');
/** Further numbers of a sentence that was given out with its first, and the address of one that was written as a link. */
const furtherMarkers = new RegExp(String.raw`^(?:\([^()\s]{0,300}\)|[ \t,;&]*${numbersPattern})+`);
const linkedMarker = new RegExp(String.raw`(${numbersPattern})\([^()\s]{0,300}\)`, 'g');
/** A stop behind a citation ends a sentence, however the next one begins. */
const citedStop = new RegExp(String.raw`${numbersPattern}[.!?…。！？]["”’')*_]*(?=\s)`, 'g');
/** A list of sources of the model's own, which is skipped: ours is the only one. */
const ownSources = /^[ \t>*_#]{0,6}(?:sources|references|citations|quellen|fuentes|fonti|bronnen|出典|来源)[*_]{0,3}[ \t]*[:：]/im;
/** How an entry of such a list begins. */
const sourceEntry = /[[\]\-*•(<【［\d]/;
/** What wraps an answer that was written as a field of JSON. */
const jsonBefore = /^\s*(?:```(?:json)?\s*)?[{[]\s*(?:"[^"\n]{1,40}"\s*:\s*[{["]?\s*){1,3}/;
const jsonAfter = /"\s*[}\],][\s}\],]*$/;

/** In the order of `markerAfterStop`: the number, then the stop. */
const endsCited = new RegExp(`${numbersPattern}[.!?…。！？]["”’')*_]*$`);

/** What shows that a row is whole: another line, unless it makes the row a header. */
const belowRow = /^\s*\n\s*(?:\|\s*[^\s:|-]|[^\s|])/;
/** A line of numbers alone. */
const numberLine = new RegExp(String.raw`^\s*(?:${numbersPattern}[ \t]*)+\n`);
const fenceBelow = /^\s*(?:`{3,}|~{3,})[^\n]*/;

/** A stop and one number behind it: nothing else can end a sentence at a bracket. */
const endsInMarkedStop = /[.!?…。！？]["”’')*_]{0,4}\s{0,3}(?:\[[^\][]{1,60}\]|【[^【】]{1,60}】|［[^［］]{1,20}］)$/;
const maxMarkedStop = 90;

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
  /【\s*([\d０-９]{1,3})[^【】\n]{0,60}】|［\s*([\d０-９]{1,3})\s*］|\[\s*(?:\^|(?:passage|source|ref|citation|doc(?:ument)?)\s*#?)\s*(\d{1,3})\s*\]|\[\s*(\d{1,3})\s*[-–]\s*(\d{1,3})\s*\]|\[\s*-?\d{0,3}[.-]\d{1,3}\s*\]/giu;

/** All of the same length as before, so that positions stay. */
const withOwnMarkers = (text: string) =>
  text.replace(foreignMarker, (whole, a?: string, b?: string, c?: string, from?: string, to?: string) => {
    const number = (a ?? b ?? c ?? '').normalize('NFKC');
    const inside = from !== undefined && to !== undefined ? `${from},${to}` : number === '' ? '0' : number;
    return `[${inside.padEnd(whole.length - 2)}]`;
  });
const withMarkersInside = (text: string) => withOwnMarkers(text).replace(markerAfterRow, '$1$2|').replace(markerAfterStop, '$2$1');

function toSentence(raw: string, { kind, marker }: Unit): ReplySentence {
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
function* split(text: string, unit: Unit): Generator<Unit> {
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

export function createReplyReader(): ReplyReader {
  let received = '';
  /** Half of a character whose other half has not come. */
  let carried = '';
  /** How much has been looked at, and where what is not yet given out begins. */
  let examined = 0;
  let held = 0;
  let isOver = false;
  let wasEarly = false;
  let isInSources = false;
  let looks = 0;
  let lookedFrom = -1;
  let lookedTo = 0;
  /** Code cannot hold its number: it stands below, so code is given out with what follows it. */
  let code: ReplySentence | undefined;
  const triggers = new RegExp(trigger);

  function* give(sentence: ReplySentence): Generator<ReplySentence> {
    const waiting = code;
    code = undefined;
    const isItsNumber = waiting !== undefined && sentence.text === '';
    if (isItsNumber) yield { ...waiting, parts: [{ text: waiting.text, numbers: sentence.parts.flatMap(({ numbers }) => numbers) }] };
    else if (waiting) yield waiting;
    if (sentence.kind === 'code') code = sentence;
    else if (sentence.text !== '') yield sentence;
  }

  /** The number of code that stands in a line below it. */
  function* takeNumberOfCode(text: string): Generator<ReplySentence, number> {
    const below = code && numberLine.exec(text);
    if (!code || !below) return 0;
    const numbers = [...below[0].matchAll(/\d+/g)].map(Number);
    yield { ...code, parts: [{ text: code.text, numbers }] };
    code = undefined;
    return below[0].length;
  }

  /** Sentences of what is held up to `until`; the last one only where it is known to be whole. */
  function* take(until: number, isWhole: (sentence: ReplySentence, raw: string) => boolean): Generator<ReplySentence> {
    const whole = withMarkersInside(received.slice(held, until));
    const ofCode = yield* takeNumberOfCode(whole);
    held += ofCode;
    const text = whole.slice(ofCode);
    const skipped = wasEarly ? (furtherMarkers.exec(text)?.[0].length ?? 0) : 0;
    const begin = held;
    const found = [...units(text)].filter(({ end }) => end > skipped).flatMap((unit) => [...split(text, unit)]);
    for (const [position, unit] of found.entries()) {
      const raw = text.slice(Math.max(unit.start, skipped), unit.end);
      const sentence = toSentence(raw, unit);
      const isLast = position === found.length - 1;
      const hasEnded = unit.kind === 'row' && belowRow.test(text.slice(unit.end));
      if (isLast && !hasEnded && !isWhole(sentence, raw)) break;
      wasEarly = isLast;
      held = begin + unit.end + (unit.kind === 'code' ? (fenceBelow.exec(text.slice(unit.end))?.[0].length ?? 0) : 0);
      yield* give(sentence);
    }
    if (until - held > maxHeldChars) held = until;
  }

  /** Whether it is worth while to look at what is held up to here. */
  function isDue(until: number): boolean {
    if (held !== lookedFrom) {
      lookedFrom = held;
      looks = 0;
      lookedTo = held;
    }
    if (looks >= eagerLooks && until - held < (lookedTo - held) * patientGrowth) return false;
    looks++;
    lookedTo = until;
    return true;
  }

  /** Gives out what stands before a list of sources, and skips its first line. */
  function* skipSources(sources: RegExpExecArray): Generator<ReplySentence> {
    const begin = held + sources.index;
    yield* take(begin, () => true);
    held = begin;
    isInSources = true;
  }

  function* read(decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    triggers.lastIndex = examined;
    for (let match = triggers.exec(received); match; match = triggers.exec(received)) {
      examined = match.index + match[0].length;
      const isMark = markEnd.test(match[0]);
      if (isInSources) {
        const isNewLine = !isMark && /\n[ \t]{0,8}$/.test(received.slice(Math.max(held, match.index - 9), match.index));
        if (!isNewLine || sourceEntry.test(match[0])) continue;
        isInSources = false;
        held = match.index;
      }
      const tail = received.slice(Math.max(held, examined - maxMarkedStop), examined);
      const endsHere = isMark ? endsInMarkedStop.test(tail) : stopMark.test(match[0]);
      if ((isMark && !endsHere) || !isDue(examined)) continue;
      const sources = ownSources.exec(received.slice(held, examined));
      if (sources) yield* skipSources(sources);
      // Only prose is whole when its number has come: an item, a row and code go on to the end of their line.
      else yield* take(examined, (sentence, raw) => endsHere && sentence.kind === 'sentence' && endsCited.test(raw) && decide(sentence));
    }
    examined = received.length;
  }

  function* finish(): Generator<ReplySentence> {
    isOver = true;
    const sources = isInSources ? undefined : ownSources.exec(received.slice(held));
    if (!isInSources) yield* take(sources ? held + sources.index : received.length, () => true);
    if (code) yield code;
  }

  return {
    push(text, decide) {
      if (isOver) return [];
      const whole = `${carried}${text}`;
      carried = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
      received = `${received}${whole.slice(0, whole.length - carried.length).toWellFormed()}`.slice(0, maxReplyChars);
      return [...read(decide)];
    },
    end: () => (isOver ? [] : [...finish()]),
  };
}
