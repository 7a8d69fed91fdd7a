/** `limit` and `cursor` of the operations that list something, and `nextCursor` of their answers. */
import { z } from 'zod';
import { readCursor } from '../app/cursor.ts';

export const limit = z.coerce.number().int().min(1).max(500);

/** @param list the operation that gives the cursors */
export const paged = (list: string) => ({
  limit: limit.optional().describe('maximum entries'),
  cursor: z
    .string()
    .max(4_000)
    .transform((text, context) => {
      const place = readCursor(list, text);
      if (!place) context.addIssue({ code: 'custom', message: `must be the nextCursor of an answer of ${list}` });
      return place ?? z.NEVER;
    })
    .optional()
    .describe('nextCursor of the page before'),
});

export const nextCursor = z.string().optional().describe('cursor of the next page; absent: this is the last');
