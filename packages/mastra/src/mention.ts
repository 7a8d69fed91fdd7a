/**
 * The agent answers only messages that mention it. A mention is a whole word in upper or lower
 * case, not inside code, a quotation, an e-mail address or a URL. Text in a script without spaces
 * may touch it.
 */
import { markdownLines } from '../../shared/src/markdown/lines.ts';

export interface MentionGate {
  /**
   * Returns the message without its mentions, or undefined if it is not for the agent. @param
   * isAddressed default: as configured
   */
  question(message: string, isAddressed?: boolean): string | undefined;
}

/**
 * From a run of backticks to the next of the same length (CommonMark 6.1). At most about 250
 * lengths occur, which bounds the time.
 */
const codeSpan = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs;
const markup = /<(code|pre)>[^<]{0,2000}<\/\1>/gi;
const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** A letter or digit of a script that separates words by spaces. */
const letter = String.raw`[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]]`;
/**
 * With a scheme, or a domain with a path or query. Ends at the first character of a script without
 * spaces, because a sentence may follow.
 */
const url = new RegExp(
  String.raw`(?<![\w\-])(?:[a-z][a-z0-9+.\-]{0,30}:\/\/|www\.|mailto:|[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,8}(?::\d{1,5})?[\/?#])(?:[!#-'*-;=?-~]|${letter}|\([!#-'*-;=?-~]{0,99}\))+`,
  'giv',
);
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
const typed = (mention: string) =>
  escaped(mention).replace(/\s+/g, String.raw`[^\S\n]+`).replaceAll('@', '[@＠]');

const startsWithMark = /^[@\p{L}\p{N}_]/u;
const endsWithWord = /[\p{L}\p{N}_]$/u;

function mentionPattern(mentions: readonly string[]) {
  // Accents may be separate characters.
  const alternatives = [
    ...new Set(mentions.flatMap((mention) => [mention.normalize('NFC'), mention.normalize('NFD')])),
  ]
    .sort((a, b) => b.length - a.length)
    .map((mention) => {
      // An underscore next to a mention is emphasis, unless a letter touches it.
      const others = startsWithMark.test(mention) ? String.raw`|${letter}_|[@＠\/\\+=&]` : '';
      const before = mention.startsWith('<') ? '' : `(?<!${letter}${others})`;
      const after = endsWithWord.test(mention)
        ? String.raw`(?!${letter}|\p{M}|[@＠]|[_.\-~\/]+${letter}|:${letter}{1,60}\.${letter})`
        : '';
      return `${before}${typed(mention)}${after}`;
    });
  return new RegExp(alternatives.join('|'), 'giv');
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

const paragraphBreak = /(\n[ \t]*\n)/;
const withoutCodeSpans = (paragraph: string) => paragraph.replace(codeSpan, blank);

/** A quotation of another message, as chats show it above a reply. */
const quoted = /^[ \t]{0,3}(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?(?:>|&gt;)/;

const withoutFencesAndQuotes = (message: string) =>
  [...markdownLines(message)]
    .map(({ kind, start, next }) => {
      const line = message.slice(start, next);
      return kind === 'prose' && !quoted.test(line) ? line : blank(line);
    })
    .join('');

/** Blanks the parts that cannot contain a mention; all positions stay the same. */
const mentionable = (message: string) =>
  withoutFencesAndQuotes(message)
    .split(paragraphBreak)
    .map(withoutCodeSpans)
    .join('')
    .replace(markup, blank)
    .replace(url, blank)
    .replace(email, blank);

/** Longer messages lose their middle: mentions are at the beginning or end. */
const maxMessageChars = 32_768;
const readable = (message: string) =>
  message.length <= maxMessageChars
    ? message
    : `${message.slice(0, maxMessageChars / 2)}\n${message.slice(-maxMessageChars / 2)}`.toWellFormed();

/**
 * @param mentions mentions of the agent, such as `@agent` or `<@uid:knowledge>` @param isNeeded
 * whether messages need one by default
 */
export function createMentionGate({
  mentions,
  isNeeded = true,
}: {
  mentions: readonly string[];
  isNeeded?: boolean;
}): MentionGate {
  const pattern = mentionPattern(mentions);
  return {
    question(whole, isAddressed = !isNeeded) {
      const message = readable(whole);
      const found = [...mentionable(message).matchAll(pattern)];
      if (found.length === 0) return isAddressed ? message.trim() : undefined;
      return found
        .reduceRight(
          (rest, { index, 0: mention }) =>
            rest.slice(0, index) + rest.slice(index + mention.length),
          message,
        )
        .replace(/[ \t]{2,}/g, ' ')
        .replace(/^[\s,:;.!-]+/, '')
        .trimEnd();
    },
  };
}
