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

function withWordsInParentheses(text: string): string {
  const opened: number[] = [];
  const characters = [...text];
  const kept = new Set<number>();
  for (const [at, character] of characters.entries()) {
    if (character === '(') opened.push(at);
    if (character !== ')') continue;
    const from = opened.pop();
    const inner =
      from === undefined
        ? ''
        : characters
            .slice(from + 1, at)
            .join('')
            .trim();
    if (from === undefined || inner === '' || (!/\s/.test(inner) && looksLikeTarget.test(inner)))
      continue;
    kept.add(from).add(at);
  }
  return characters
    .map((character, at) => (/[()]/.test(character) && !kept.has(at) ? ' ' : character))
    .join('');
}

const spaced = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns a title or heading on one line, safe to show as a label. */
export const plainLabel = (text: string) =>
  spaced(withWordsInParentheses(withoutMarkup(text).slice(0, maxLabelChars)));

/** Like `plainLabel`, but for a path, which is shown in parentheses. */
export const plainTarget = (path: string) => spaced(withoutMarkup(path).replace(/[()]/g, ' '));
