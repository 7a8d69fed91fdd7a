/**
 * Bytes → text. Tries the byte order mark, the declared encoding, UTF-8, and then the encodings of
 * the web, by the frequencies of their letters.
 */
import { refused } from './source.ts';

const unsupported = () => refused('The content is binary, not text in a supported format.');
const unclear = () =>
  refused(
    'The encoding of the text is unclear. Save it as UTF-8 in an editor or with iconv, and add it again.',
  );

const decode = (bytes: Uint8Array, encoding: string, fatal: boolean) => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Encoding declared in an XML declaration or in the head of an HTML page. */
export const declaredCharset = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const [, html, xml] =
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})|^(?:\xef\xbb\xbf)?\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w-]{1,40})/i.exec(
      head,
    ) ?? [];
  const declared = html ?? xml;
  // A declaration that can be read byte by byte is not in these encodings.
  return !declared || /^(?:utf-?16|unicode|ucs-2|csunicode|iso-10646-ucs-2)/i.test(declared)
    ? undefined
    : declared;
};

/** Encoding of the byte order mark; undefined for UTF-8, the default. */
export const byteOrderMark = ([first, second]: Uint8Array): string | undefined =>
  first === 0xff && second === 0xfe
    ? 'utf-16le'
    : first === 0xfe && second === 0xff
      ? 'utf-16be'
      : undefined;

/** Decodes a part of an archive: an XML file, a chapter, a style sheet. */
export const decodePart = (bytes: Uint8Array): string =>
  decode(bytes, byteOrderMark(bytes) ?? declaredCharset(bytes) ?? 'utf-8', false) ??
  new TextDecoder().decode(bytes);

/** Encodings as the detector names them. */
const encodings = `
  GB18030 Big5 CP949 CP932 EUC-JP Windows-1250 ISO-8859-2 Windows-1251 KOI8-R koi8-u IBM866
  Windows-1252 Windows-1253 ISO-8859-7 Windows-1254 Windows-1255 Windows-1256 Windows-1257
`
  .trim()
  .split(/\s+/);
/** Labels of the web that differ from these names. */
const labels: Readonly<Record<string, string>> = { CP949: 'euc-kr', CP932: 'shift_jis' };
const sampledBytes = 65_536;

const latin = /^(?:windows-125[0247]|iso-8859-2)$/;
const mixedWord =
  /\p{sc=Latin}[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}]|[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}]\p{sc=Latin}/u;

/** Whether text in an encoding of another script is written in that script. */
function isPlausible(text: string, encoding: string) {
  if (/[\u0080-\u009f\ufffd]/.test(text)) return false;
  if (latin.test(encoding)) return true;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const own = text.match(/(?!\p{sc=Latin})\p{L}/gu)?.length ?? 0;
  // Minimum share of the letters of a text that belong to the script of its encoding.
  return own >= letters * 0.2 && !mixedWord.test(text);
}

async function detectEncoding(bytes: Uint8Array) {
  const { detectAll } = await import('jschardet');
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - 1_024);
  const sample = bytes.subarray(start, start + sampledBytes);
  // The last character may be cut.
  const whole =
    start + sampledBytes < bytes.length ? sample.subarray(0, sample.lastIndexOf(10) + 1) : sample;
  const found = detectAll(Buffer.from(whole.length > 0 ? whole : sample), {
    detectEncodings: encodings,
    minimumThreshold: 0,
  })
    .map(({ encoding, confidence }) => ({
      label: labels[encoding ?? ''] ?? encoding?.toLowerCase() ?? '',
      confidence,
    }))
    .filter(({ label }) => isPlausible(decode(whole, label, true) ?? '\ufffd', label));
  const western = found.find(({ label }) => label === 'windows-1252');
  const [best] = found;
  // The detector's confidence, from 0 to 1. One character of a table has about .01.
  if (!best || best.confidence < 0.003) return undefined;
  const isWestern =
    // Between Latin encodings, the most common one is assumed unless another is this much more
    // likely.
    western && latin.test(best.label) && best.confidence < western.confidence * 1.3;
  return isWestern ? western.label : best.label;
}

/** UTF-8 of which a few characters are damaged. */
function damagedUtf8(bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes);
  const damaged = text.match(/\ufffd/g)?.length ?? 0;
  return damaged * 20 < (text.match(/[^\0-\u007f]/g)?.length ?? 0) ? text : undefined;
}

async function decodeUndeclared(bytes: Uint8Array) {
  const nearly = damagedUtf8(bytes);
  if (nearly !== undefined) return nearly;
  const encoding = await detectEncoding(bytes);
  const text = encoding && decode(bytes, encoding, false);
  if (text !== undefined) return text;
  const sample = bytes.subarray(0, sampledBytes);
  const foreign = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const western = decode(bytes, 'windows-1252', false) ?? '';
  // Then the text is not in a Western language.
  if (foreign > 0.3 * sample.length || /[\u0080-\u009f]/.test(western)) throw unclear();
  return western;
}

/** Escape sequences that only Japanese text in seven bits has. */
const sevenBits = (text = '') => text.includes('\u001b$B') || text.includes('\u001b$@');

/**
 * @throws KnowledgeError `unsupported_media_type` for binary content and text whose encoding is
 * unclear
 */
export async function decodeText(bytes: Uint8Array, charset: string | undefined): Promise<string> {
  const marked = byteOrderMark(bytes);
  const isWide = marked !== undefined || /^utf-?(?:16|32)/i.test(charset ?? '');
  if (!isWide && bytes.subarray(0, 65_536).includes(0)) throw unsupported();
  const stated = [marked, charset, 'utf-8']
    .values()
    .map((encoding = '') => decode(bytes, encoding, true))
    .find((text) => text !== undefined);
  const text = sevenBits(stated)
    ? (decode(bytes, 'iso-2022-jp', true) ?? stated ?? '')
    : (stated ?? (await decodeUndeclared(bytes)));
  if (text.startsWith('%PDF-') || text.startsWith('{\\rtf')) throw unsupported();
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
}
