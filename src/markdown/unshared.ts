/** A shorter piece is a copy anyway. */
const minShared = 13;

/**
 * A copy of a string that holds on to nothing else. V8 keeps a piece that was cut out of a long string as a view of the whole, so a
 * heading that is remembered would keep its document in memory.
 */
export const unshared = (text: string): string => (text.length < minShared ? text : Buffer.from(text, 'utf16le').toString('utf16le'));
