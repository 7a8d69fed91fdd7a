/** Two lines as one text: words that were divided at the line's end, addresses that were broken, and everything else with a space. */

const address = /(?:^|[\s(<[])((?:https?:\/\/|www\.)\S*|[\w.+-]+@[\w.-]*|[\w.+-]*@)$/i;
const addressEnd = /[/\-_.?&=#%@:~+]$/;
const addressStart = /^[/\-_?&=#%@.~]/;
/** Hardly a word: holds a sign that addresses have. */
const addressWord = /^[^\s,;]*(?:[/_=&?%#]|\w\.\w|-\w|\d)[^\s]*$/;
const dividedWord = /[\p{L}]-$/u;
/** What is hyphenated by its spelling, not by the line. */
const hyphenPrefix =
  /(?:^|[\s(])(?:self|well|all|ex|half|cross|high|low|long|short|full|part|third|first|second|one|two|three|e|non-\p{L}+)-$/iu;

/** Compounds that the document writes inside a line: `follow-up`. */
export type Compounds = ReadonlySet<string>;

/** Lower-case compounds of a text, for `joinLines`. */
export const compoundsIn = (text: string): string[] =>
  text.includes('-') ? (text.toLowerCase().match(/\p{L}{2,}-\p{L}{2,}/gu) ?? []) : [];

const lastWord = (text: string) => /[\p{L}]+-$/u.exec(text.slice(-60))?.[0].slice(0, -1) ?? '';
const firstWord = (text: string) => /^\p{L}+/u.exec(text.slice(0, 60))?.[0] ?? '';

/** @param isFull whether the first line left no room, so that an address had to be broken */
export function joinLines(first: string, second: string, compounds: Compounds, isFull: boolean): string {
  if (first === '' || second === '') return first + second;
  if (first.endsWith('\u00ad')) return first.slice(0, -1) + second;
  if (address.test(first.slice(-300))) {
    const [next = ''] = second.split(/\s/, 1);
    const isMore = addressEnd.test(first) ? /^[\w/~%@#?&=.-]/.test(next) : addressStart.test(next) && !/^[-–—.]+$/.test(next);
    const isOther = /^(?:https?:|www\.)/i.test(next) || (next.includes('@') && first.slice(-300).includes('@'));
    const isPage = /(?:https?:\/\/|www\.)\S*$/i.test(first.slice(-300));
    if (!isOther && (isMore || (isPage && isFull && addressWord.test(next)))) return first + second;
  }
  if (dividedWord.test(first) && /^\p{L}/u.test(second)) {
    const isCompound =
      !/^\p{Ll}/u.test(second) ||
      hyphenPrefix.test(first.slice(-30)) ||
      compounds.has(`${lastWord(first)}-${firstWord(second)}`.toLowerCase());
    return isCompound ? first + second : first.slice(0, -1) + second;
  }
  if (/\d[-–]$/.test(first) && /^\d/.test(second)) return first + second;
  if (/[—/]$/.test(first) && !/\s[—/]$/.test(first) && /^\p{L}/u.test(second)) return first + second;
  const isUnspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]$/u.test(first) &&
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]/u.test(second);
  return isUnspaced ? first + second : `${first} ${second}`;
}
