/**
 * A model's reply → its sentences, as they come in. A sentence is given out when the model has begun the next one, or at once where its
 * citation ends it; the last one at the end. How the reply is cut into pieces on its way makes no difference to what is read.
 */
import { withoutInvisible } from '../language/invisible.ts';
import { innerStops, segments, type TextSegment } from '../language/segments.ts';
import { capitalized } from './shown-sentence.ts';

// How models write which passage a sentence is from, `[1]`, `(Passage 1)`, `According to passage 1, …`, and what they say around an answer.
// Each citation becomes marks, characters of private use, one for each passage: the text stays as long as it was, so that positions stay.

const firstMark = 0xe000;
const filler = '\uF8FF';
export const mark = String.raw`[\uE000-\uE3FF\uF8FF]`;
const numbersIn = (text: string): number[] =>
  (text.match(/\d+|[\uE000-\uE3FF]/g) ?? []).map((one) => (/\d/.test(one) ? Number(one) : one.charCodeAt(0) - firstMark));

const noun =
  '(?:passage[ns]?|pasajes?|sources?|quellen?|fuentes?|do[ck]ument(?:en?|os?|s)?|docs?|excerpts?|extraits?|ref(?:erence)?s?|citations?)';
const bracketed = String.raw`\[\s{0,3}\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9}\s{0,3}\]`;
const number = String.raw`(?:\d{1,3}(?![\d%]|\.\d)|${bracketed}|${mark}{1,40})`;
const numbered = String.raw`${noun}[\s:#]{0,2}(?:${noun}\s)?${number}`;
const and = String.raw`(?:\s?&\s?|,?\s(?:and|und|et|y)\s)`;
/** Where a sentence goes on behind it: `passage 1, 30 days` names one passage. */
const named = String.raw`(?:(?:the|le|la|el)\s)?(?:${numbered}(?:(?:,\s(?:${noun}\s)?${number}){0,4}${and}(?:${noun}\s)?${number})?|(?:${bracketed}|${mark})(?:(?:${and}|,?\s)?(?:${bracketed}|${mark})){0,60})`;
const asIn = String.raw`as\s(?:also\s)?\p{L}{2,10}(?:ed|en|wn|id)\s(?:in|by)|according to|laut|gemäß|selon|d['’]après|según|de acuerdo con`;
const stopBefore = String.raw`(?<=[.!?…]["”’)*_]{0,2}\s{0,3})`;
const superscripts = '[¹²³⁴-⁹]';
/** Not an exponent, nor the unit of a number: `10²`, `m²`, `20 acres²`. */
const noPower = String.raw`(?<=^|(?:\p{L}{3}|[.!?…,"”’)*_\]])(?:\s|${superscripts}{1,4}|${mark}{1,4})?)(?<!\d\s?\p{L}{3,9})`;
const citation = new RegExp(
  [
    '(`[^`\\n]{1,500}`)',
    String.raw`(?:\[${bracketed}\]|${bracketed})(?:\([^()\s]{0,300}\))?`,
    // `[1.5]` and `[-1]` cite nothing.
    String.raw`\[\s{0,3}(?:\^\s{0,3}\d{1,3}|\d{1,3}\s{0,3}[-–]\s{0,3}\d{1,3}|-?\d{0,3}[.-]\d{1,3})\s{0,3}\]`,
    String.raw`【\s{0,3}[\d０-９]{1,3}[^【】\n]{0,60}】|［\s{0,3}[\d０-９]{1,3}\s{0,3}］`,
    String.raw`[([]\s?(?:(?:${asIn}|see(?: also)?|from|in|siehe|vgl\.|voir|ver|véase)\s)?(?:${numbered}|${bracketed})(?:[\s,;&–-]{1,3}(?:(?:and|und|et|y)\s)?(?:${noun}\s)?${number}){0,5}\s?[)\]]`,
    String.raw`(?<=[\p{L}\p{N}"”’)%*_\x60°])(?:,?\s)(?:${asIn})\s${named}(?=[ \t]{0,3}(?:[.!?…;:,)\n]|$))`,
    String.raw`(?<=:\s)(?:${asIn})\s${named},`,
    String.raw`${stopBefore}(?:sources?|quellen?|fuentes?)\s?:\s?(?:${noun}\s)?${number}(?:${and}${number}|,\s?${number}){0,4}\.?(?=\s{0,3}(?:\n|$))`,
    String.raw`<sup>\s?${bracketed}\s?</sup>|${noPower}(?:<sup>\s?\d{1,2}(?:,\s?\d{1,2}){0,4}\s?</sup>|${superscripts})`,
    // `(1)` only where it ends a sentence, or a line behind one: elsewhere it counts something.
    String.raw`(?<=[\p{L}\p{N}"”’)%*_\x60]\s)(?<!\b(?:and|or|und|oder|et|ou|y|to|the|step|item|option|part|level|version|figure|table|section|one|two|three|four|five|six|drei|trois|tres)\s)\([1-9]\)(?=\s{0,3}[.!?…](?:\s|$))|${stopBefore}\([1-9]\)(?=[ \t]{0,3}(?:\n|$))`,
  ].join('|'),
  'giu',
);

