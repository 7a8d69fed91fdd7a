/** Cases that are written several to a line. @param text cases separated by `|` or by a line's end */
export const listed = (text: string): string[] => text.split(/[|\n]/).flatMap((one) => one.trim() || []);
