/** The body of a failed request. */
import { z } from 'zod';

export const errorOutput = z.object({
  error: z.string().describe('message for people'),
  code: z.string().describe('stable code for programs'),
  requestId: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.infer<typeof errorOutput>;

/** The body in the form of a dialect: JSON or a text. */
export type ErrorForm = (error: ErrorBody) => object | string;
