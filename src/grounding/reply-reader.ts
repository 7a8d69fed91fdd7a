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
/** A line of numbers alone. */
const numberLine = new RegExp(String.raw`^\s*(?:${numbersPattern}[ \t]*)+\n`);
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

/** Code cannot hold its number: it stands below, so code is given out with what follows it. */
function createCodeQueue() {
  let code: ReplySentence | undefined;

  const withNumbers = ({ text, kind, marker }: ReplySentence, numbers: readonly number[]): ReplySentence => ({
    text,
    parts: [{ text, numbers }],
    kind,
    marker,
  });

  return {
    /** @returns what can be given out: the code before a sentence, and the sentence unless it is code */
    pass(sentence: ReplySentence): ReplySentence[] {
      const waiting = code;
      code = sentence.kind === 'code' ? sentence : undefined;
      const isItsNumber = waiting !== undefined && sentence.text === '';
      const numbers = sentence.parts.flatMap((part) => part.numbers);
      return [
        ...(waiting ? [isItsNumber ? withNumbers(waiting, numbers) : waiting] : []),
        ...(code || sentence.text === '' ? [] : [sentence]),
      ];
    },
    /** Where a text begins with the number of the code above it: the code, and how long that line is. */
    takeNumbered(text: string): { readonly sentences: readonly ReplySentence[]; readonly length: number } {
      const below = code && numberLine.exec(text)?.[0];
      if (!code || below === undefined) return { sentences: [], length: 0 };
      const sentence = withNumbers(code, [...below.matchAll(/\d+/g)].map(Number));
      code = undefined;
      return { sentences: [sentence], length: below.length };
    },
    rest: (): ReplySentence[] => (code ? [code] : []),
  };
}

/** Whether it is worth while to look at what is held: after some looks in vain only when it has grown. */
function createPatience(): (from: number, to: number) => boolean {
  let looks = 0;
  let lookedFrom = -1;
  let lookedTo = 0;
  return (from, to) => {
    if (from !== lookedFrom) [lookedFrom, looks, lookedTo] = [from, 0, from];
    if (looks >= eagerLooks && to - from < (lookedTo - from) * patientGrowth) return false;
    looks++;
    lookedTo = to;
    return true;
  };
}

/** Units of a text as they are given out, each with where it ends in the text. @param skipped characters that were given out before */
const unitsBehind = (text: string, skipped: number) =>
  [...segments(text)].filter(({ end }) => end > skipped).flatMap((unit) => [...split(text, unit)]);

const fenceLengthBelow = (text: string, { kind, end }: TextSegment) =>
  kind === 'code' ? (fenceBelow.exec(text.slice(end))?.[0].length ?? 0) : 0;

const furtherMarkersIn = (text: string) => furtherMarkers.exec(text)?.[0].length ?? 0;

type IsWhole = (sentence: ReplySentence, raw: string) => boolean;
const always: IsWhole = () => true;

/** What has come of a reply, and how much of it was given out. */
function createHeldReply() {
  const code = createCodeQueue();
  let received = '';
  /** Half of a character whose other half has not come. */
  let carried = '';
  /** Where what is not yet given out begins. */
  let held = 0;
  let wasEarly = false;

  /** Sentences of what is held up to `until`; the last one only where it is known to be whole. */
  function* take(until: number, isWhole: IsWhole): Generator<ReplySentence> {
    const whole = withMarkersInside(received.slice(held, until));
    const numbered = code.takeNumbered(whole);
    yield* numbered.sentences;
    held += numbered.length;
    const text = whole.slice(numbered.length);
    const skipped = wasEarly ? furtherMarkersIn(text) : 0;
    const begin = held;
    const units = unitsBehind(text, skipped);
    for (const [position, unit] of units.entries()) {
      const raw = text.slice(Math.max(unit.start, skipped), unit.end);
      const sentence = toSentence(raw, unit);
      const isLast = position === units.length - 1;
      const hasEnded = !isLast || (unit.kind === 'row' && belowRow.test(text.slice(unit.end)));
      if (!hasEnded && !isWhole(sentence, raw)) break;
      wasEarly = isLast;
      held = begin + unit.end + fenceLengthBelow(text, unit);
      yield* code.pass(sentence);
    }
    if (until - held > maxHeldChars) held = until;
  }

  return {
    /** @returns what was added: half a character waits for its other half, and what is too long is left out */
    add(text: string): string {
      const whole = `${carried}${text}`;
      carried = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
      const added = whole
        .slice(0, whole.length - carried.length)
        .toWellFormed()
        .slice(0, maxReplyChars - received.length);
      received += added;
      return added;
    },
    text: () => received,
    from: () => held,
    skipTo(position: number): void {
      held = position;
    },
    take,
    rest: () => code.rest(),
  };
}

