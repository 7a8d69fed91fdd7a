/**
 * Splits a streamed reply into sentences. Yields a sentence when the next one begins, or at once if
 * its citation ends it. The result does not depend on the size of the streamed chunks.
 */
import { withoutInvisible } from '../../shared/src/language/invisible.ts';
import { pattern } from '../../shared/src/language/pattern.ts';
import { innerStops, segments, type TextSegment } from '../../shared/src/language/segments.ts';
import { capitalized } from './shown-sentence.ts';

// Models cite as `[1]`, `(Passage 1)`, `According to passage 1, …`. The reader replaces each
// citation by private-use characters, one per passage, padded to the same length so that offsets
// stay valid.

const firstMark = 0xe000;
const filler = '\uF8FF';
export const mark = String.raw`[\uE000-\uE3FF\uF8FF]`;
const numbersIn = (text: string): number[] =>
  (text.match(/\d+|[\uE000-\uE3FF]/g) ?? []).map((one) =>
    /\d/.test(one) ? Number(one) : one.charCodeAt(0) - firstMark,
  );

const noun =
  '(?:passage[ns]?|pasajes?|sources?|quellen?|fuentes?|do[ck]ument(?:en?|os?|s)?|docs?|excerpts?|extraits?|ref(?:erence)?s?|citations?)';
const bracketed = String.raw`\[\s{0,3}\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9}\s{0,3}\]`;
const number = String.raw`(?:\d{1,3}(?![\d%]|\.\d)|${bracketed}|${mark}{1,40})`;
const numbered = String.raw`${noun}[\s:#]{0,2}(?:${noun}\s)?${number}`;
const and = String.raw`(?:\s?&\s?|,?\s(?:and|und|et|y)\s)`;
/** One or several passages; `passage 1, 30 days` names only one. */
const named = pattern`
  (?:(?:the|le|la|el)\s)?(?:${numbered}(?:(?:,\s(?:${noun}\s)?${number}){0,4}${and}
    (?:${noun}\s)?${number})?|(?:${bracketed}|${mark})
    (?:(?:${and}|,?\s)?(?:${bracketed}|${mark})){0,60})
`;
const asIn = String.raw`as\s(?:also\s)?\p{L}{2,10}(?:ed|en|wn|id)\s(?:in|by)|according to|laut|gemäß|selon|d['’]après|según|de acuerdo con`;
const stopBefore = String.raw`(?<=[.!?…]["”’)*_]{0,2}\s{0,3})`;
const superscripts = '[¹²³⁴-⁹]';
/** Excludes exponents and units: `10²`, `m²`, `20 acres²`. */
const noPower = String.raw`(?<=^|(?:\p{L}{3}|[.!?…,"”’)*_\]])(?:\s|${superscripts}{1,4}|${mark}{1,4})?)(?<!\d\s?\p{L}{3,9})`;
const citation = new RegExp(
  [
    '(`[^`\\n]{1,500}`)',
    String.raw`(?:\[${bracketed}\]|${bracketed})(?:\([^()\s]{0,300}\))?`,
    // `[1.5]` and `[-1]` cite nothing.
    String.raw`\[\s{0,3}(?:\^\s{0,3}\d{1,3}|\d{1,3}\s{0,3}[-–]\s{0,3}\d{1,3}|-?\d{0,3}[.-]\d{1,3})\s{0,3}\]`,
    String.raw`【\s{0,3}[\d０-９]{1,3}[^【】\n]{0,60}】|［\s{0,3}[\d０-９]{1,3}\s{0,3}］`,
    pattern`
      [([]\s?(?:(?:${asIn}|see(?: also)?|from|in|siehe|vgl\.|voir|ver|véase)\s)?
        (?:${numbered}|${bracketed})(?:[\s,;&–-]{1,3}(?:(?:and|und|et|y)\s)?
        (?:${noun}\s)?${number}){0,5}\s?[)\]]
    `,
    String.raw`(?<=[\p{L}\p{N}"”’)%*_\x60°])(?:,?\s)(?:${asIn})\s${named}(?=[ \t]{0,3}(?:[.!?…;:,)\n]|$))`,
    String.raw`(?<=:\s)(?:${asIn})\s${named},`,
    pattern`
      ${stopBefore}(?:sources?|quellen?|fuentes?)\s?:\s?(?:${noun}\s)?${number}
        (?:${and}${number}|,\s?${number}){0,4}\.?(?=\s{0,3}(?:\n|$))
    `,
    String.raw`<sup>\s?${bracketed}\s?</sup>|${noPower}(?:<sup>\s?\d{1,2}(?:,\s?\d{1,2}){0,4}\s?</sup>|${superscripts})`,
    // `(1)` counts only at the end of a sentence, or after a sentence at the end of a line;
    // elsewhere it numbers something else.
    pattern`
      (?<=[\p{L}\p{N}"”’)%*_\x60]\s)(?<!\b(?:and|or|und|oder|et|ou|y|to|the|step|item|option|part|
        level|version|figure|table|section|one|two|three|four|five|six|drei|trois|
        tres)\s)\([1-9]\)(?=\s{0,3}[.!?…](?:\s|$))|
      ${stopBefore}\([1-9]\)(?=[ \t]{0,3}(?:\n|$))
    `,
  ].join('|'),
  'giu',
);

