/**
 * A model's reply → its sentences, as they come in. A sentence is given out when the model has begun the next one, or at once where its
 * citation ends it; the last one at the end. How the reply is cut into pieces on its way makes no difference to what is read.
 */
import { withoutInvisible } from '../language/invisible.ts';
import { innerStops, segments, type TextSegment } from '../language/segments.ts';
import { mark, numbersIn, saysNothing, withBrackets, withMarks, withoutOpener } from './citation-marks.ts';

export interface ReplySentence {
  readonly text: string;
  /** The same in pieces, each with the passages that it points to, where numbers stand inside the sentence. */
  readonly parts: readonly ReplyPart[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  /** Whether it is a further sentence of the list item before it. */
  readonly continuesItem?: boolean;
}

export interface ReplyPart {
  readonly text: string;
  /** Of the passages as the model saw them, from 1. */
  readonly numbers: readonly number[];
}

/** Whether a sentence that may still get further citations can be taken as it is. */
type Decide = (sentence: ReplySentence) => boolean;

/** What lies beyond is not looked at: an answer of five sentences needs a fraction of it. */
const maxReplyChars = 20_000;
/** What has not become a sentence by then is none that a person reads. */
const maxHeldChars = 2_000;
/** After so many looks in vain it is looked at again only when it has grown by a tenth: abbreviations can look like ends for pages. */
const eagerLooks = 8;

/** Citations, with what joins several: `[1], [2] and [3]`. */
const citations = new RegExp(String.raw`(\s{0,9}${mark}(?:(?:\s|,|;|&|\b(?:and|und|et|y|e|en)\b){0,3}${mark})*)`);
/** Further ones of a sentence that was given out with its first, and the address of one that was written as a link. */
const furtherCitations = new RegExp(String.raw`^(?:\([^()\s]{0,300}\))?(?:[ \t,;&]{0,9}${mark})*`);
/** A stop behind a citation ends a sentence, however the next one begins. */
const citedStop = String.raw`${mark}\s{0,3}[.!?…。！？]["”’')*_]*`;
const innerCitedStop = new RegExp(String.raw`${citedStop}(?=\s)`, 'g');
const endsCited = new RegExp(`${citedStop}$`);
/** A list of sources of the model's own, with its entries. It is skipped, ours is the only one: as many asterisks are a rule. */
const ownSources =
  /^[ \t>*_#]{0,6}(?:sources|references|citations|quellen|fuentes|fonti|bronnen|出典|来源)[*_]{0,3}[ \t]*[:：].*(?:\n[ \t]{0,8}(?:[[\]\-*•(<【［\d].*|$))*/gim;
/** What wraps an answer that was written as a field of JSON. */
const json = /^\s*(?:```(?:json)?\s*)?[{[]\s*(?:"[^"\n]{1,40}"\s*:\s*[{["]?\s*){1,3}|"\s*[}\],][\s}\],]*$/g;
/** What shows that a row is whole: another line, unless it makes the row a header. */
const belowRow = /^[^\S\n]*\n\s*(?:\|\s*[^\s:|-]|[^\s|])/;
/** The line below code that holds its number, because code cannot; and what may still become one. */
const fence = '(?:\\s*(?:`{3,}|~{3,})[^\\n]*)?';
const belowCode = new RegExp(String.raw`^${fence}(?:\s*(${mark}(?:${mark}|[ \t])*)(?:\n|$))?`);
const mayBeBelowCode = new RegExp(String.raw`^${fence}(?:\s|${mark})*(?:\[[\d,\s]*)?$`);
/** What a model thinks before it answers is no part of the answer; where it speaks of the tag, it is. */
const thinkTag = /(?<!`)(<\/?think(?:ing)?>)/i;
/** Half of such a tag, or of a character. */
const half = /`?(?:<\/?[a-z]{0,8})?$|[\uD800-\uDBFF]$/i;

/**
 * Where a sentence may have ended: at a citation behind a stop, at the stop behind one, at the first character of what follows a stop or
 * an empty line (behind a word that may begin `Source: 1`), of a list item, and of a line that begins a block or follows a whole one.
 */
const trigger =
  /(?<=[.!?…。！？]["”’')*_]{0,4}\s{0,3}(?:\[{1,2}[^\][]{1,60}\]?|【[^【】]{1,60}|［[^［］]{1,20}|\([^()]{1,60}|<sup>[^<]{1,20}<\/sup))[\]】］)>]|(?<=[.!?…。！？]["”’')*_]{0,4})[¹²³⁴-⁹]|(?<=[\]】］)>¹²³⁴-⁹]\s?)[.!?…。！？]|(?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8})[^\s.!?…。！？SQF]|(?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8}[SQF]\p{L}{0,20})[^\p{L}:]|(?<=[。！？])[^\s.!?…。！？"”’)」』）]|(?<=\n[ \t]{0,8}(?:[-*+][ \t]{1,4}|\|[ \t]{0,4}))\S|(?<=\n[ \t]{0,8}\n[ \t]{0,8}|[\]|】］:：][ \t]{0,8}\n[ \t]{0,8})\S|(?<=\n[ \t]{0,8})[-*+#>|`~\d[【［]/gu;

function toSentence(marked: string, { kind, marker, continuesItem = false }: ReplyUnit): ReplySentence {
  const opened = withoutOpener(withoutInvisible(marked).replace(json, ''));
  // Text and marks in turn; the full stop, or the end of a row, belongs to what stands before the number.
  const pieces = opened.text.split(citations);
  const stop = pieces.length > 1 && !/[\p{L}\p{N}]/u.test(pieces.at(-1) ?? '') ? pieces.pop() : '';
  const parts = pieces.flatMap((piece, at) => {
    const numbers = [...(at === 0 ? opened.numbers : []), ...numbersIn(pieces[at + 1] ?? '')];
    return at % 2 === 1 ? [] : [{ text: at === pieces.length - 2 ? `${piece}${stop}` : piece, numbers }];
  });
  const text = parts.map((part) => part.text).join('');
  return { text: text.trim(), parts, kind, marker, continuesItem };
}

function innerEnds(unit: string): number[] {
  const cited = [...unit.matchAll(innerCitedStop)].map((stop) => stop.index + stop[0].length);
  return [...new Set([...cited, ...innerStops(unit)])].sort((a, b) => a - b);
}

type ReplyUnit = Omit<TextSegment, 'marker'> & Partial<Pick<ReplySentence, 'marker' | 'continuesItem'>>;

/** Units of a text as the check reads them. */
const unitsOf = (marked: string): ReplyUnit[] =>
  [...segments(withBrackets(marked))].flatMap((unit) => {
    if (unit.kind === 'row' || unit.kind === 'code') return [unit];
    const ends = [...innerEnds(marked.slice(unit.start, unit.end)).map((end) => unit.start + end), unit.end];
    return ends.map((end, at) =>
      at === 0 ? { ...unit, end } : { ...unit, start: ends[at - 1] ?? end, end, continuesItem: unit.kind === 'item' },
    );
  });

/** A unit as it is given out, and where it ends; undefined where it may still go on. @param decide without it all has come */
function readUnit(text: string, marked: string, unit: ReplyUnit, isLast: boolean, decide: Decide | undefined) {
  const { start, end, kind, marker } = unit;
  const below = marked.slice(end);
  if (kind === 'code') {
    if (decide && mayBeBelowCode.test(below)) return undefined;
    const [more = '', numbers = ''] = belowCode.exec(below) ?? [];
    const code = withoutInvisible(text.slice(start, end));
    return { sentence: { text: code, parts: [{ text: code, numbers: numbersIn(numbers) }], kind, marker }, end: end + more.length };
  }
  // A row is whole at the end of its line, whatever stops its cells hold.
  const line = marked.slice(marked.lastIndexOf('\n', start) + 1);
  if (decide && kind === 'sentence' && /^\s*\|[^\n]*$/.test(line)) return undefined;
  const sentence = toSentence(marked.slice(start, end), unit);
  const read = { sentence, end };
  if (!isLast || !decide || (kind === 'row' && belowRow.test(below))) return read;
  // Only prose is whole when its number has come: an item and a row go on to the end of their line.
  return kind === 'sentence' && endsCited.test(marked.slice(start, end)) && decide(sentence) ? read : undefined;
}

export class ReplyReader {
  #received = '';
  #half = '';
  #isThinking = false;
  #held = 0;
  /** The last sentence was given out with its first number: further ones may follow. */
  #wasEarly = false;
  #item: ReplySentence | undefined;
  /** How often what is held was looked at in vain, and where it is worth while to look again. */
  #vain = { looks: 0, due: 0 };

  push(text: string, decide: Decide): ReplySentence[] {
    trigger.lastIndex = this.#received.length;
    this.#add(text);
    return [...this.#received.matchAll(trigger)].flatMap((match) => this.#look(match[0], match.index, decide));
  }

  end(): ReplySentence[] {
    if (!this.#isThinking && this.#half.isWellFormed()) this.#received += this.#half;
    this.#half = '';
    return [...this.#take(this.#received.length)];
  }

  /** Half of something waits for its other half, and what is too long is left out. */
  #add(text: string): void {
    const whole = `${this.#half}${text}`;
    this.#half = half.exec(whole)?.[0] ?? '';
    for (const piece of whole.slice(0, whole.length - this.#half.length).split(thinkTag)) {
      const isTag = thinkTag.test(piece);
      if (isTag) this.#isThinking = !piece.startsWith('</');
      const said = isTag ? ' ' : piece.toWellFormed();
      if (!this.#isThinking) this.#received += said.slice(0, maxReplyChars - this.#received.length);
    }
  }

  /** Looks at what is held where a sentence may have ended. @param index of the character that says so */
  #look(character: string, index: number, decide: Decide): ReplySentence[] {
    const end = index + character.length;
    if (end < this.#vain.due) return [];
    const begin = this.#held;
    const mayBeCited = /[\]】］)>¹²³⁴-⁹.!?…。！？]/.test(character);
    const found = [...this.#take(end, mayBeCited ? decide : () => false)];
    const looks = this.#held === begin ? this.#vain.looks + 1 : 0;
    this.#vain = { looks, due: looks < eagerLooks ? 0 : end + (end - begin) / 10 };
    return found;
  }

  /** A sentence that follows a list item in its paragraph is part of it. */
  #inItem(unit: ReplyUnit, marked: string): ReplyUnit {
    if (!this.#item || unit.kind !== 'sentence' || /\n\s*\n/.test(marked.slice(0, unit.start))) return unit;
    return { ...unit, kind: 'item', marker: this.#item.marker, continuesItem: true };
  }

  /** Sentences of what is held up to `until`. @param decide without it all has come */
  *#take(until: number, decide?: Decide): Generator<ReplySentence> {
    const begin = this.#held;
    const text = this.#received.slice(begin, until);
    const marked = withMarks(text.replace(ownSources, (list) => list.replace(/./g, '*')));
    let done = this.#wasEarly ? (furtherCitations.exec(marked)?.[0].length ?? 0) : 0;
    const units = unitsOf(marked).filter(({ end }) => end > done);
    for (const [position, unit] of units.entries()) {
      const isLast = position === units.length - 1;
      const start = Math.max(unit.start, done);
      const read = readUnit(text, marked, this.#inItem({ ...unit, start }, marked), isLast, decide);
      if (!read) break;
      this.#item = read.sentence.kind === 'item' ? read.sentence : undefined;
      done = read.end;
      this.#wasEarly = isLast && unit.kind !== 'code';
      this.#held = begin + done;
      if (unit.kind === 'code' || !saysNothing(read.sentence.text)) yield read.sentence;
    }
    if (until - this.#held > maxHeldChars && /[^\s*]/.test(marked.slice(done))) this.#held = until;
  }
}
