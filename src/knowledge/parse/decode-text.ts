/** Bytes → text: byte order mark, then the declared encoding, then UTF-8, then windows-1252 as browsers do. Binary content is refused. */
import { KnowledgeError } from '../../errors.ts';

const unsupported = () => new KnowledgeError('unsupported_media_type', 'The content is not text, Markdown or HTML.');

const decode = (bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
};

const byteOrderMark = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
};

/** @throws KnowledgeError `unsupported_media_type` for binary content */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const marked = byteOrderMark(bytes);
  if (!marked && bytes.subarray(0, 65_536).includes(0)) throw unsupported();
  const text =
    (marked && decode(bytes, marked, true)) ??
    (charset && decode(bytes, charset, true)) ??
    decode(bytes, 'utf-8', true) ??
    decode(bytes, 'windows-1252', false) ??
    '';
  if (text.startsWith('%PDF-') || text.startsWith('{\\rtf')) throw unsupported();
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
}