function toMarks(whole: string): string {
  // Removes link addresses and positions inside a source, because their numbers are not citations.
  const text = whole.normalize('NFKC').replace(/\]\(.*|(?<=^【\s{0,3}\d{1,3})\D.*/s, '');
  const numbers = /^\[\s*-|\d\.\d|^\[\s*\.\d/.test(text) ? [0] : numbersIn(text);
  const marks = numbers.map((one) => String.fromCharCode(firstMark + one)).join('');
  return marks.slice(0, whole.length).padEnd(whole.length, filler);
}

/**
 * Citations after a sentence or row belong to it: `days. [1] Next` → `days [1]. Next`, `| $28 |
 * [1]`.
 */
const behindStop = new RegExp(String.raw`(\s{0,3}[.!?。！？]["”')*_]*)((?:\s*${mark})+)`, 'g');
const behindRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${mark})+)(?=[ \t]*$)`, 'gm');

/** Replaces citations by marks and moves them before the stop; keeps the length. */
const withMarks = (text: string): string =>
  text
    .replace(citation, (whole, code?: string) => code ?? toMarks(whole))
    .replace(behindRow, '$1$2|')
    .replace(behindStop, '$2$1');

/** Replaces marks by brackets, which the segmenter recognizes as citations; keeps the length. */
const withBrackets = (marked: string): string =>
  marked.replace(new RegExp(`${mark}+`, 'g'), (run) =>
    run.length < 3 ? ','.repeat(run.length) : `[${','.repeat(run.length - 2)}]`,
  );

const says = 'states?|says?|mentions?|notes?|explains?|suggests?|provides?';
const saysThat = `(?:${says}|indicates?|shows?|reports?|specif(?:y|ies)|confirms?|adds?|besag(?:t|en)|indiquent?|précisent?|indican?|dicen?|señalan?)`;
const that = '(?:that|,?\\sdass|que)\\s';
const given =
  '(?:given|provided|above|following|available|retrieved|relevant|bereitgestellten|fournie?s|proporcionad[ao]s?|disponibles?)';
const evidenceNoun = `(?:${noun}|documentation|information(?:en|s)?|información|context|kontext|text)`;
const opener = new RegExp(
  pattern`
    ^\s{0,3}(?:(?:${asIn}|based on|in|from|per|basierend auf|nach|en|dans)\s(${named}),?:?\s{0,3}
      (?:it\s(?:(?:also\s)?${saysThat}|is\s\p{L}{4,10})\s${that})?|(${named})
      (?:\s?:|\s(?:(?:also|further)\s)?(?:${saysThat}\s?${that}|(?:${says})\s))|
      (?:${asIn}|based on|basierend auf|basándo(?:se|me) en)\s
      (?:(?:the|these|this|all|your|den|der|die|les?|la|los|las|el)\s)?
      (?:${given}\s)?${evidenceNoun}(?:\s${given})?\s?(?:[,:]|$))\s{0,3}
  `,
  'iu',
);

const german = /^\s*(?:laut|gemäß|nach|basierend)\b/i;

/**
 * Removes an opening that cites passages or announces an answer. @returns the rest, and the cited
 * numbers
 */
function withoutOpener(sentence: string): {
  readonly text: string;
  readonly numbers: readonly number[];
} {
  const [lead = '', before = ''] = /^([^\n:]{3,90}):\**\s+(?=\S)/.exec(sentence) ?? [];
  if (before !== '' && saysNothing(before))
    return { text: capitalized(sentence.slice(lead.length)), numbers: [] };
  const [whole, by = '', said = ''] = opener.exec(sentence) ?? [''];
  if (whole === '') return { text: sentence, numbers: [] };
  const rest = sentence.slice(whole.length);
  // In German, the verb follows such an opening.
  const isVerbFirst = german.test(whole) && !/[,:]\s*$/.test(whole) && /^\p{Ll}/u.test(rest);
  return {
    text: isVerbFirst ? `Demnach ${rest}` : capitalized(rest),
    numbers: numbersIn(by + said),
  };
}

const answerNoun =
  '(?:answer|summary|information|response|overview|steps|details|antwort|réponse|respuesta|list)';
/** Matches phrases around an answer that contain no subject, number or place. */
const fillerPhrases = new RegExp(
  `^(?:${[
    pattern`
      (?:(?:sure(?: thing)?|certainly|of course|absolutely|great question|okay|no problem|gerne|
        natürlich|bien sûr|claro)[\s!,.]{0,3})?(?:(?:i can|i['’]d be happy to|i['’]ll|happy to|
        let me) help(?: you)?(?: with (?:that|this))?)?
    `,
    pattern`
      here(?:['’]s| is| are) (?:what (?:i found|the \p{L}{4,10} say)|
        (?:(?:an?|the|your|some|my) )?(?:(?:brief|short|quick) )?${answerNoun}
        (?: (?:to|for) (?:your|the) question)?)(?: (?:based on|from|in) (?:the|
        these) (?:${given} )?${evidenceNoun})?
    `,
    `(?:the (?:answer|steps)(?: to (?:your|the) question)? )?(?:is|are|would be)(?: as follows)?|(?:to do (?:this|so), )?follow these steps`,
    pattern`
      (?:please )?(?:let me know|feel free to (?:ask|let me know|reach out))
        (?: (?:if|should) (?:you (?:have|need) |there['’]?s? )(?:is )?
        (?:any|other|more|further)[^\d@:;/.!?]{0,90})?
    `,
    pattern`
      (?:i )?hope (?:this|that|it) (?:helps|answers your question)|that['’]s it|
      (?:is there )?anything else i can help(?: you)?(?: with)?|
      (?:hier ist|voici|aquí está) (?:die|la|el) ${answerNoun}|
      (?:the |die |la )?(?:answer|antwort|réponse|respuesta)|hier ist,? was ich gefunden habe|
      voici ce que j['’]ai trouvé|esto es lo que (?:he encontrado|encontré)|
      espero que (?:esto )?(?:te |le )?ayude|ich hoffe,? das hilft(?: \p{L}{3,5})?|
      j['’]espère que cela (?:vous )?aide
    `,
  ].join('|')})[\\s.!?:]{0,3}$`,
  'iu',
);
export const saysNothing = (sentence: string): boolean =>
  !/[\p{L}\p{N}]/u.test(sentence) || fillerPhrases.test(sentence.replace(/^[\s¡*_]+/, ''));

export interface ReplySentence {
  readonly text: string;
  /** The text split at its citations, each part with the passages that it cites. */
  readonly parts: readonly ReplyPart[];
  readonly kind: TextSegment['kind'];
  /** Mark of a list item, or language of code. */
  readonly marker: string | undefined;
  /** Whether it is a further sentence of the preceding list item. */
  readonly continuesItem?: boolean;
  /**
   * Offsets in the reply; absent behind the tags of a model's reasoning, which the reader skips.
   */
  readonly span?: Readonly<{ start: number; end: number }> | undefined;
  readonly startsParagraph?: boolean;
}

interface ReplyPart {
  readonly text: string;
  /** Passages in the model's order, from 1. */
  readonly numbers: readonly number[];
}

/** Whether a sentence can be yielded although further citations may follow. */
type Decide = (sentence: ReplySentence) => boolean;

/** Further text is ignored; an answer of five sentences needs a fraction of this length. */
const maxReplyChars = 20_000;
/** Longer text without a sentence end is dropped. */
const maxPendingChars = 2_000;
/**
 * After this many failed scans, each scan waits until the text grew by a tenth, because
 * abbreviations can look like sentence ends.
 */
const eagerScans = 8;

/** Joined citations: `[1], [2] and [3]`. */
const citations = new RegExp(
  String.raw`(\s{0,9}${mark}(?:(?:\s|,|;|&|\b(?:and|und|et|y|e|en)\b){0,3}${mark})*)`,
);
/** Further citations of a yielded sentence, and the address of a citation that is a link. */
const furtherCitations = new RegExp(String.raw`^(?:\([^()\s]{0,300}\))?(?:[ \t,;&]{0,9}${mark})*`);
/** A stop after a citation ends a sentence, however the next one begins. */
const citedStop = String.raw`${mark}\s{0,3}[.!?…。！？]["”’')*_]*`;
const innerCitedStop = new RegExp(String.raw`${citedStop}(?=\s)`, 'g');
const endsCited = new RegExp(`${citedStop}$`);
/**
 * The model's own list of sources. The reader skips it by replacing it with asterisks, a Markdown
 * rule.
 */
const ownSources = new RegExp(
  pattern`
      ^[ \t>*_#]{0,6}(?:sources|references|citations|quellen|fuentes|fonti|bronnen|出典|
        来源)[*_]{0,3}[ \t]*[:：].*(?:\n[ \t]{0,8}(?:[[\]\-*•(<【［\d].*|$))*
    `,
  'gim',
);
/** JSON syntax around an answer that the model wrote into a field. */
const json =
  /^\s*(?:```(?:json)?\s*)?[{[]\s*(?:"[^"\n]{1,40}"\s*:\s*[{["]?\s*){1,3}|"\s*[}\],][\s}\],]*$/g;
/** Matches the line after a complete row, unless that line makes the row a header. */
const belowRow = /^[^\S\n]*\n\s*(?:\|\s*[^\s:|-]|[^\s|])/;
/**
 * Citations of code are on the next line; the second pattern matches the beginning of such a line.
 */
const fence = '(?:\\s*(?:`{3,}|~{3,})[^\\n]*)?';
const belowCode = new RegExp(String.raw`^${fence}(?:\s*(${mark}(?:${mark}|[ \t])*)(?:\n|$))?`);
const mayBeBelowCode = new RegExp(String.raw`^${fence}(?:\s|${mark})*(?:\[[\d,\s]*)?$`);
/** Tags around reasoning of the model, which the reader skips; a tag in a code span is text. */
const thinkTag = /(?<!`)(<\/?think(?:ing)?>)/i;
/** Matches an incomplete think tag or surrogate pair at the end of a text. */
const incomplete = /`?(?:<\/?[a-z]{0,8})?$|[\uD800-\uDBFF]$/i;

/**
 * Matches positions at which a sentence may have ended: a citation after a stop, a stop after a
 * citation, or the first character after a stop (skipping a word that may begin `Source: 1`), after
 * an empty line, of a list item, or of a line that begins or follows a block.
 */
const trigger = new RegExp(
  pattern`
      (?<=[.!?…。！？]["”’')*_]{0,4}\s{0,3}(?:\[{1,2}[^\][]{1,60}\]?|【[^【】]{1,60}|［[^［］]{1,20}|
        \([^()]{1,60}|<sup>[^<]{1,20}</sup))[\]】］)>]|
      (?<=[.!?…。！？]["”’')*_]{0,4})[¹²³⁴-⁹]|(?<=[\]】］)>¹²³⁴-⁹]\s?)[.!?…。！？]|
      (?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8})[^\s.!?…。！？SQF]|
      (?<=[.!?…。！？]["”’')\]*_]{0,4}\s{1,8}[SQF]\p{L}{0,20})[^\p{L}:]|
      (?<=[。！？])[^\s.!?…。！？"”’)」』）]|(?<=\n[ \t]{0,8}(?:[-*+][ \t]{1,4}|\|[ \t]{0,4}))\S|
      (?<=\n[ \t]{0,8}\n[ \t]{0,8}|[\]|】］:：][ \t]{0,8}\n[ \t]{0,8})\S|
      (?<=\n[ \t]{0,8})[-*+#>|\x60~\d[【［]
    `,
  'gu',
);

function toSentence(
  marked: string,
  { kind, marker, continuesItem = false }: ReplyUnit,
): ReplySentence {
  const opened = withoutOpener(withoutInvisible(marked).replace(json, ''));
  // Text and marks alternate; a final stop or row end belongs to the text before the citation.
  const pieces = opened.text.split(citations);
  const stop = pieces.length > 1 && !/[\p{L}\p{N}]/u.test(pieces.at(-1) ?? '') ? pieces.pop() : '';
  const parts = pieces.flatMap((piece, at) => {
    const numbers = [...(at === 0 ? opened.numbers : []), ...numbersIn(pieces[at + 1] ?? '')];
    return at % 2 === 1
      ? []
      : [{ text: at === pieces.length - 2 ? `${piece}${stop}` : piece, numbers }];
  });
  const text = parts.map((part) => part.text).join('');
  return { text: text.trim(), parts, kind, marker, continuesItem };
}

/** Reads a text as one sentence, without its citations. */
export const asOneSentence = (text: string): ReplySentence =>
  toSentence(withMarks(text), { kind: 'sentence', start: 0, end: text.length });

function innerEnds(unit: string): number[] {
  const cited = [...unit.matchAll(innerCitedStop)].map((stop) => stop.index + stop[0].length);
  return [...new Set([...cited, ...innerStops(unit)])].sort((a, b) => a - b);
}

type ReplyUnit = Omit<TextSegment, 'marker'> &
  Partial<Pick<ReplySentence, 'marker' | 'continuesItem'>>;

const unitsOf = (marked: string): ReplyUnit[] =>
  [...segments(withBrackets(marked))].flatMap((unit) => {
    if (unit.kind === 'row' || unit.kind === 'code') return [unit];
    const ends = [
      ...innerEnds(marked.slice(unit.start, unit.end)).map((end) => unit.start + end),
      unit.end,
    ];
    return ends.map((end, at) =>
      at === 0
        ? { ...unit, end }
        : { ...unit, start: ends[at - 1] ?? end, end, continuesItem: unit.kind === 'item' },
    );
  });

/** Splits a complete text as the reader does. A citation behind a stop belongs to its sentence. */
export const replyUnits = (text: string): ReplyUnit[] => unitsOf(withMarks(text));

/** Language of a code block, at the end of the text above it. */
const codeLanguage = /(?:`{3,}|~{3,})[ \t]*([A-Za-z][\w+#.-]{0,20})[^\n`]*\n[\s>]*$/;

/** Reads a unit; undefined if it may continue. @param decide undefined: the reply is complete */
function readUnit(
  text: string,
  marked: string,
  unit: ReplyUnit,
  isLast: boolean,
  decide: Decide | undefined,
): { readonly sentence: ReplySentence; readonly end: number } | undefined {
  const { start, end, kind } = unit;
  const below = marked.slice(end);
  if (kind === 'code') {
    if (decide && mayBeBelowCode.test(below)) return undefined;
    const [more = '', numbers = ''] = belowCode.exec(below) ?? [];
    const code = withoutInvisible(text.slice(start, end));
    const parts = [{ text: code, numbers: numbersIn(numbers) }];
    return {
      sentence: { text: code, parts, kind, marker: codeLanguage.exec(text.slice(0, start))?.[1] },
      end: end + more.length,
    };
  }
  // A row ends with its line; stops in its cells do not matter.
  const line = marked.slice(marked.lastIndexOf('\n', start) + 1);
  if (decide && kind === 'sentence' && /^\s*\|[^\n]*$/.test(line)) return undefined;
  const sentence = toSentence(marked.slice(start, end), unit);
  const read = { sentence, end };
  if (!isLast || !decide || (kind === 'row' && belowRow.test(below))) return read;
  // Only prose ends at its citation: items and rows end with their line.
  return kind === 'sentence' && endsCited.test(marked.slice(start, end)) && decide(sentence)
    ? read
    : undefined;
}

export class ReplyReader {
  #received = '';
  #incomplete = '';
  #isThinking = false;
  /** End of the text whose offsets are those of the reply. */
  #exactUntil = Number.POSITIVE_INFINITY;
  /** Whether text was ignored because the reply, or a part without a sentence end, is too long. */
  isCut = false;
  #consumed = 0;
  /**
   * Whether the last sentence was yielded at its first citation, so that further citations may
   * follow.
   */
  #mayHaveMoreCitations = false;
  #item: ReplySentence | undefined;
  /** Number of scans since the last sentence, and minimum end offset of the next scan. */
  #failedScans = { scans: 0, nextAt: 0 };

  push(text: string, decide: Decide): ReplySentence[] {
    trigger.lastIndex = this.#received.length;
    this.#add(text);
    return [...this.#received.matchAll(trigger)].flatMap((match) =>
      this.#scan(match[0], match.index, decide),
    );
  }

  end(): ReplySentence[] {
    if (!this.#isThinking && this.#incomplete.isWellFormed()) this.#received += this.#incomplete;
    this.#incomplete = '';
    return [...this.#take(this.#received.length)];
  }

  /** Appends text up to the limit; an incomplete tag or character waits for its rest. */
  #add(text: string): void {
    const whole = `${this.#incomplete}${text}`;
    this.#incomplete = incomplete.exec(whole)?.[0] ?? '';
    for (const piece of whole.slice(0, whole.length - this.#incomplete.length).split(thinkTag)) {
      const isTag = thinkTag.test(piece);
      if (isTag) this.#isThinking = !piece.startsWith('</');
      if (isTag) this.#exactUntil = Math.min(this.#exactUntil, this.#received.length);
      const added = isTag ? ' ' : piece.toWellFormed();
      this.isCut ||= !this.#isThinking && added.length > maxReplyChars - this.#received.length;
      if (!this.#isThinking)
        this.#received += added.slice(0, maxReplyChars - this.#received.length);
    }
  }

  /** Reads sentences up to a possible end. @param index offset of the `trigger` match */
  #scan(character: string, index: number, decide: Decide): ReplySentence[] {
    const end = index + character.length;
    if (end < this.#failedScans.nextAt) return [];
    const begin = this.#consumed;
    const mayBeCited = /[\]】］)>¹²³⁴-⁹.!?…。！？]/.test(character);
    const found = [...this.#take(end, mayBeCited ? decide : () => false)];
    const scans = this.#consumed === begin ? this.#failedScans.scans + 1 : 0;
    this.#failedScans = { scans, nextAt: scans < eagerScans ? 0 : end + (end - begin) / 10 };
    return found;
  }

  #inItem(unit: ReplyUnit, marked: string): ReplyUnit {
    if (!this.#item || unit.kind !== 'sentence' || /\n\s*\n/.test(marked.slice(0, unit.start)))
      return unit;
    return { ...unit, kind: 'item', marker: this.#item.marker, continuesItem: true };
  }

  /** Yields sentences up to offset `until`. @param decide undefined: the reply is complete */
  *#take(until: number, decide?: Decide): Generator<ReplySentence> {
    const begin = this.#consumed;
    const text = this.#received.slice(begin, until);
    const marked = withMarks(text.replace(ownSources, (list) => list.replace(/./g, '*')));
    let done = this.#mayHaveMoreCitations ? (furtherCitations.exec(marked)?.[0].length ?? 0) : 0;
    const units = unitsOf(marked).filter(({ end }) => end > done);
    for (const [position, unit] of units.entries()) {
      const isLast = position === units.length - 1;
      const start = Math.max(unit.start, done);
      const read = readUnit(text, marked, this.#inItem({ ...unit, start }, marked), isLast, decide);
      if (!read) break;
      this.#item = read.sentence.kind === 'item' ? read.sentence : undefined;
      const startsParagraph = /\n[ \t]*\n/.test(marked.slice(done, start));
      done = read.end;
      this.#mayHaveMoreCitations = isLast && unit.kind !== 'code';
      this.#consumed = begin + done;
      const span =
        begin + done > this.#exactUntil ? undefined : { start: begin + start, end: begin + done };
      if (unit.kind === 'code' || !saysNothing(read.sentence.text))
        yield { ...read.sentence, startsParagraph, span };
    }
    if (until - this.#consumed > maxPendingChars && /[^\s*]/.test(marked.slice(done)))
      [this.#consumed, this.isCut] = [until, true];
  }
}

const refused = /\n\nSources: none\s*$/;
export const isRefusedReply = (text: string): boolean => refused.test(text);
