/**
 * Labels from untrusted titles and paths: one line without links, addresses and text that looks
 * like another source.
 */
import { decodeReferences } from '../markdown/headings.ts';
import { shownLine } from './invisible.ts';

const maxLabelChars = 1_000;

const address =
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/\S*|\bwww\.\S+|(?<!\S)\S+@\S+\.\S+|\b(?:javascript|data|mailto|vbscript):\S*/gi;

const withoutMarkup = (text: string) =>
  shownLine(decodeReferences(text).normalize('NFKC'))
    .replace(/[[\]<>`*|\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, ' ')
    .replace(address, ' ');

/**
 * In parentheses, text with such a character and without spaces looks like the target of a source
 * line.
 */
const looksLikeTarget = /[./\\:@]/;

const withWordsInParentheses = (text: string) =>
  text.replace(/\(([^()]*)\)|[()]/g, (found, inner = '') =>
    inner.trim() !== '' && (/\s/.test(inner) || !looksLikeTarget.test(inner))
      ? found
      : ` ${inner} `,
  );

const spaced = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns a title or heading on one line, safe to show as a label. */
export const plainLabel = (text: string) =>
  spaced(withWordsInParentheses(withoutMarkup(text).slice(0, maxLabelChars)));

/** Like `plainLabel`, but for a path, which is shown in parentheses. */
export const plainTarget = (path: string) => spaced(withoutMarkup(path).replace(/[()]/g, ' '));
