/** What can be done with an answer after it was given: check its citations, read it again, say what it was worth; and what was not answered. */
import type { Context, Hono } from 'hono';
import { validator } from 'hono-openapi';
import { KnowledgeError } from '../errors.ts';
import type { KeptAnswer } from '../knowledge/answers/answer-line.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import { ownerOf } from './acting-user.ts';
import { feedbackInput, feedbackOutput, gapsInput, gapsOutput, keptAnswerOutput, verifyInput, verifyOutput } from './answer-schemas.ts';
import type { AppEnv } from './app-env.ts';
import { mayUse, requireNamespace } from './caller.ts';
import { jsonBody, rejectInvalid, requireJson } from './json-body.ts';
import { failures, operation, pathParameter } from './operation.ts';

const ofAnswer = { parameters: [pathParameter('runId', 'runId of an answer')] };

export function addAnswerRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const { answers, parseNamespace, verifyAnswer } = api;

  const notFound = () =>
    new KnowledgeError(
      'answer_not_found',
      answers.maxAnswers === 0
        ? 'There is no such answer: this server keeps none.'
        : `There is no such answer: the newest ${answers.maxAnswers} are kept, until a document that they cite is deleted.`,
    );

  /** An answer of a namespace of this caller's, and no one else's own; any other is as unknown as one that never was. */
  async function answerOf(c: Context<AppEnv>): Promise<KeptAnswer> {
    const kept = await answers.get(c.req.param('runId') ?? '', ownerOf(c));
    if (!kept || !mayUse(c.get('caller'), kept.namespace)) throw notFound();
    return kept;
  }

  app.post(
    '/api/answers/verify',
    operation(
      'verifyAnswer',
      'Whether the documents still hold what an answer quotes',
      verifyOutput,
      failures(400, 401, 403, 413, 415, 429),
    ),
    requireJson,
    jsonBody(verifyInput),
    async (c) => {
      const input = c.req.valid('json');
      const namespace = parseNamespace(input.namespace);
      requireNamespace(c.get('caller'), namespace);
      const statuses = await verifyAnswer(namespace, input.citations);
      return c.json({ citations: input.citations.map(({ index }, position) => ({ index, ...statuses[position] })) });
    },
  );

  app.get(
    '/api/answers/:runId',
    operation('readAnswer', 'A recent answer, with the scores of its check', keptAnswerOutput, failures(401, 404, 429), ofAnswer),
    async (c) => {
      const { runId, askedAt, question, answer, check, feedback } = await answerOf(c);
      return c.json({ runId, askedAt, question, answer, check, feedback });
    },
  );

  app.post(
    '/api/answers/:runId/feedback',
    operation(
      'giveFeedback',
      'Say what an answer was worth; of each caller the newest counts',
      feedbackOutput,
      failures(400, 401, 404, 413, 415, 429),
      ofAnswer,
    ),
    requireJson,
    jsonBody(feedbackInput),
    async (c) => {
      const { rating, comment } = c.req.valid('json');
      const { runId } = await answerOf(c);
      const feedback = await answers.addFeedback(runId, ownerOf(c), { rating, comment: comment ?? undefined });
      if (!feedback) throw notFound();
      return c.json({ runId, feedback });
    },
  );

  app.get(
    '/api/gaps',
    operation(
      'listGaps',
      'Questions that were not answered, near-duplicates together, most asked first',
      gapsOutput,
      failures(400, 401, 403, 429),
    ),
    validator('query', gapsInput, rejectInvalid),
    async (c) => {
      const { namespace: name, limit } = c.req.valid('query');
      const caller = c.get('caller');
      const namespace = name ? parseNamespace(name) : undefined;
      if (namespace !== undefined) requireNamespace(caller, namespace);
      const groups = await answers.gaps((one) => (namespace === undefined ? mayUse(caller, one) : one === namespace));
      return c.json({ gaps: groups.slice(0, limit) });
    },
  );
}
