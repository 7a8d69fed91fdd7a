/** Splits test cases. @param text cases separated by `|` or newlines */
export const listed = (text: string): string[] =>
  text.split(/[|\n]/).flatMap((one) => one.trim() || []);
