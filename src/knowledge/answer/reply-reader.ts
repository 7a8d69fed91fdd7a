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
const maxHeldChars = 4_000;

const numbersPattern = String.raw`\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]`;
/** Citations, with what joins several: `[1], [2] and [3]`. */
const markers = new RegExp(String.raw`\s*${numbersPattern}(?:(?:\s|,|;|&|\b(?:and|und|et|y|e|en)\b){0,3}${numbersPattern})*`, 'g');
/** `… days. [1] Next` → `… days [1]. Next`, so that a marker belongs to the sentence it follows. */
const markerAfterStop = new RegExp(String.raw`([.!?。！？]["”')*_]*)((?:\s*${numbersPattern})+)`, 'g');
/** A row whose number stands behind its last bar: `| Team | $28 | [1]`. */
const markerAfterRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${numbersPattern})+)(?=[ \t]*$)`, 'gm');
/** Further numbers of a sentence that was given out with its first. */
const furtherMarkers = new RegExp(String.raw`^(?:[ \t,;&]*${numbersPattern})+`);
/** A list of sources of the model's own; ours is the only one. */
const ownSources = /^[ \t>*_#]{0,6}(?:sources|references|citations|quellen|fuentes|fonti|bronnen|出典|来源)[*_]{0,3}[ \t]*[:：]/im;
/** What wraps an answer that was written as a field of JSON. */
const jsonBefore = /^\s*(?:```(?:json)?\s*)?[{[]\s*(?:"[^"\n]{1,40}"\s*:\s*[{["]?\s*){1,3}/;
const jsonAfter = /"\s*[}\],][\s}\],]*$/;

/** In the order of `markerAfterStop`: the number, then the stop. */
const endsCited = new RegExp(`${numbersPattern}[.!?…。！？]["”’')*_]*$`);

const fenceBelow = /^\s*(?:`{3,}|~{3,})[^\n]*/;

/** Where a sentence may have ended: behind a number, at the first character of what follows a stop, at the first of a new line. */
const trigger = /\]|(?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8})\S|(?<=[。！？])\S|(?<=\n[ \t]{0,8})\S/gu;

/** The same length as before, so that positions stay. */
const withMarkersInside = (text: string) => text.replace(markerAfterRow, '$1$2|').replace(markerAfterStop, '$2$1');

function toSentence(raw: string, { kind, marker }: Unit): ReplySentence {
  const visible = withoutInvisible(raw);
  if (kind === 'code') return { text: visible, parts: [{ text: visible, numbers: [] }], kind, marker };
  const unwrapped = visible.replace(jsonBefore, '').replace(jsonAfter, '');
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

export function createReplyReader(): ReplyReader {
  let received = '';
  /** Half of a character whose other half has not come. */
  let carried = '';
  /** How much has been looked at, and where what is not yet given out begins. */
  let examined = 0;
  let held = 0;
  let isOver = false;
  let wasEarly = false;
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

  /** Sentences of what is held up to `until`; the last one only where it is known to be whole. */
  function* take(until: number, isWhole: (sentence: ReplySentence, raw: string) => boolean): Generator<ReplySentence> {
    const text = withMarkersInside(received.slice(held, until));
    const skipped = wasEarly ? (furtherMarkers.exec(text)?.[0].length ?? 0) : 0;
    const begin = held;
    const found = [...units(text)].filter(({ end }) => end > skipped);
    for (const [position, unit] of found.entries()) {
      const raw = text.slice(Math.max(unit.start, skipped), unit.end);
      const sentence = toSentence(raw, unit);
      const isLast = position === found.length - 1;
      if (isLast && !isWhole(sentence, raw)) break;
      wasEarly = isLast;
      held = begin + unit.end + (unit.kind === 'code' ? (fenceBelow.exec(text.slice(unit.end))?.[0].length ?? 0) : 0);
      yield* give(sentence);
    }
    if (until - held > maxHeldChars) held = until;
  }

  function* read(decide: (sentence: ReplySentence) => boolean): Generator<ReplySentence> {
    triggers.lastIndex = examined;
    for (let match = triggers.exec(received); match && !isOver; match = triggers.exec(received)) {
      examined = match.index + match[0].length;
      const sources = ownSources.exec(received.slice(held, examined));
      if (sources) {
        yield* finish(held + sources.index);
        return;
      }
      const isMark = match[0] === ']';
      // Only prose is whole when its number has come: an item, a row and code go on to the end of their line.
      yield* take(examined, (sentence, raw) => isMark && sentence.kind === 'sentence' && endsCited.test(raw) && decide(sentence));
    }
    examined = received.length;
  }

  function* finish(until: number): Generator<ReplySentence> {
    isOver = true;
    yield* take(until, () => true);
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
    end() {
      if (isOver) return [];
      const sources = ownSources.exec(received.slice(held));
      return [...finish(sources ? held + sources.index : received.length)];
    },
  };
}
