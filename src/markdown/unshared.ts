/** V8 copies shorter substrings anyway. */
const minShared = 13;

/** Copies a string. V8 stores a long substring as a view, so a stored heading would keep its whole document in memory. */
export const unshared = (text: string): string => (text.length < minShared ? text : Buffer.from(text, 'utf16le').toString('utf16le'));
