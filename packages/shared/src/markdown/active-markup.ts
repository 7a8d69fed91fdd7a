/**
 * Markup that acts in a reader's client: it loads images, runs HTML or follows links with other
 * schemes.
 */

const codeSpan = /`[^`\n]{1,500}`/g;
/** Autolinks (`<https://…>`, `<me@example.com>`) are plain links, so they do not match. */
const active =
  /<(?!https?:|mailto:|[^\s<>@]{1,100}@)[a-z/!?]|!\[|\]\(\s*(?:<\s*)?(?!https?:|mailto:)[a-z][a-z0-9+.-]{0,30}:|\]\(\s*(?:<\s*)?[\\/]{2}/i;

/** Whether a text contains active markup outside code spans. */
export const holdsActiveMarkup = (text: string): boolean => active.test(text.replace(codeSpan, ''));
