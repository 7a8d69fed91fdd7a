/**
 * The mention gate: the agent answers only where it is spoken to. A mention counts as a whole word, in any case, and not inside code,
 * an e-mail address or a URL. Scripts that write no spaces may stand right beside it.
 */

export interface MentionGate {
  /** The message without its mentions, or undefined where none is in it. */
  question(message: string): string | undefined;
}

const codeFence = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;
const backticks = /`+/g;
const url = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>]+|\bwww\.[^\s<>]+/gi;
const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** A letter or figure of a script that separates words, or a mark that joins. */
const wordCharacter = String.raw`[[\p{L}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]]`;
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

const startsWithMark = /^[@\p{L}\p{N}_]/u;
const endsWithWord = /[\p{L}\p{N}_]$/u;

function mentionPattern(mentions: readonly string[]): RegExp {
  const alternatives = [...mentions]
    .sort((a, b) => b.length - a.length)
    .map((mention) => {
      const before = startsWithMark.test(mention) ? String.raw`(?<!${wordCharacter}|[@\/])` : '';
      const after = endsWithWord.test(mention) ? String.raw`(?!${wordCharacter}|[@\-]|\.${wordCharacter})` : '';
      return `${before}${escaped(mention)}${after}`;
    });
  return new RegExp(alternatives.join('|'), 'giv');
}

const blank = (text: string) => ' '.repeat(text.length);

/** Blanks code spans: from a run of backticks to the next run of the same length (CommonMark 6.1). Linear, whatever is sent. */
function withoutCodeSpans(message: string): string {
  const runs = [...message.matchAll(backticks)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    length: match[0].length,
  }));
  const byLength = Map.groupBy(runs, (run) => run.length);
  let plain = '';
  let from = 0;
  for (const run of runs) {
    const same = byLength.get(run.length) ?? [];
    while (same[0] && same[0].start <= run.start) same.shift();
    const closing = same[0];
    if (run.start < from || !closing) continue;
    plain += message.slice(from, run.start) + blank(message.slice(run.start, closing.end));
    from = closing.end;
  }
  return plain + message.slice(from);
}

/** Same length, so that positions in the masked text are positions in the message. */
const masked = (message: string) => withoutCodeSpans(message.replace(codeFence, blank));

/** @param mentions texts that wake the agent, such as `@agent` or `<@uid:knowledge>` */
export function createMentionGate(mentions: readonly string[]): MentionGate {
  const pattern = mentionPattern(mentions);
  return {
    question(message) {
      const plain = masked(message);
      const excluded = [...plain.matchAll(url), ...plain.matchAll(email)].map(
        (match) => [match.index, match.index + match[0].length] as const,
      );
      const found = [...plain.matchAll(pattern)].filter(
        (match) => !excluded.some(([start, end]) => match.index >= start && match.index < end),
      );
      if (found.length === 0) return undefined;
      let rest = '';
      let from = 0;
      for (const match of found) {
        rest += message.slice(from, match.index);
        from = match.index + match[0].length;
      }
      return (rest + message.slice(from)).replace(/[ \t]{2,}/g, ' ').replace(/^[\s,:;.!-]+|\s+$/g, '');
    },
  };
}
