/**
 * HTML character references → characters, where they stand for one character of text. `&lt;div&gt;` in Markdown is a tag that is talked
 * about: it becomes a code span, because as plain characters it would be markup again.
 */
import { DomUtils, parseDocument } from 'htmlparser2';
import { withoutInvisible } from '../../language/invisible.ts';

const reference = /&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,30});/gi;
const tagTalkedAbout = /&lt;(\/?[a-z][^&<>`\n]{0,200}?)&gt;/gi;
/** As plain characters these would be Markdown. */
const isMarkup = /[\\`*_[\]<|~#]/;

/** A space for every kind of one, nothing for what is not seen; undefined for what is no reference, or one to no character of text. */
function characterOf(reference: string): string | undefined {
  const character = DomUtils.textContent(parseDocument(reference));
  if (character === reference || /[\p{Cc}\ufffd]/u.test(character)) return undefined;
  return withoutInvisible(character.replace(/\p{Zs}/gu, ' '));
}

/** For text that is written as code or data afterwards: every reference that is known. */
export const decodeAll = (text: string): string => text.replace(reference, (whole) => characterOf(whole) ?? whole);

/** How a character is written in prose so that it reads the same; undefined where its reference has to stay. */
function writtenInProse(character: string, before: string, after: string): string | undefined {
  if (character === '&') return /^#?[a-z0-9]{1,10};/i.test(after) ? undefined : '&';
  if (character === '<') return /^[a-z/!?]/i.test(after) ? '\\<' : '<';
  if (character === '>') return before.trim() === '' ? '\\>' : '>';
  return isMarkup.test(character) ? `\\${character}` : character;
}

/** For prose of a Markdown document; what would read differently afterwards stays as it is written. */
export const decodeInProse = (text: string): string =>
  text
    .replace(tagTalkedAbout, (_, tag: string) => `\`<${decodeAll(tag)}>\``)
    .replace(reference, (whole, at: number, all: string) => {
      const isEscaped = /(?<!\\)(?:\\\\)*\\$/.test(all.slice(Math.max(0, at - 20), at));
      const character = isEscaped ? undefined : characterOf(whole);
      const end = at + whole.length;
      return (character === undefined ? undefined : writtenInProse(character, all.slice(0, at), all.slice(end, end + 12))) ?? whole;
    });
