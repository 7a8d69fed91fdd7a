/** The wire of what can be done with an answer after it was given: check it, read it again, say what it was worth. */
import { z } from 'zod';
import { generateOutput } from './schemas.ts';

const time = z.string().describe('ISO 8601');
const offset = z.int().min(0);

export const verifyInput = z.looseObject({
  namespace: z.string().default('default'),
  citations: z
    .array(
      z.looseObject({
        index: z.int(),
        documentId: z.string().max(100),
        quote: z.string().min(1).max(50_000),
        start: offset,
        end: offset,
        revision: z.string().max(200),
      }),
    )
    .max(50)
    .describe('as generate returned them; other fields, such as file, are not looked at'),
});

export const verifyOutput = z.object({
  citations: z
    .array(
      z.object({
        index: z.int(),
        status: z
          .enum(['holds', 'moved', 'gone'])
          .describe('holds: the same file has the quote where it was; moved: the document was edited and has it at start to end'),
        start: offset.optional(),
        end: offset.optional(),
      }),
    )
    .describe('in the order of the request'),
});

const rating = z.enum(['up', 'down']);

const feedback = z.object({ rating, comment: z.string().nullable(), at: time });

export const keptAnswerOutput = z.object({
  runId: z.string(),
  askedAt: time,
  question: z.string().describe('without the mention'),
  answer: generateOutput,
  check: z.object({
    kept: z
      .array(z.object({ text: z.string(), index: z.int(), score: z.number() }))
      .describe('sentences, the citation that each points to, and how well it supports them'),
    dropped: z.int().describe('sentences that no passage supported'),
  }),
  feedback: z.array(feedback).describe('of each caller the newest, oldest first'),
});

export const feedbackInput = z.object({
  rating,
  comment: z.string().max(2_000).nullish().describe('kept on one line, without control characters'),
});

export const feedbackOutput = z.object({ runId: z.string(), feedback });

export const gapsInput = z.object({
  namespace: z.string().optional().describe('without it, all that the caller may use'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export const gapsOutput = z.object({
  gaps: z
    .array(
      z.object({
        namespace: z.string(),
        question: z.string().describe('the wording that was asked most'),
        variants: z.array(z.string()).describe('up to five other wordings'),
        count: z.int(),
        firstAskedAt: time,
        lastAskedAt: time,
        coverage: z.number().describe('the best that a search came to, 0 to 1'),
        closest: z.array(z.object({ file: z.string(), title: z.string(), source: z.string() })),
      }),
    )
    .describe('most asked first, then the latest'),
});
