/** V8 copies shorter substrings anyway. */
const minSlicedChars = 13;

/**
 * Copies a string. V8 stores a long substring as a view, so a stored heading would keep its whole
 * document in memory.
 */
export const detachString = (text: string) =>
  text.length < minSlicedChars ? text : (JSON.parse(JSON.stringify(text)) as string);
