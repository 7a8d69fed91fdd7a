/**
 * Bytes → text. Tries the byte order mark, the declared encoding, UTF-8, legacy encodings and
 * windows-1252, in this order.
 */
import { KnowledgeError } from '../../shared/src/errors.ts';

const unsupported = () =>
  new KnowledgeError(
    'unsupported_media_type',
    'The content is binary, not text in a supported format.',
  );

const decode = (bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Encoding declared in the head of an HTML page. */
export const htmlCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i.exec(
    Buffer.from(bytes.subarray(0, 2048)).toString('latin1'),
  )?.[1];

/** Encoding of the byte order mark; undefined for UTF-8, the default. */
export const byteOrderMark = ([first, second]: Uint8Array): string | undefined =>
  first === 0xff && second === 0xfe
    ? 'utf-16le'
    : first === 0xfe && second === 0xff
      ? 'utf-16be'
      : undefined;

/**
 * Non-Latin encodings, each with letters that the decoded text must contain. Tried only for text
 * that is mostly non-ASCII.
 */
const legacyEncodings: readonly (readonly [encoding: string, letters: RegExp])[] = [
  ['shift_jis', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['euc-jp', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['windows-1251', /[а-яё]/gu],
];
const sampledBytes = 65_536;
/** Minimum share of non-ASCII bytes; below it the text is assumed to be Latin. */
const minForeignShare = 0.3;
/** Minimum share of characters that are `letters` of the encoding. */
const minLetterShare = 0.2;

function decodeLegacy(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampledBytes);
  const foreign = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  if (foreign < minForeignShare * sample.length) return undefined;
  for (const [encoding, letters] of legacyEncodings) {
    const text = decode(bytes, encoding, true);
    const start = text?.slice(0, sampledBytes) ?? '';
    if (text !== undefined && (start.match(letters)?.length ?? 0) >= minLetterShare * start.length)
      return text;
  }
  return undefined;
}

/** @throws KnowledgeError `unsupported_media_type` for binary content */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const marked = byteOrderMark(bytes);
  const isWide = marked !== undefined || /^utf-?(?:16|32)/i.test(charset ?? '');
  if (!isWide && bytes.subarray(0, 65_536).includes(0)) throw unsupported();
  const text =
    (marked === undefined ? undefined : decode(bytes, marked, true)) ??
    (charset === undefined ? undefined : decode(bytes, charset, true)) ??
    decode(bytes, 'utf-8', true) ??
    decodeLegacy(bytes) ??
    decode(bytes, 'windows-1252', false) ??
    '';
  if (text.startsWith('%PDF-') || text.startsWith('{\\rtf')) throw unsupported();
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
}
