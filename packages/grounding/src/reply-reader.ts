/**
 * Splits a streamed reply into sentences. Yields a sentence when the next one begins. The result
 * does not depend on the size of the streamed chunks.
 */
import { withoutInvisible } from '../../shared/src/language/invisible.ts';
import { wordsOfReply } from '../../shared/src/language/lexicon.ts';
import { pattern } from '../../shared/src/language/pattern.ts';
import { innerStops, segments, type TextSegment } from '../../shared/src/language/segments.ts';
import { capitalized } from './shown-sentence.ts';

// Models cite as `[1]`, `(Passage 1)`, `According to passage 1, …`. The reader replaces each
// citation by private-use characters, one per passage, padded so that offsets stay valid.

const firstMark = 0xe000;
const filler = '\uF8FF';
const mark = String.raw`[\uE000-\uE3FF\uF8FF]`;
const numbersIn = (text: string) =>
  (text.match(/\d+|[\uE000-\uE3FF]/g) ?? []).map((one) =>
    /\d/.test(one) ? Number(one) : one.charCodeAt(0) - firstMark,
  );

const noun = `(?:${wordsOfReply('noun')})`;
/** `[1]`, `[1, 3]`, `[1-3]`, `[^1]`, `[#1]`, `\\[1\\]`. */
const bracketed = String.raw`\\?\[[\s^#.-]{0,4}\d{1,3}(?:[\s,;&.–-]{1,4}\d{1,3}){0,9}\s{0,3}\\?\]`;
/** A run of marks is never split: trying each way to split it would take forever. */
const number = String.raw`(?:\d{1,3}(?![\d%]|\.\d)|${bracketed}|${mark}{1,40}(?!${mark}))`;
const and = '(?:and|und|et|y|&)';
const more = String.raw`(?:[\s,;–-]{0,3}(?:${and}\s)?(?:${noun}\s)?${number}){0,9}`;
const named = String.raw`(?:(?:the|le|la|el|il|o|het)\s)?(?:${noun}[\s:：#]{0,2}(?:${noun}\s)?|(?=\[|${mark}))${number}${more}`;
const according = wordsOfReply('according');
const asIn = String.raw`as\s(?:also\s)?\p{L}{2,10}(?:ed|en|wn|id)\s(?:in|by)|${according}`;
const citation = new RegExp(
  [
    '(`[^`\\n]{1,500}`)',
    String.raw`(?:\*\*${bracketed}\*\*|\[${bracketed}\]|${bracketed})(?:\([^()\s]{0,300}\))?`,
    String.raw`[【［]\s?[\d０-９]{1,3}(?:[†:][^【】\n]{0,60})?\s?[】］]`,
    String.raw`[([（]\s?(?:(?:${asIn}|see(?: also)?|cf\.|from|in|siehe|vgl\.|voir|ver|véase)\s)?${named}\s?[)\]）]`,
    // German and Dutch continue without a comma: `Laut Passage 1 dauert …`.
    String.raw`(?<=^\W{0,3}(?:${according})\s${noun}\s)\d{1,3}(?=\s\p{L})`,
    String.raw`(?<=[\p{L}\p{N}"”’)%*_\x60°]),?\s(?:${asIn})\s${named}(?=[ \t]{0,3}(?:[.!?…;:,)\n]|$))`,
    // `10²`, `m²`, `20 acres²`, `sin²` and `(a+b)²` are no citations.
    pattern`
      (?<=(?:\p{L}{3}|[.!?…,"”’)*_])\s?[¹²³⁴-⁹]{0,3})
        (?<!\d\s?\p{L}{3,9}|met(?:er|re)s?|\b(?:sin|cos|tan|log)|[-+*/=]\s?\p{L}\))
        (?:[¹²³⁴-⁹](?![¹²³⁴-⁹]*\s?[-+=*/×·])|<sup>\s?\[?\d{1,2}(?:,\s?\d{1,2}){0,4}\]?\s?</sup>)
    `,
  ].join('|'),
  'giu',
);

