/** Text of a page as it is written: without characters that no reader sees, and with Markdown's own marks escaped where they would act. */

/** Controls and format characters: zero width, direction, tags. They hide text or change how it reads (https://www.unicode.org/reports/tr36/). */
const unseen = /[[\p{Cc}\p{Cf}]--[\t\n\r\f\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{8e2}]]/gv;
/** Joiners that shape letters and emoji stay. */
const strayJoiner =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u{200c}\u{200d}]+|[\u{200c}\u{200d}]+(?![\p{L}\p{M}\p{Extended_Pictographic}\u{2640}\u{2642}])/gu;
/** One chooses a form, several in a row carry something else. */
const strayVariations = /\p{Variation_Selector}{2,}/gu;

export const cleanText = (text: string): string => text.replace(unseen, '').replace(strayJoiner, '').replace(strayVariations, '');

/** A break between two lines of Chinese or Japanese is no space. */
const wideBreak =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。」）])[ \t]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}「（])/gu;

export const collapse = (text: string): string =>
  cleanText(text)
    .replace(wideBreak, '')
    .replace(/[\s\u00a0\u2028\u2029]+/g, ' ');

const isSpace = (char: string | undefined) => char === undefined || /\s/.test(char);
const isPunctuation = (char: string | undefined) => char !== undefined && /[\p{P}\p{S}]/u.test(char);

/** Whether a mark between two characters could open or close emphasis (CommonMark 6.2). */
const canOpen = (before: string | undefined, after: string | undefined) =>
  !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
const canClose = (before: string | undefined, after: string | undefined) =>
  !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));

/** Whether `**` around `inner` works as it should between these neighbours. */
export const canMark = (before: string | undefined, inner: string, after: string | undefined): boolean =>
  canOpen(before, inner[0]) && canClose(inner.at(-1), after);

/** Escapes runs of a mark only if one of them could open what a later one closes; `_` does neither inside a word. */
function escapeRuns(text: string, mark: string, isBoundToWords: boolean): string {
  const first = text.indexOf(mark);
  if (first < 0 || first === text.lastIndexOf(mark)) return text;
  const runs = new RegExp(`[${mark}]+`, 'g');
  let isOpen = false;
  let isPair = false;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const before = text[index - 1];
    const after = text[index + run.length];
    const isInWord = isBoundToWords && !isSpace(before) && !isPunctuation(before) && !isSpace(after) && !isPunctuation(after);
    if (isInWord) continue;
    if (isOpen && canClose(before, after)) isPair = true;
    if (canOpen(before, after)) isOpen = true;
  }
  return isPair ? text.replace(runs, (run) => run.replace(/./g, '\\$&')) : text;
}

/** `<b>`, and `List<T>` with the word that it belongs to. */
const tagOrOpening = /((?:\b[\w:.]{1,80})?<[a-z/!?][^<>\n`]{0,200}>)|<(?=[a-z/!?])/gi;

/** Tags that are written about become code; everything else that Markdown would act upon gets a backslash. */
export function escapeText(text: string): string {
  if (!/[\\`*_~[<&]/.test(text)) return text;
  let escaped = text.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\');
  if (escaped.indexOf('`') !== escaped.lastIndexOf('`')) escaped = escaped.replaceAll('`', '\\`');
  escaped = escapeRuns(escaped, '*', false);
  escaped = escapeRuns(escaped, '_', true);
  escaped = escapeRuns(escaped, '~', false);
  return escaped
    .replace(/\[(?=[^\]]{0,200}\]\()/g, '\\[')
    .replace(/&(?=#?\w{1,31};)/g, '\\&')
    .replace(tagOrOpening, (_, tag: string | undefined) => (tag === undefined ? '\\<' : `\`${tag.replace(/\\(?=[*_~[&\\])/g, '')}\``));
}

/** A line of a paragraph that would begin something else. Numbers and bullets may: they read the same. */
export const escapeLineStart = (line: string): string =>
  line.replace(/^(?=#{1,6}(?:\s|$)|>|\+\s|\||={2,}\s*$|(?:-\s*){2,}$|(?:\*\s*){3,}$|`{3}|~{3}|:::)/, '\\');

const longestOf = (runs: readonly string[] | null, least: number) =>
  (runs ?? []).reduce((longest, run) => Math.max(longest, run.length), least);

export function inlineCode(code: string): string {
  const text = code.replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  const fence = '`'.repeat(longestOf(text.match(/`+/g), 0) + 1);
  const room = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${room}${text}${room}${fence}`;
}

export function fencedCode(code: string, language: string): string {
  const fence = '`'.repeat(longestOf(code.match(/`{3,}/g), 2) + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
