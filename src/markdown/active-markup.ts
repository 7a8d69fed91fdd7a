/** Markup that does something in a reader's client: images load, HTML runs, links with other schemes execute. */

const codeSpan = /`[^`\n]{1,500}`/g;
/** Autolinks (`<https://…>`, `<me@example.com>`) are plain links. */
const active =
  /<(?!https?:|mailto:|[^\s<>@]{1,100}@)[a-z/!?]|!\[|\]\(\s*(?:<\s*)?(?!https?:|mailto:)[a-z][a-z0-9+.-]{0,30}:|\]\(\s*(?:<\s*)?[\\/]{2}/i;

/** Whether a piece of Markdown holds any, outside code spans. */
export const holdsActiveMarkup = (text: string): boolean => active.test(text.replace(codeSpan, ''));
