/** Bytes → text: byte order mark, then the declared encoding, then UTF-8, then older encodings by their letters, then windows-1252 as browsers do. Binary content is refused. */
import { KnowledgeError } from '../errors.ts';

const unsupported = () => new KnowledgeError('unsupported_media_type', 'The content is not text, Markdown or HTML.');

const decode = (bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** The encoding that a page names in its head, where its server names none. */
export const htmlCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i.exec(Buffer.from(bytes.subarray(0, 2048)).toString('latin1'))?.[1];

/** The encoding that the first bytes name; none for UTF-8, which needs no mark. */
export const byteOrderMark = ([first, second]: Uint8Array): string | undefined =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;

/**
 * Encodings of languages whose letters are no ASCII, by the letters that they have to give. Only asked where a text is neither UTF-8 nor
 * mostly ASCII, as Latin letters with accents are.
 */
const legacy: readonly (readonly [encoding: string, letters: RegExp])[] = [
  ['shift_jis', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['euc-jp', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['windows-1251', /[а-яё]/gu],
];
const sampledBytes = 65_536;
/** Share of bytes that are no ASCII from which a text is not taken for Latin letters. */
const minForeignShare = 0.3;
/** Share of its characters that are letters of the language. */
const minLetterShare = 0.2;

function decodeLegacy(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampledBytes);
  const foreign = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  if (foreign < minForeignShare * sample.length) return undefined;
  for (const [encoding, letters] of legacy) {
    const text = decode(bytes, encoding, true);
    const start = text?.slice(0, sampledBytes) ?? '';
    if (text !== undefined && (start.match(letters)?.length ?? 0) >= minLetterShare * start.length) return text;
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
