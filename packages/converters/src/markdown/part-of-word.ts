/** Scripts that separate words with spaces. */
const joined = /[\p{L}\p{N}]/u;
const unjoined =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const isLetter = (character: string | undefined) =>
  character !== undefined && joined.test(character) && !unjoined.test(character);

/**
 * Whether `inner` is part of a word: marks around it (`**W**arranty`) would hide the word from a
 * search.
 */
export const isPartOfWord = (
  before: string | undefined,
  inner: string,
  after: string | undefined,
): boolean =>
  (isLetter(before) && isLetter(inner[0])) || (isLetter(inner.at(-1)) && isLetter(after));
