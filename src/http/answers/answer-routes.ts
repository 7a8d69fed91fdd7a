/**
 * Operations that verify, read, rate and list earlier answers.
 */
import { z } from 'zod';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { droppedReasons } from '../../ask/dropped-sentences.ts';
import { noSuchNamespace } from '../../documents/namespace-name.ts';
import { listedAnswers } from '../../records/stale-answers.ts';
import { note } from '../../trace.ts';
import { checkedBy, generateOutput } from '../agents/dialects/mastra.ts';
import {
  type App,
  type AppContext,
  mayUseAndNote,
  namespaceIfAllowed,
  namespaceToRead,
  ownerOf,
  ownsThreads,
} from '../auth/caller.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import { anyNamespace, isoTime, limit, paged, serve, signalOf, text } from '../operation.ts';

const offset = z.int().min(0);

const givenCitation = z.looseObject({
  index: z.int(),
  documentId: text.max(100),
  quote: text.min(1).max(50_000),
  start: offset,
  end: offset,
  revision: text.max(200),
});
const verifyInput = z.looseObject({
  namespace: text.default('default'),
  citations: z
    .array(givenCitation)
    .max(50)
    .describe('citations as generate returned them; other fields are ignored'),
});

const verifiedCitation = z.object({
  index: z.int(),
  status: z
    .enum(['holds', 'moved', 'gone'])
    .describe(
      'holds: the quote is at the same place; moved: it is now at start to end; gone: not found',
    ),
  start: offset.optional(),
  end: offset.optional(),
});
const verifyOutput = z.object({
  citations: z.array(verifiedCitation).describe('in the order of the request'),
});

const rating = z.enum(['up', 'down']);
const feedback = z.object({ rating, comment: text.nullable(), at: isoTime });

const unshownText = text
  .nullable()
  .describe(
    'at most 500 characters, with … for addresses that are in no passage; null if it recites the instructions',
  );
const unshownReason = z.enum(Object.keys(droppedReasons)).describe(
  Object.entries(droppedReasons)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join('; '),
);
const droppedSentence = z.object({ text: unshownText, reason: unshownReason });
const keptSentence = z.object({
  text,
  index: z.int(),
  score: z.number(),
  rewritten: z.literal(true).optional().describe('the model wrote it for a sentence that failed'),
  reason: unshownReason.optional().describe('why the first sentence failed; only with rewritten'),
  instead: unshownText.optional().describe('the sentence that failed; only with rewritten'),
});
const requestMade = z.object({
  purpose: z.enum(['search', 'answer', 'check', 'rewrite']),
  model: text,
  outcome: text.describe('answered, failed, refused, late or unreadable'),
  ms: z.int(),
  inputTokens: z.int().describe('reported by the provider, or estimated'),
  outputTokens: z.int(),
  verdicts: z
    .array(z.boolean().nullable())
    .optional()
    .describe('of check: whether each sentence holds, in order; null: not decided'),
});
const keptAnswerOutput = z.object({
  runId: text,
  requestId: text
    .optional()
    .describe('id of the request that asked; omitted for chat webhooks and older answers'),
  askedAt: isoTime,
  question: text.describe('without the mention'),
  answer: generateOutput.describe('answer as generate returned it'),
  check: z.object({
    kept: z
      .array(keptSentence)
      .describe('shown sentences, with index and score of their citations'),
    dropped: z.int().describe('unsupported sentences that were removed'),
    repaired: z.int().describe('1 if a section replaces what was removed, else 0'),
    rewritten: z.int().optional().describe('sentences that the model wrote again'),
    checkedBy: checkedBy.optional(),
    requests: z.array(requestMade).optional().describe('requests to models, in their order'),
    droppedSentences: z
      .array(droppedSentence)
      .describe('the first twenty removed sentences of the model, which no document supports'),
  }),
  feedback: z.array(feedback).describe('latest rating of each caller, oldest first'),
  thread: z
    .object({ id: text, resourceId: text })
    .optional()
    .describe(
      'conversation of this answer, only for its owner; the runId is the id of the message',
    ),
});

