/**
 * Markup that acts in a reader's client: it loads images, runs HTML or follows links with other
 * schemes.
 */

const codeSpan = /(?<!\\)`[^`\n]{1,500}`/g;
export const withoutCodeSpans = (text: string) => text.replace(codeSpan, '');
/** `@`, `.`, `:` and `/` of an address, which only a client of Markdown sees. */
const hiddenMark = /&(?:commat|period|colon|sol|#(?:0*(?:46|47|58|64)|x0*(?:2e|2f|3a|40)));/i;
/** Autolinks (`<https://…>`, `<me@example.com>`) are plain links, so they do not match. */
const active =
  /<(?!https?:\/\/[^\s<>]+>|mailto:[^\s<>]+>|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+>)[a-z/!?]|!\[|\]\(\s*(?:<\s*)?(?!https?:|mailto:)[a-z][a-z0-9+.-]{0,30}:|\]\(\s*(?:<\s*)?[\\/]{2}/i;

/** Whether a text contains active markup outside code spans. */
export const holdsActiveMarkup = (text: string) => {
  const written = withoutCodeSpans(text);
  return active.test(written) || hiddenMark.test(written);
};
