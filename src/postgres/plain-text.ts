/** What people wrote as PostgreSQL takes it: its texts hold neither NUL nor half of a character. JSON needs none of this: it escapes both. */
export const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
