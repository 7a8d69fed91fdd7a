/**
 * Exact parts of a sentence: addresses, URLs, host and file names, code, identifiers, quotations.
 * The evidence must contain each of them literally; otherwise the sentence is unsupported. Figures:
 * `figures.ts`.
 */

import { pattern } from '../../shared/src/language/pattern.ts';

export const addressPatterns = [
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, // e-mail
  // URL, also with one slash, as browsers open it
  /(?:\b[a-z][a-z0-9+.-]{0,30}:[\\/]+|\/\/|\bwww\.)(?:[^\s<>()[\]"'`]|\([^\s<>()[\]"'`]*\))+/gi,
  /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,}(?:\/[^\s<>()[\]"'`]*)?/gu, // host or file name
];
const tokenPatterns = [
  ...addressPatterns,
  /(?<![\p{L}\p{N}/.:])\/[a-z0-9_{}:-]+(?:\/[a-z0-9_{}:.-]+)*/giu, // path
  /(?<![\p{L}\p{N}-])(?:--[a-z][a-z0-9-]*|-[a-z]{1,2})(?![\p{L}\p{N}-])/giu, // flag of a command
  /\$\{?[A-Z_]{2,}/g, // variable of a shell
  // telephone number, IBAN
  /(?<![\p{L}\p{N}.,:/-])(?!\d{1,2}([ ./-])\d{1,2}\1\d{2,4}(?!\d))(?:(?:\+|\(?0)\d[\d ()/-]{4,18}\d|\(?\d{3}\)?[ -]\d{3}-\d{4}|[A-Z]{2}\d{2}(?: [A-Z\d]{4}){2,7})/gu,
  // sort code, ISBN: groups of digits, except dates
  /(?<![\p{L}\p{N}.,:/-])(?!(?:\d{4}-\d\d?-\d\d?|\d\d?-\d\d?-\d{4})(?![\d-]))\d+(?:-\d+){2,}(?![\p{L}\p{N}])/gu,
  // emoji, and numerals other than digits: 🎉, ❺
  /(?!〇)[\p{No}\p{Nl}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/gu,
  // identifier: S3, FW-001, max_calls, getUser
  new RegExp(
    pattern`
      (?<![\p{L}\p{N}_])(?=[\p{Script=Latin}\p{N}_-]{2,64}(?![\p{Script=Latin}\p{N}_]))
        (?:\p{Script=Latin}+(?:-\p{Script=Latin}+){0,6}-?\p{N}[\p{Script=Latin}\p{N}-]*|
        [\p{Script=Latin}\p{N}]*_[\p{Script=Latin}\p{N}_]*|
        \p{Script=Latin}*\p{Ll}\p{Lu}[\p{Script=Latin}\p{N}]*)
    `,
    'gu',
  ),
  // words that are too long to be compared by their letters elsewhere
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_-]{65,}/gu,
];
/** Written with spaces, brackets or dashes, or without. */
const numberGroups = /^(?:[+(\d]|[a-z]{2}\d{2} )[\da-z ()/-]+$/;
const codePattern = /(?<!\\)`([^`\n]{1,500})`/g;
const quotationPattern =
  /[“"„«‹»›「『《〈〝＂]([^“"”„«»‹›\n「」『』《》〈〉〝〞＂]{2,1000})[”"“»›«‹」』》〉〞＂]/g;
const singleQuotationPattern = /(?<![\p{L}\p{N}])['‘‚]([^'‘’\n]{2,500})['’‘](?![\p{L}\p{N}])/gu;
/** Where an address may end. For a browser, the text behind such a mark may belong to it. */
const partMark =
  /[\s'"`()[\]<>|、。，（）「」]+|(?<=[^\p{ASCII}])(?=[\p{ASCII}])|(?<=\p{ASCII})(?=[^\p{ASCII}\p{L}])/u;
/** A part of an address, a handle, or a path: `@evil.example` of `https://a.example'@evil.example`. */
const addressPart =
  /@[\p{L}\p{N}]|[\p{L}\p{N}]@|^[.?#&].*\p{L}[.]\p{L}{2}|^(?:[.~]{0,2}|\p{L}:)[/\\]./u;

const flattened = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[*_`~\\]+/g, '')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[‐‑–—−]/g, '-')
    .replace(/\s+/g, ' ')
    .toLowerCase();
export const trimmedEnd = (token: string) => token.replace(/(?<![.,;:!?'"*_-])[.,;:!?'"*_-]+$/, '');

/** Markdown may escape a mark: `READ\\_WRITE`. */
export const plain = (text: string) => text.normalize('NFKC').replace(/\\(?=[_*.-])/g, '');

/** A path keeps its case: `bit.ly/3aBc` is not `bit.ly/3abc`. */
const withLowerHost = (token: string) => {
  const path =
    /^(?:[a-z][a-z0-9+.-]*:[\\/]+|\/\/)?[\w.-]+\.[\w-]+(?=[/?#])/i.exec(token)?.[0] ?? token;
  return path.toLowerCase() + token.slice(path.length);
};

/** @param text in NFKC, which maps look-alikes such as the dot in `evil․test`, as browsers do */
const tokensOf = (text: string) =>
  [
    ...tokenPatterns.flatMap((pattern) => text.match(pattern) ?? []),
    ...text.split(partMark).filter((part) => addressPart.test(part)),
  ]
    .map((found) => trimmedEnd(withLowerHost(found).replace(/^(?:[*_]+|mailto:)/, '')))
    .map((token) => (numberGroups.test(token) ? token.replace(/[ ()/-]/g, '') : token))
    .filter((token) => token !== '');

/** Where the text contains the part, not inside a longer word; -1: nowhere. */
function indexOfWhole(text: string, part: string) {
  let at = text.indexOf(part);
  while (at >= 0 && /[\p{L}\p{N}_]/u.test(text.charAt(at - 1) + text.charAt(at + part.length)))
    at = text.indexOf(part, at + 1);
  return at;
}

/** Code keeps its case and its marks. */
const asCode = (text: string) =>
  plain(text)
    .replace(/\*\*|`+/g, '')
    .replace(/\s+/g, ' ');
/** A word in a code span may be a label: `save`. */
const isLabel = (code: string) => /^[\p{L} ]*$/u.test(code);

const quotedBy = (pattern: RegExp, text: string, read: (inner: string) => string) =>
  [...text.matchAll(pattern)].map(([, inner = '']) => trimmedEnd(read(inner)).trim());

export type ExactParts = ReturnType<typeof exactPartsOf>;
export const exactPartsOf = (text: string) => ({
  tokens: tokensOf(plain(text)),
  quotations: [codePattern, quotationPattern, singleQuotationPattern].flatMap((pattern) =>
    quotedBy(pattern, text, flattened),
  ),
  code: quotedBy(codePattern, text, asCode).filter((inner) => !isLabel(inner)),
});

export type ExactText = ReturnType<typeof exactTextOf>;
export const exactTextOf = (passage: string) => ({
  tokens: new Set(tokensOf(plain(passage))),
  flat: flattened(passage),
  code: asCode(passage),
});

/** Whether the passage contains every exact part as a whole. */
export const holdsExactParts = (
  { tokens, quotations, code }: ExactParts,
  passageText: () => ExactText,
): boolean =>
  tokens.length + quotations.length === 0 ||
  (tokens.every((token) => passageText().tokens.has(token)) &&
    code.every((part) => indexOfWhole(passageText().code, part) >= 0) &&
    quotations.every((part) => part === '' || indexOfWhole(passageText().flat, part) >= 0));