/** Where a sentence may have ended: the character that says so. */
interface Trigger {
  readonly character: string;
  readonly index: number;
}

/** Whether a list of sources goes on where a character may begin something else. */
function isSourceLine(reply: string, held: number, { character, index }: Trigger): boolean {
  const isNewLine = !markEnd.test(character) && /\n[ \t]{0,8}$/.test(reply.slice(Math.max(held, index - 9), index));
  return !isNewLine || sourceEntry.test(character);
}

/** What may end a sentence at a character: a number behind a stop, a stop behind a number; or nothing, but something else begins. */
function endingAt(character: string, tail: string): 'cited' | 'begins' | 'none' {
  if (markEnd.test(character)) return endsInMarkedStop.test(tail) ? 'cited' : 'none';
  return stopMark.test(character) ? 'cited' : 'begins';
}

export function createReplyReader(): ReplyReader {
  const reply = createHeldReply();
  const isDue = createPatience();
  const triggers = new RegExp(trigger);
  let isOver = false;
  let isInSources = false;
  /** The last of what has been looked at, as far back as a trigger looks. The whole reply is not touched for each piece of it. */
  let examined = '';

  /** Gives out what stands before a list of sources, and skips its first line. */
  function* skipSources(begin: number): Generator<ReplySentence> {
    yield* reply.take(begin, always);
    reply.skipTo(begin);
    isInSources = true;
  }

  function* look(found: Trigger, decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    const [received, end] = [reply.text(), found.index + found.character.length];
    if (isInSources) {
      if (isSourceLine(received, reply.from(), found)) return;
      isInSources = false;
      reply.skipTo(found.index);
    }
    const ending = endingAt(found.character, received.slice(Math.max(reply.from(), end - maxMarkedStop), end));
    if (ending === 'none' || !isDue(reply.from(), end)) return;
    const sources = ownSources.exec(received.slice(reply.from(), end));
    // Only prose is whole when its number has come: an item, a row and code go on to the end of their line.
    const isWhole: IsWhole = (sentence, raw) =>
      ending === 'cited' && sentence.kind === 'sentence' && endsCited.test(raw) && decide(sentence);
    yield* sources ? skipSources(reply.from() + sources.index) : reply.take(end, isWhole);
  }

  function* read(added: string, decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    const text = `${examined}${added}`;
    const before = reply.text().length - text.length;
    triggers.lastIndex = examined.length;
    for (let match = triggers.exec(text); match; match = triggers.exec(text))
      yield* look({ character: match[0], index: before + match.index }, decide);
    examined = text.slice(-maxLookBehind);
  }

  function* finish(): Generator<ReplySentence> {
    isOver = true;
    const received = reply.text();
    const sources = isInSources ? undefined : ownSources.exec(received.slice(reply.from()));
    if (!isInSources) yield* reply.take(sources ? reply.from() + sources.index : received.length, always);
    yield* reply.rest();
  }

  return {
    push(text, decide) {
      if (isOver) return [];
      return [...read(reply.add(text), decide)];
    },
    end: () => (isOver ? [] : [...finish()]),
  };
}
