import { holdsActiveMarkup } from './active-markup.ts';

const codeSpan = /(`[^`\n]{1,500}`)/;
/** `*Note:*` and `_Note:_`, but not `*.csv`, `2 * 3` or `_id_` in a name. */
const emphasis =
  /(?<![\p{L}\p{N}\\*])\*(?=[\p{L}\p{N}"“‘'«(¿¡])([^*\n]{1,500}?)(?<![\s\\])\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}\\_])_(?=[\p{L}\p{N}"“‘'«(¿¡])([^_\n]{1,500}?)(?<![\s\\])_(?![\p{L}\p{N}_])/gu;
/** A mark whose other half is in another sentence. */
const half = /^\*(?=[\p{L}"“‘'«(¿¡])|(?<=[.!?…。！？]["”’»)]?)[*_](?=\s|$)/gu;
const bold = /(?<!\\)\*\*/g;
/** Shown as code: `\\<name\\>`. */
const escapedTag = /\\<(\/?[\w-]{1,40})\\?>/g;
/** A bracket stays escaped if it would become a link or a citation. */
const escapedBrackets = /\\\[(?!\s*[\d^])([^[\]\\\n]{0,200})\\\](?![(:[])/g;
const escaped = /\\([#$%&'()+,\-./:;=?@^_{}~*"]|!(?!\[)|<(?=[\s\d=])|>)/g;

const readablePart = (text: string) => {
  const marked = text.replace(escapedTag, '`<$1>`').replace(emphasis, '$1$2').replace(half, '');
  const balanced = (marked.match(bold)?.length ?? 0) % 2 === 0 ? marked : marked.replace(bold, '');
  return balanced.replace(escapedBrackets, '[$1]').replace(escaped, '$1');
};

/**
 * Removes escapes, italics and halves of bold marks outside code spans. Keeps the text if markup
 * would become active.
 */
export function readable(text: string) {
  if (!/[\\*_]/.test(text)) return text;
  const plain = text
    .split(codeSpan)
    .map((part, at) => (at % 2 ? part : readablePart(part)))
    .join('');
  return holdsActiveMarkup(plain) && !holdsActiveMarkup(text) ? text : plain;
}

const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}、。，！？]`;
/** Chinese and Japanese continue on the next line without a space. */
const unspacedWrap = new RegExp(String.raw`(?<=${unspaced})[ \t]*\n[\s>]*(?=${unspaced})`, 'gu');
/** A backslash at the end of a line is a hard break. */
const wrap = /\\?[ \t]*\n[\s>]*/g;
const alert = /^\s*\[![A-Za-z]{1,20}\][\s>]*/;
const spaces = /(`[^`\n]{1,500}`)|[ \t]{2,}/g;
/** `[text][name]`, whose address is not in the sentence. The first group is code, which is kept. */
const referenceLink = /(`[^`\n]{1,500}`)|\[([^[\]`\n]{1,300})\]\[(?!\d)[^[\]\n]{0,100}\]/g;

/** A sentence on one line, readable. */
export const asLine = (text: string) => {
  const joined = text.replace(alert, '').replace(unspacedWrap, '').replace(wrap, ' ').trim();
  const line = joined.replace(spaces, (_, code?: string) => code ?? ' ');
  return readable(
    line.includes('](')
      ? line
      : line.replace(referenceLink, (_, code?: string, label?: string) => code ?? label ?? ''),
  );
};
