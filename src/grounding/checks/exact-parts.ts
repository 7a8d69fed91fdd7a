/**
 * What has to be taken over letter by letter: addresses, URLs, host and file names, code, identifiers, quotations. A sentence that
 * states one which its evidence does not hold is not supported, however alike the words are. Figures have a file of their own.
 */

const addressPatterns = [
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, // e-mail
  /(?:\b[a-z][a-z0-9+.-]{0,30}:)?\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+/gi, // URL
  /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,}(?:\/[^\s<>()[\]"'`]*)?/gu, // host or file name
];
const tokenPatterns = [
  ...addressPatterns,
  /(?<![\p{L}\p{N}/.:])\/[a-z0-9_{}:-]+(?:\/[a-z0-9_{}:.-]+)*/giu, // path
  /(?<![\p{L}\p{N}-])--[a-z][a-z0-9-]*(?![\p{L}\p{N}])/giu, // flag of a command
  /(?<![\p{L}\p{N}_])(?=[\p{Script=Latin}\p{N}_-]{2,64}(?![\p{Script=Latin}\p{N}_]))(?:\p{Script=Latin}+(?:-\p{Script=Latin}+){0,6}-?\p{N}[\p{Script=Latin}\p{N}-]*|[\p{Script=Latin}\p{N}]*_[\p{Script=Latin}\p{N}_]*|\p{Script=Latin}*\p{Ll}\p{Lu}[\p{Script=Latin}\p{N}]*)/gu, // identifier: S3, FW-001, max_calls, getUser
];
const codePattern = /`([^`\n]{1,300})`/g;
const quotationPattern = /[“"„«「『]([^“"”„«»\n「」『』]{2,300})[”"“»」』]/g;
const singleQuotationPattern = /(?<![\p{L}\p{N}])['‘]([^'‘’\n]{2,120})['’](?![\p{L}\p{N}])/gu;

const flattened = (text: string) =>
  text
    .replace(/[*_`~\\]+/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
const trimmedEnd = (token: string) => token.replace(/(?<![.,;:!?'"*_-])[.,;:!?'"*_-]+$/, '');

/** Markdown may mask a mark: `READ\\_WRITE`. */
const plain = (text: string) => text.normalize('NFKC').replace(/\\(?=[_*.-])/g, '');

/** Look-alikes (`evil․test` with another dot) are what a browser would make of them. */
const tokensOf = (text: string): string[] =>
  tokenPatterns
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => trimmedEnd(match.toLowerCase())))
    .filter((token) => token !== '');

/** Found without a letter or figure of a longer word right beside it. */
function isWholeIn(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!/[\p{L}\p{N}_]/u.test(text.charAt(at - 1) + text.charAt(at + part.length))) return true;
  return false;
}

const quotationsOf = (text: string): string[] =>
  [codePattern, quotationPattern, singleQuotationPattern].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, inner = '']) => trimmedEnd(flattened(inner)).trim()),
  );

export type ExactParts = Readonly<{ tokens: readonly string[]; quotations: readonly string[] }>;

export const exactPartsOf = (text: string): ExactParts => ({ tokens: tokensOf(plain(text)), quotations: quotationsOf(text) });

export type ExactText = Readonly<{ tokens: ReadonlySet<string>; flat: string }>;

export const exactTextOf = (passage: string): ExactText => ({ tokens: new Set(tokensOf(plain(passage))), flat: flattened(passage) });

/** Whether the passage holds every address, URL, name, piece of code and quotation, whole. */
export function holdsExactParts({ tokens, quotations }: ExactParts, there: () => ExactText): boolean {
  if (tokens.length + quotations.length === 0) return true;
  const { tokens: held, flat } = there();
  return tokens.every((token) => held.has(token)) && quotations.every((part) => part === '' || isWholeIn(flat, part));
}

/** A text in which each address (e-mail, URL, host or file name) that no passage holds is `…`. */
export function withoutForeignAddresses(text: string, passages: readonly ExactText[]): string {
  const shownAs = (address: string) => (passages.some(({ tokens }) => tokens.has(trimmedEnd(address.toLowerCase()))) ? address : '…');
  const withoutForeign = (piece: string) => addressPatterns.reduce((rest, pattern) => rest.replace(pattern, shownAs), piece);
  return text.replace(/\S+/g, (piece) => {
    // With look-alikes of its marks an address stands nowhere in the piece, and is one to a browser.
    const read = plain(piece);
    if (read !== piece && withoutForeign(read) !== read) return '…';
    return withoutForeign(piece);
  });
}
