/**
 * What a glyph's Unicode value becomes in a document: ligatures and presentation forms are spelled out, characters that show nothing
 * (controls, direction marks, tags) are gone, so that no text can hide in them. Joiners stay between letters, where scripts need them.
 */
import { isInvisible, withoutInvisible } from '../../language/invisible.ts';

/** Whether these are needed is seen beside other glyphs, by `settledText`; the first divides a word at the end of a line. */
const undecided = '\u00ad\u200c\u200d\ufe0e\ufe0f';
/** What stands for something that is no text. */
const replacement = /[\ufffc\ufffd]/g;
const presentationForms = /[\ufb00-\ufdff\ufe70-\ufefc\uff01-\uff5e\u2f00-\u2fd5]/g;
const spaces = /[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
/** Marks of the symbol fonts that office programs use for lists. */
const symbolBullets = /[\uf02d\uf06c-\uf06f\uf071-\uf077\uf09e-\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc]/g;
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Marks stand before their letter in the order of the eye, so characters are turned around one by one. */
const reversed = (text: string): string => [...text].reverse().join('');

/** What of a glyph's text can be seen, in the order of the eye from left to right; spaces become one space. */
export function shownText(unicode: string): string {
  // Nearly every glyph is one character of ASCII.
  if (unicode.length === 1 && unicode > ' ' && unicode < '\x7f') return unicode;
  const text = unicode
    .replace(spaces, ' ')
    .replace(presentationForms, (form) => form.normalize('NFKC'))
    .replace(symbolBullets, '•')
    .replace(privateUse, '')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(replacement, '')
    .replace(/[^ -~]/gu, (character) => (isInvisible(character) && !undecided.includes(character) ? '' : character));
  return text.length > 1 && rightToLeft.test(text) ? reversed(text) : text;
}

/** A whole text without joiners that join nothing and without soft hyphens that break nothing. */
export const settledText = (text: string): string => withoutInvisible(text).normalize('NFC') + (text.endsWith('\u00ad') ? '\u00ad' : '');

const leftToRightRun = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}.,:/%@+_-]*[\p{L}\p{N}%])?/gu;
const mirrored: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '«': '»', '»': '«' };

function isRightToLeft(text: string): boolean {
  if (!rightToLeft.test(text)) return false;
  const letters = [...text].filter((character) => /\p{L}/u.test(character));
  return letters.filter((letter) => rightToLeft.test(letter)).length * 2 >= letters.length;
}

/** Text in the order of the eye → the order of reading, where most of it is written from right to left. */
export function readingOrder(text: string): string {
  if (!isRightToLeft(text)) return text;
  return reversed(text)
    .replace(/[()[\]{}«»]/g, (bracket) => mirrored[bracket] ?? bracket)
    .replace(leftToRightRun, (run) => (rightToLeft.test(run) ? run : reversed(run)));
}

/** Pieces of one line, given from the left, in the order of reading. */
export const inReadingOrder = (texts: readonly string[]): readonly string[] => (isRightToLeft(texts.join('')) ? texts.toReversed() : texts);
