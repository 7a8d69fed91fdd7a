/**
 * The mention gate: the agent answers only where it is spoken to. A mention counts as a whole word, in any case, and not inside code,
 * a quote, an e-mail address or a URL. Scripts that write no spaces may stand right beside it.
 */
import { markdownLines } from '../../markdown/lines.ts';

export interface MentionGate {
  /** The message without its mentions; undefined where it does not speak to the agent. @param isAddressed undefined: as the gate was set up */
  question(message: string, isAddressed?: boolean): string | undefined;
}

/**
 * From a run of backticks to the next of the same length (CommonMark 6.1). A run that finds none is looked for once for each length, of which
 * a message of `maxMessageChars` has at most some 250.
 */
const codeSpan = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs;
/** Ends where the writing changes: a sentence may follow a URL without a space. */
const url = /\b(?:[a-z][a-z0-9+.-]{0,30}:\/\/|www\.|mailto:)[!#-(*-;=?-~]+/gi;
const markup = /<(code|pre)>[^<]{0,2000}<\/\1>/gi;
const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** A letter or figure of a script that separates words by spaces. */
const letter = String.raw`[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]]`;
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
const typed = (mention: string) => escaped(mention).replace(/\s+/g, String.raw`[^\S\n]+`).replaceAll('@', '[@＠]');

const startsWithMark = /^[@\p{L}\p{N}_]/u;
const endsWithWord = /[\p{L}\p{N}_]$/u;

function mentionPattern(mentions: readonly string[]): RegExp {
  // Accents come as letters of their own or not.
  const alternatives = [...new Set(mentions.flatMap((mention) => [mention.normalize('NFC'), mention.normalize('NFD')]))]
    .sort((a, b) => b.length - a.length)
    .map((mention) => {
      // An underscore beside a mention is emphasis, unless a letter stands behind it.
      const before = startsWithMark.test(mention) ? String.raw`(?<!${letter}|${letter}_|[@＠\/\\+])` : '';
      const after = endsWithWord.test(mention) ? String.raw`(?!${letter}|\p{M}|[@＠]|[_.\-~\/]+${letter}|:${letter}{1,60}\.${letter})` : '';
      return `${before}${typed(mention)}${after}`;
    });
  return new RegExp(alternatives.join('|'), 'giv');
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

const paragraphBreak = /(\n[ \t]*\n)/;
const withoutCodeSpans = (paragraph: string) => paragraph.replace(codeSpan, blank);

/** What somebody else said, as chats show it in front of a reply. */
const quoted = /^[ \t]{0,3}(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?(?:>|&gt;)/;

const withoutFencesAndQuotes = (message: string): string =>
  [...markdownLines(message)]
    .map(({ kind, start, next }) => {
      const line = message.slice(start, next);
      return kind === 'prose' && !quoted.test(line) ? line : blank(line);
    })
    .join('');

/** Only what can hold a mention; the rest is blanked, so that positions here are positions in the message. */
const mentionable = (message: string): string =>
  withoutFencesAndQuotes(message)
    .split(paragraphBreak)
    .map(withoutCodeSpans)
    .join('')
    .replace(markup, blank)
    .replace(url, blank)
    .replace(email, blank);

/** Of a longer message its beginning and its end are read: there people speak to somebody. */
const maxMessageChars = 32_768;
const readable = (message: string): string =>
  message.length <= maxMessageChars
    ? message
    : `${message.slice(0, maxMessageChars / 2)}\n${message.slice(-maxMessageChars / 2)}`.toWellFormed();

/** @param mentions texts that wake the agent, such as `@agent` or `<@uid:knowledge>` @param isNeeded where nothing else is said */
export function createMentionGate(mentions: readonly string[], isNeeded = true): MentionGate {
  const pattern = mentionPattern(mentions);
  return {
    question(whole, isAddressed = !isNeeded) {
      const message = readable(whole);
      const found = [...mentionable(message).matchAll(pattern)];
      if (found.length === 0) return isAddressed ? message.trim() : undefined;
      return found
        .reduceRight((rest, { index, 0: mention }) => rest.slice(0, index) + rest.slice(index + mention.length), message)
        .replace(/[ \t]{2,}/g, ' ')
        .replace(/^[\s,:;.!-]+/, '')
        .trimEnd();
    },
  };
}