function toMarks(whole: string) {
  // Link addresses and positions inside a source have numbers too; `[1.5]` and `[-1]` cite nothing.
  const text = whole.normalize('NFKC').replace(/\]\(.*|(?<=^【\s?\d{1,3})\D.*/s, '');
  const numbers = /^\[\s*-|\.\d/.test(text) ? [0] : numbersIn(text);
  const marks = numbers.map((one) => String.fromCharCode(firstMark + one)).join('');
  return marks.slice(0, whole.length).padEnd(whole.length, filler);
}

/** `days. [1] Next` → `days [1]. Next`, `| $28 | [1]` → `| $28 [1] |`. */
const behindStop = new RegExp(
  String.raw`(\s{0,3}[.!?。！？]["”')*_]*)((?:\s*${mark})+)(?!${mark}|:)`,
  'g',
);
const behindRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${mark})+)(?=[ \t]*$)`, 'gm');
/** Below code, which is found without its citation. */
const alone = new RegExp(String.raw`^[ \t]*(?:${mark}[ \t]*)+$`, 'gm');

/** Replaces citations by marks and moves them before the stop; keeps the length. */
const withMarks = (text: string) =>
  text
    .replace(citation, (whole, code?: string) => code ?? toMarks(whole))
    .replace(behindRow, '$1$2|')
    .replace(behindStop, '$2$1')
    .replace(alone, (line) => ' '.repeat(line.length));

/** Replaces marks by brackets, which the segmenter recognizes as citations; keeps the length. */
const withBrackets = (marked: string) =>
  marked.replace(new RegExp(`${mark}+`, 'g'), (run) =>
    run.length < 3 ? ','.repeat(run.length) : `[${','.repeat(run.length - 2)}]`,
  );

const evidence = `(?:${wordsOfReply('evidence')}|${noun}|${number}|${and})`;
/** An opening that cites: `According to passage 1,`, `Based on the documents:`, `Passage 1:`. */
const opener = new RegExp(
  pattern`
    ^\s{0,3}(?:(?:(?:${asIn}|${wordsOfReply('based')})\s|根据|根據)
      ((?:${evidence}[\s,:#]{0,2}){0,9}${evidence}\s?)(?:[,:，：]|$)|
      (${named})(?:\s?[:：]|によると[、,]?|によれば[、,]?|에 따르면,?|\s\p{L}{3,10},?\s(?:that|dass|que)\s))\s{0,3}
  `,
  'iu',
);
/** Phrases around an answer have only such words: `Sure! Here is what I found:`. */
const fillerPhrase = new RegExp(
  String.raw`^[\s¡*_]*(?:${wordsOfReply('starter')})(?:[^\p{L}\p{N}]+(?:${wordsOfReply('filler')})(?![\p{L}\p{N}]))*[^\p{L}\p{N}]*$`,
  'iu',
);
export const saysNothing = (sentence: string): boolean =>
  !/[\p{L}\p{N}]/u.test(sentence) || fillerPhrase.test(sentence);

/** Removes an opening that cites passages or announces an answer. */
function withoutOpener(sentence: string): { text: string; numbers: readonly number[] } {
  const [lead = '', before = ''] = /^([^\n:]{3,90}):\**\s+(?=\S)/.exec(sentence) ?? [];
  if (before !== '' && saysNothing(before))
    return { text: capitalized(sentence.slice(lead.length)), numbers: [] };
  const [whole = '', by = '', said = ''] = opener.exec(sentence) ?? [];
  const text = whole === '' ? sentence : capitalized(sentence.slice(whole.length));
  return { text, numbers: numbersIn(by + said) };
}

export type ReplySentence = Readonly<{
  /** Without citations. */
  text: string;
  /** Cited passages in the model's order, from 1. */
  numbers: readonly number[];
  kind: TextSegment['kind'];
  /** Mark of a list item, or language of code. */
  marker?: string | undefined;
  /** Whether it is a further sentence of the preceding list item. */
  continuesItem?: boolean;
  /** Only of a row: the header of its table. */
  header?: string | undefined;
  /** Offsets in the reply; absent behind the tags of a model's reasoning, which is skipped. */
  span?: Readonly<{ start: number; end: number }> | undefined;
  startsParagraph?: boolean;
}>;

/** Further text is ignored; an answer of five sentences needs a fraction of this length. */
const maxReplyChars = 20_000;
/** Longer text without a sentence end is dropped. */
const maxPendingChars = 2_000;
/** Then a scan waits until the text grew by a tenth: abbreviations look like sentence ends. */
const eagerScans = 8;

/** A stop after a citation ends a sentence, however the next one begins. */
const citedStop = new RegExp(String.raw`${mark}\s{0,3}[.!?…。！？]["”’')*_]*(?=\s|\p{Lu})`, 'gu');
/** The model's own list of sources. The reader skips it: it becomes asterisks, a Markdown rule. */
const ownSources = new RegExp(
  pattern`
      ^[ \t>*_#]{0,6}(?:(?:sources|references|citations|quellen|fuentes|fonti|bronnen|
        出典|来源)[*_]{0,3}[ \t]*[:：]|(?:source|reference)[*_]{0,3}[ \t]*[:：][*_ \t]*(?=$|\[|https?:)).*(?:\n[ \t]{0,8}(?:[[\]\-*•(<【［\d].*|$))*
    `,
  'gim',
);
/** Language of a code block, at the end of the text above it. */
const codeLanguage = /(?:`{3,}|~{3,})[ \t]*([A-Za-z][A-Za-z+#]{0,15})[^\n`]*\n[\s>]*$/;
/** Some models put a whole reply into a fence. */
const wrapper = /^\s*(?:`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\n/i;
const wrapperEnd = /\n[ \t]*(?:`{3,}|~{3,})\s*$/;
const blank = (text: string) => text.replace(/\S/g, ' ');
/** Tags around reasoning of the model, which the reader skips; a tag in a code span is text. */
const thinkTag = /(?<!`)(<\/?think(?:ing)?>)/i;
/** Matches an incomplete think tag or surrogate pair at the end of a text. */
const incomplete = /`?(?:<\/?[a-z]{0,8})?$|[\uD800-\uDBFF]$/i;
/** Where a sentence may begin: behind a stop, a citation or a mark of a list or table, on a line. */
const trigger =
  /(?<=[.!?…。！？\]】］)>¹²³⁴-⁹*_"”’]\s{1,8}|[。！？]["”’)」』）]{0,2}|\n[ \t]{0,8}(?:[-*+|][ \t]{1,4})?)\S/gu;

type ReplyUnit = TextSegment & Pick<ReplySentence, 'continuesItem'>;

/** Joined citations: `[1], [2] and [3]`. */
const citations = new RegExp(
  String.raw`\s{0,9}${mark}(?:(?:[\s,;&–-]|\b(?:and|und|et|y|e|en)\b){0,3}${mark})*`,
  'g',
);

/** Reads a text as one sentence, without its citations. */
export function asOneSentence(written: string): ReplySentence {
  const { text, numbers } = withoutOpener(withoutInvisible(withMarks(written)));
  const cited = (text.match(citations) ?? []).flatMap(numbersIn);
  const bare = text.replace(citations, '').trim();
  return { text: bare, numbers: [...numbers, ...cited], kind: 'sentence' };
}

const unitsOf = (marked: string): ReplyUnit[] =>
  [...segments(withBrackets(marked))].flatMap((unit) => {
    if (unit.kind === 'row' || unit.kind === 'code') return [unit];
    const text = marked.slice(unit.start, unit.end);
    const cited = [...text.matchAll(citedStop)].map((stop) => stop.index + stop[0].length);
    const stops = [...new Set([...cited, ...innerStops(text), text.length])].sort((a, b) => a - b);
    return stops.map((stop, at) => ({
      ...unit,
      start: unit.start + (stops[at - 1] ?? 0),
      end: unit.start + stop,
      continuesItem: at > 0 && unit.kind === 'item',
    }));
  });

/** Splits a complete text as the reader does. A citation behind a stop belongs to its sentence. */
export const replyUnits = (text: string): ReplyUnit[] => unitsOf(withMarks(text));

/** Reads a unit. @returns also the offset behind it, and behind the fence that ends code */
function readUnit(
  reply: string,
  { start, end, kind, marker, continuesItem = false }: ReplyUnit,
  item: ReplySentence | undefined,
): { sentence: ReplySentence; until: number } {
  const written = reply.slice(start, end);
  if (kind === 'code') {
    const text = withoutInvisible(written);
    const language = codeLanguage.exec(reply.slice(0, start))?.[1];
    const closing = /^\s*(?:`{3,}|~{3,})[^\n]*/.exec(reply.slice(end))?.[0].length ?? 0;
    return { sentence: { text, numbers: [], kind, marker: language }, until: end + closing };
  }
  const as =
    item && kind === 'sentence'
      ? { kind: item.kind, marker: item.marker, continuesItem: true }
      : { kind, marker, continuesItem };
  return { sentence: { ...asOneSentence(written), ...as }, until: end };
}

const isSaid = ({ kind, text }: ReplySentence) => kind === 'code' || !saysNothing(text);

/** A row ends with its line; stops in its cells do not matter. */
const isOpenRow = (text: string, { kind, start }: ReplyUnit) =>
  kind === 'sentence' && /^\s*\|[^\n]*$/.test(text.slice(text.lastIndexOf('\n', start) + 1));

export class ReplyReader {
  #received = '';
  #incomplete = '';
  #isThinking = false;
  /** End of the text whose offsets are those of the reply. */
  #exactUntil = Number.POSITIVE_INFINITY;
  /** Whether text was ignored because the reply, or a part without a sentence end, is too long. */
  isCut = false;
  #consumed = 0;
  #item: ReplySentence | undefined;
  #header: string | undefined;
  #failedScans = 0;
  #nextScan = 0;

  push(text: string): ReplySentence[] {
    trigger.lastIndex = this.#received.length;
    this.#add(text);
    return [...this.#received.matchAll(trigger)].flatMap(({ 0: character, index }) =>
      this.#scan(index + character.length),
    );
  }

  end(): ReplySentence[] {
    if (!this.#isThinking && this.#incomplete.isWellFormed()) this.#received += this.#incomplete;
    this.#incomplete = '';
    return [...this.#take(this.#received.length, true)];
  }

  /** Appends text up to the limit; an incomplete tag or character waits for its rest. */
  #add(text: string) {
    const whole = `${this.#incomplete}${text}`;
    this.#incomplete = incomplete.exec(whole)?.[0] ?? '';
    for (const piece of whole.slice(0, whole.length - this.#incomplete.length).split(thinkTag)) {
      const isTag = thinkTag.test(piece);
      if (isTag) this.#isThinking = !piece.startsWith('</');
      if (isTag) this.#exactUntil = Math.min(this.#exactUntil, this.#received.length);
      if (this.#isThinking) continue;
      const added = isTag ? ' ' : piece.toWellFormed();
      this.isCut ||= added.length > maxReplyChars - this.#received.length;
      this.#received += added.slice(0, maxReplyChars - this.#received.length);
    }
  }

  #scan(end: number) {
    if (end < this.#nextScan) return [];
    const begin = this.#consumed;
    const found = [...this.#take(end)];
    this.#failedScans = this.#consumed === begin ? this.#failedScans + 1 : 0;
    this.#nextScan = this.#failedScans < eagerScans ? 0 : end + (end - begin) / 10;
    return found;
  }

  /** Reads a part of the reply without a fence around the whole; keeps offsets. */
  #unwrapped(begin: number, until: number, isEnd: boolean) {
    const text = this.#received.slice(begin, until);
    if (!wrapper.test(this.#received)) return text;
    const opened = begin === 0 ? text.replace(wrapper, blank) : text;
    return isEnd ? opened.replace(wrapperEnd, blank) : opened;
  }

  /** A row that streams in has lost the header of its table, so the reader keeps it. */
  #headerOf(text: string, { kind, header }: ReplyUnit) {
    if (kind !== 'row') this.#header = undefined;
    else if (header) this.#header = asOneSentence(text.slice(header.start, header.end)).text;
    return this.#header;
  }

  /** Yields the sentences before offset `until`, except the last one, which may continue. */
  *#take(until: number, isEnd = false): Generator<ReplySentence> {
    const begin = this.#consumed;
    const text = this.#unwrapped(begin, until, isEnd);
    const marked = withMarks(text.replace(ownSources, (list) => list.replace(/./g, '*')));
    const units = unitsOf(marked);
    let done = 0;
    for (const [at, unit] of units.entries()) {
      if (!isEnd && (at === units.length - 1 || isOpenRow(marked, unit))) break;
      const above = marked.slice(done, unit.start);
      const read = readUnit(text, unit, /\n\s*\n/.test(above) ? undefined : this.#item);
      this.#item = read.sentence.kind === 'item' ? read.sentence : undefined;
      done = read.until;
      this.#consumed = begin + done;
      const place = { start: begin + unit.start, end: begin + unit.end };
      const span = place.end > this.#exactUntil ? undefined : place;
      const startsParagraph = /\n[ \t]*\n/.test(above);
      const header = this.#headerOf(text, unit);
      if (isSaid(read.sentence)) yield { ...read.sentence, header, startsParagraph, span };
    }
    if (until - this.#consumed > maxPendingChars && /[^\s*]/.test(marked.slice(done))) {
      this.#consumed = until;
      this.isCut = true;
    }
  }
}

export const isRefusedReply = (text: string): boolean => /\n\nSources: none\s*$/.test(text);