const answersInput = z.object({
  namespace: anyNamespace,
  state: z
    .enum(['stale', 'all'])
    .default('all')
    .describe('stale: only answers whose quotes no longer match'),
  document: text.max(100).optional().describe('id of a document that the answers quote'),
  ...paged('listAnswers', /^\d{1,18}$/),
  limit: limit.default(50),
});
const feedbackInput = z.object({
  rating,
  comment: text.max(2_000).nullish().describe('stored as one line'),
});

const feedbackOutput = z.object({
  runId: text,
  feedback,
  handedOff: text.optional().describe('sentence for the user if a person gets the question'),
});

/** @throws KnowledgeError `namespace_not_found` */
export async function requestedNamespace(
  { parseNamespace, documents }: KnowledgeApi,
  c: AppContext,
  name: string | undefined,
): Promise<string | undefined> {
  if (!name) return undefined;
  const namespace = namespaceToRead(c.get('caller'), name, parseNamespace);
  if (!(await documents.names()).includes(namespace)) throw noSuchNamespace(namespace);
  return namespace;
}

export function addAnswerRoutes(app: App, api: KnowledgeApi): void {
  const { answers, conversations, staleAnswers, parseNamespace, documents } = api;
  const { maxAnswers } = answers;
  const retention =
    maxAnswers === 0
      ? 'This server stores no answers.'
      : `The server keeps the newest ${maxAnswers} until a document that they cite is deleted.`;
  const notFound = () => new KnowledgeError('answer_not_found', `Answer not found. ${retention}`);

  /**
   * Returns an own answer in a namespace that the caller may use. Others fail like missing ones.
   * @throws KnowledgeError `answer_not_found`
   */
  async function answerOf(c: AppContext) {
    const kept = await answers.get(c.req.param('runId') ?? '', ownerOf(c));
    if (!kept || !mayUseAndNote(c.get('caller'), kept.namespace)) throw notFound();
    return kept;
  }

  serve(
    app,
    'verifyAnswer',
    { output: verifyOutput, body: verifyInput },
    async (c, { namespace: name, citations }) => {
      // A namespace that the caller may not use is treated like a missing one.
      const namespace = namespaceIfAllowed(c.get('caller'), name, parseNamespace);
      const statuses =
        namespace === undefined
          ? citations.map(() => ({ status: 'gone' }))
          : await documents.verify(namespace, citations);
      return c.json({
        citations: citations.map(({ index }, position) => ({ index, ...statuses[position] })),
      });
    },
  );

  serve(app, 'readAnswer', { output: keptAnswerOutput }, async (c) => {
    const { runId, requestId, askedAt, question, answer, check, feedback } = await answerOf(c);
    const found = ownsThreads(c.get('caller'))
      ? await conversations.threadOf(ownerOf(c), runId)
      : undefined;
    const thread = found && { id: found.thread, resourceId: found.resource };
    return c.json({ runId, requestId, askedAt, question, answer, check, feedback, thread });
  });

  serve(
    app,
    'giveFeedback',
    { output: feedbackOutput, body: feedbackInput },
    async (c, { rating, comment }) => {
      const { runId } = await answerOf(c);
      const given = { rating, comment: comment ?? undefined };
      const rated = await answers.addFeedback(runId, ownerOf(c), given);
      if (!rated) throw notFound();
      note({ changed: { answer: runId } });
      const { handedOff, ...feedback } = rated;
      return c.json({ runId, feedback, handedOff });
    },
  );

  serve(
    app,
    'listAnswers',
    { output: listedAnswers, query: answersInput },
    async (c, { namespace: name, ...asked }) => {
      const namespace = await requestedNamespace(api, c, name);
      const own = c.get('caller').namespaces;
      const namespaces = namespace === undefined ? own && [...own] : [namespace];
      const wanted = { namespaces, callerId: ownerOf(c), ...asked, signal: signalOf(c) };
      return c.json(await staleAnswers.list(wanted));
    },
  );
}
