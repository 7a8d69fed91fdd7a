/** What can be done with an answer after it was given: check its citations, read it again, say what it was worth; and what was not answered. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { droppedReasons } from '../../app/ask/dropped-sentences.ts';
import { pageOf } from '../../app/cursor.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { listedAnswers } from '../../app/stale-answers.ts';
import { noSuchNamespace } from '../../documents/namespace-name.ts';
import { KnowledgeError } from '../../errors.ts';
import { note } from '../../trace.ts';
import { generateOutput } from '../agents/dialects/mastra.ts';
import { type AppEnv, mayUse, mayUseFound, namespaceIfTheirs, namespaceToRead, ownerOf } from '../auth/caller.ts';
import { isoTime, limit, nextCursor, paged, serve, signalOf } from '../operation.ts';

const offset = z.int().min(0);

const givenCitation = z.looseObject({
  index: z.int(),
  documentId: z.string().max(100),
  quote: z.string().min(1).max(50_000),
  start: offset,
  end: offset,
  revision: z.string().max(200),
});
const verifyInput = z.looseObject({
  namespace: z.string().default('default'),
  citations: z.array(givenCitation).max(50).describe('as generate returned them; other fields, such as file, are not looked at'),
});

const citationStatus = z
  .enum(['holds', 'moved', 'gone'])
  .describe('holds: the same file has the quote where it was; moved: the document was edited and has it at start to end');
const verifiedCitation = z.object({ index: z.int(), status: citationStatus, start: offset.optional(), end: offset.optional() });
const verifyOutput = z.object({ citations: z.array(verifiedCitation).describe('in the order of the request') });

const rating = z.enum(['up', 'down']);

const feedback = z.object({ rating, comment: z.string().nullable(), at: isoTime });

const unshownText = z
  .string()
  .nullable()
  .describe('at most 500 characters, … for addresses that no passage holds; null where it recites the instructions');
const unshownReason = z.enum(Object.keys(droppedReasons)).describe(
  Object.entries(droppedReasons)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join('; '),
);
const droppedSentence = z.object({ text: unshownText, reason: unshownReason });
const keptSentence = z.object({
  text: z.string(),
  index: z.int(),
  score: z.number(),
  repaired: z.literal(true).optional().describe('the words of the passage replace a sentence of the model'),
  reason: unshownReason.optional().describe('why the sentence of the model was not supported; only with repaired'),
  instead: unshownText.optional().describe('the sentence of the model; text says the rest; only with repaired'),
});
const keptAnswerOutput = z.object({
  runId: z.string(),
  requestId: z.string().optional().describe('of the request that asked; absent: a chat webhook did, or the answer is older'),
  askedAt: isoTime,
  question: z.string().describe('without the mention'),
  answer: generateOutput.partial({ repaired: true }).describe('as generate returned it; answers of earlier versions have no repaired'),
  check: z.object({
    kept: z.array(keptSentence).describe('sentences, the citation that each points to, and how well it supports them'),
    dropped: z.int().describe('sentences that no passage supported and that were not repaired'),
    repaired: z.int().describe('sentences that the words of a passage replace'),
    droppedSentences: z
      .array(droppedSentence)
      .describe('the first twenty that were left out, in order, and why; a model said them, no document'),
  }),
  feedback: z.array(feedback).describe('of each caller the newest, oldest first'),
});

const answersInput = z.object({
  namespace: z.string().optional().describe('without it, all that the caller may use'),
  state: z.enum(['stale', 'all']).default('all').describe('stale: no others'),
  ...paged('listAnswers'),
  limit: limit.default(50),
});
const feedbackInput = z.object({
  rating,
  comment: z.string().max(2_000).nullish().describe('kept on one line, without control characters'),
});

const feedbackOutput = z.object({ runId: z.string(), feedback });

const gapsInput = z.object({
  namespace: z.string().optional().describe('without it, all that the caller may use'),
  ...paged('listGaps'),
  limit: limit.default(50),
});

const gap = z.object({
  namespace: z.string(),
  question: z.string().describe('the wording that was asked most'),
  variants: z.array(z.string()).describe('up to five other wordings'),
  count: z.int(),
  firstAskedAt: isoTime,
  lastAskedAt: isoTime,
  coverage: z.number().describe('the best that a search came to, 0 to 1'),
  closest: z.array(z.object({ documentId: z.string(), file: z.string(), title: z.string(), source: z.string() })),
});
const gapsOutput = z.object({ gaps: z.array(gap).describe('most asked first, then the latest'), nextCursor });

export function addAnswerRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const { answers, staleAnswers, parseNamespace, documents } = api;
  const { maxAnswers } = answers;
  const whichAreKept =
    maxAnswers === 0 ? 'this server keeps none' : `the newest ${maxAnswers} are kept, until a document that they cite is deleted`;
  const notFound = () =>
    new KnowledgeError('answer_not_found', `There is no such answer: generate returns the runId of an answer, and ${whichAreKept}.`);

  /** An answer of a namespace of this caller's, and no one else's own; any other is as unknown as one that never was. */
  async function answerOf(c: Context<AppEnv>) {
    const kept = await answers.get(c.req.param('runId') ?? '', ownerOf(c));
    if (!kept || !mayUseFound(c.get('caller'), kept.namespace)) throw notFound();
    return kept;
  }

  serve(app, 'verifyAnswer', { output: verifyOutput, body: verifyInput }, async (c, { namespace: name, citations }) => {
    // Of a namespace that is not there nothing holds, and so of one that is not the caller's.
    const namespace = namespaceIfTheirs(c.get('caller'), name, parseNamespace);
    const statuses = namespace === undefined ? citations.map(() => ({ status: 'gone' })) : await documents.verify(namespace, citations);
    return c.json({ citations: citations.map(({ index }, position) => ({ index, ...statuses[position] })) });
  });

  serve(app, 'readAnswer', { output: keptAnswerOutput }, async (c) => {
    const { runId, requestId, askedAt, question, answer, check, feedback } = await answerOf(c);
    return c.json({ runId, requestId, askedAt, question, answer, check, feedback });
  });

  serve(app, 'giveFeedback', { output: feedbackOutput, body: feedbackInput }, async (c, { rating, comment }) => {
    const { runId } = await answerOf(c);
    const feedback = await answers.addFeedback(runId, ownerOf(c), { rating, comment: comment ?? undefined });
    if (!feedback) throw notFound();
    note({ changed: { answer: runId } });
    return c.json({ runId, feedback });
  });

  async function wantedOf(c: Context<AppEnv>, name: string | undefined): Promise<string | undefined> {
    if (!name) return undefined;
    const namespace = namespaceToRead(c.get('caller'), name, parseNamespace);
    if (!(await documents.names()).includes(namespace)) throw noSuchNamespace(namespace);
    return namespace;
  }

  serve(app, 'listAnswers', { output: listedAnswers, query: answersInput }, async (c, { namespace: name, ...asked }) => {
    const namespace = await wantedOf(c, name);
    const own = c.get('caller').namespaces;
    const namespaces = namespace === undefined ? own && [...own] : [namespace];
    return c.json(await staleAnswers.list({ namespaces, callerId: ownerOf(c), ...asked, signal: signalOf(c) }));
  });

  serve(app, 'listGaps', { output: gapsOutput, query: gapsInput }, async (c, { namespace: name, ...asked }) => {
    const caller = c.get('caller');
    const namespace = await wantedOf(c, name);
    const groups = await answers.gaps((one) => (namespace === undefined ? mayUse(caller, one) : one === namespace));
    const placeOf = ({ count, lastAskedAt, ...gap }: (typeof groups)[number]) => [
      -count,
      -Date.parse(lastAskedAt),
      gap.namespace,
      gap.question,
    ];
    const { page, ...next } = pageOf('listGaps', groups, placeOf, asked);
    return c.json({ gaps: page, ...next });
  });
}
