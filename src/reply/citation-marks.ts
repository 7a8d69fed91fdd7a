/**
 * How models write which passage a sentence is from, `[1]`, `(Passage 1)`, `According to passage 1, …`, and what they say around an answer.
 * Each citation becomes marks, characters of private use, one for each passage: the text stays as long as it was, so that positions stay.
 */
import { capitalized } from './shown-sentence.ts';

const firstMark = 0xe000;
const filler = '\uF8FF';
export const mark = String.raw`[\uE000-\uE3FF\uF8FF]`;
export const numbersIn = (text: string): number[] =>
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
export const withMarks = (text: string): string =>
  text
    .replace(citation, (whole, code?: string) => code ?? toMarks(whole))
    .replace(behindRow, '$1$2|')
    .replace(behindStop, '$2$1');

/** As long as it was, with brackets of which whoever cuts it into units knows that they are citations. */
export const withBrackets = (marked: string): string =>
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
export function withoutOpener(sentence: string): { readonly text: string; readonly numbers: readonly number[] } {
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
