/** What a caller reads of a failure. */
import { z } from 'zod';

export const errorOutput = z.object({
  error: z.string().describe('one sentence for a person'),
  code: z.string().describe('for a program'),
  requestId: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorOutput>;

export type ErrorForm = (error: ErrorBody, status: number) => { readonly status: number; readonly body: unknown };