function toMarks(whole: string): string {
  // The address of a link, and the place inside a source, hold numbers of their own.
  const text = whole.normalize('NFKC').replace(/\]\(.*|(?<=^【\s{0,3}\d{1,3})\D.*/s, '');
  const numbers = /^\[\s*-|\d\.\d|^\[\s*\.\d/.test(text) ? [0] : numbersIn(text);
  const marks = numbers.map((one) => String.fromCharCode(firstMark + one)).join('');
  return marks.slice(0, whole.length).padEnd(whole.length, filler);
}

/** A number belongs to the sentence that it follows, `days. [1] Next` → `days [1]. Next`, or to its row, `| $28 | [1]`. */
const behindStop = new RegExp(String.raw`(\s{0,3}[.!?。！？]["”')*_]*)((?:\s*${mark})+)`, 'g');
const behindRow = new RegExp(String.raw`^([ \t]*\|.*)\|((?:[ \t]*${mark})+)(?=[ \t]*$)`, 'gm');

/** The same with marks for citations, before the stop that they stood behind; as long as it was. */
const withMarks = (text: string): string =>
  text
    .replace(citation, (whole, code?: string) => code ?? toMarks(whole))
    .replace(behindRow, '$1$2|')
    .replace(behindStop, '$2$1');

/** As long as it was, with brackets of which whoever cuts it into units knows that they are citations. */
const withBrackets = (marked: string): string =>
  marked.replace(new RegExp(`${mark}+`, 'g'), (run) => (run.length < 3 ? ','.repeat(run.length) : `[${','.repeat(run.length - 2)}]`));

const says = 'states?|says?|mentions?|notes?|explains?|suggests?|provides?';
const saysThat = `(?:${says}|indicates?|shows?|reports?|specif(?:y|ies)|confirms?|adds?|besag(?:t|en)|indiquent?|précisent?|indican?|dicen?|señalan?)`;
const that = '(?:that|,?\\sdass|que)\\s';
const given = '(?:given|provided|above|following|available|retrieved|relevant|bereitgestellten|fournie?s|proporcionad[ao]s?|disponibles?)';
const told = `(?:${noun}|documentation|information(?:en|s)?|información|context|kontext|text)`;
const opener = new RegExp(
  String.raw`^\s{0,3}(?:(?:${asIn}|based on|in|from|per|basierend auf|nach|en|dans)\s(${named}),?:?\s{0,3}(?:it\s(?:(?:also\s)?${saysThat}|is\s\p{L}{4,10})\s${that})?|(${named})(?:\s?:|\s(?:(?:also|further)\s)?(?:${saysThat}\s?${that}|(?:${says})\s))|(?:${asIn}|based on|basierend auf|basándo(?:se|me) en)\s(?:(?:the|these|this|all|your|den|der|die|les?|la|los|las|el)\s)?(?:${given}\s)?${told}(?:\s${given})?\s?(?:[,:]|$))\s{0,3}`,
  'iu',
);

const german = /^\s*(?:laut|gemäß|nach|basierend)\b/i;

/** Without what names passages or announces an answer at its beginning, and the numbers of these. */
function withoutOpener(sentence: string): { readonly text: string; readonly numbers: readonly number[] } {
  const [lead = '', before = ''] = /^([^\n:]{3,90}):\**\s+(?=\S)/.exec(sentence) ?? [];
  if (before !== '' && saysNothing(before)) return { text: capitalized(sentence.slice(lead.length)), numbers: [] };
  const [whole, by = '', said = ''] = opener.exec(sentence) ?? [''];
  if (whole === '') return { text: sentence, numbers: [] };
  const rest = sentence.slice(whole.length);
  // In German the verb comes first behind it.
  const isVerbFirst = german.test(whole) && !/[,:]\s*$/.test(whole) && /^\p{Ll}/u.test(rest);
  return { text: isVerbFirst ? `Demnach ${rest}` : capitalized(rest), numbers: numbersIn(by + said) };
}

const thing = '(?:answer|summary|information|response|overview|steps|details|antwort|réponse|respuesta|list)';
/** What is said around an answer. Nothing that could name a matter, a number or a place is part of it. */
const smallWords = new RegExp(
  `^(?:${[
    String.raw`(?:(?:sure(?: thing)?|certainly|of course|absolutely|great question|okay|no problem|gerne|natürlich|bien sûr|claro)[\s!,.]{0,3})?(?:(?:i can|i['’]d be happy to|i['’]ll|happy to|let me) help(?: you)?(?: with (?:that|this))?)?`,
    String.raw`here(?:['’]s| is| are) (?:what (?:i found|the \p{L}{4,10} say)|(?:(?:an?|the|your|some|my) )?(?:(?:brief|short|quick) )?${thing}(?: (?:to|for) (?:your|the) question)?)(?: (?:based on|from|in) (?:the|these) (?:${given} )?${told})?`,
    `(?:the (?:answer|steps)(?: to (?:your|the) question)? )?(?:is|are|would be)(?: as follows)?|(?:to do (?:this|so), )?follow these steps`,
    String.raw`(?:please )?(?:let me know|feel free to (?:ask|let me know|reach out))(?: (?:if|should) (?:you (?:have|need) |there['’]?s? )(?:is )?(?:any|other|more|further)[^\d@:;/.!?]{0,90})?`,
    String.raw`(?:i )?hope (?:this|that|it) (?:helps|answers your question)|that['’]s it|(?:is there )?anything else i can help(?: you)?(?: with)?|(?:hier ist|voici|aquí está) (?:die|la|el) ${thing}|(?:the |die |la )?(?:answer|antwort|réponse|respuesta)|hier ist,? was ich gefunden habe|voici ce que j['’]ai trouvé|esto es lo que (?:he encontrado|encontré)|espero que (?:esto )?(?:te |le )?ayude|ich hoffe,? das hilft(?: \p{L}{3,5})?|j['’]espère que cela (?:vous )?aide`,
  ].join('|')})[\\s.!?:]{0,3}$`,
  'iu',
);
/** Whether a sentence states nothing that a passage could bear. */
export const saysNothing = (sentence: string): boolean =>
  !/[\p{L}\p{N}]/u.test(sentence) || smallWords.test(sentence.replace(/^[\s¡*_]+/, ''));

export interface ReplySentence {
  readonly text: string;
  /** The same in pieces, each with the passages that it points to, where numbers stand inside the sentence. */
  readonly parts: readonly ReplyPart[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  /** Whether it is a further sentence of the list item before it. */
  readonly continuesItem?: boolean;
}

interface ReplyPart {
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
