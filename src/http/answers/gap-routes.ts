/**
 * Operations for gaps: groups of similar unanswered questions, the drafts that people write, their
 * review, and figures per week.
 */
import { z } from 'zod';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { author } from '../../ingest/source.ts';
import { pageOf } from '../../records/cursor.ts';
import { gapNotFound, maxDraftChars } from '../../records/gap-desk.ts';
import { type GapGroup, type GapState, gapStates } from '../../records/gaps.ts';
import type { WeekFigures } from '../../records/weekly-counts.ts';
import { note } from '../../trace.ts';
import { type App, type AppContext, mayUse, mayUseAndNote, requireRight } from '../auth/caller.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import {
  anyNamespace,
  isoTime,
  limit,
  nextCursor,
  paged,
  serve,
  signalOf,
  text,
} from '../operation.ts';
import type { OperationId } from '../operations.ts';
import { requestedNamespace } from './answer-routes.ts';

const gapsInput = z.object({
  namespace: anyNamespace,
  state: z
    .enum([...gapStates, 'unanswered', 'all'])
    .default('unanswered')
    .describe('unanswered: open and drafted'),
  ...paged('listGaps'),
  limit: limit.default(50),
});

const gapDraft = z.object({
  id: text,
  text,
  author: text,
  createdAt: isoTime,
  document: text.nullable().describe('id of the approved document; null: not approved'),
  personal: z.array(text).describe('mail addresses, phone numbers and names in the text'),
});
const gap = z.object({
  id: text.describe('of the group of similar questions'),
  namespace: text,
  state: z.enum(gapStates).describe('drafted: a draft waits for review; answered: one is approved'),
  ways: z
    .array(z.object({ entryPoint: text, count: z.int() }))
    .describe('entry points of the questions'),
  drafts: z.array(gapDraft).describe('answers of people, oldest first'),
  question: text.describe('most frequent wording'),
  variants: z.array(text).describe('up to five other wordings'),
  count: z.int(),
  firstAskedAt: isoTime,
  lastAskedAt: isoTime,
  coverage: z.number().describe('best coverage of a search, 0 to 1'),
  closest: z.array(z.object({ documentId: text, file: text, title: text, source: text })),
  runId: text.optional().describe('answer that a caller rated as not helpful; omitted if refused'),
  answer: text.optional().describe('its text, at most 2,000 characters; omitted if personal'),
});
const gapOutput = z.object({ gap });
const gapsOutput = z.object({
  gaps: z.array(gap).describe('most asked first, then most recent'),
  nextCursor,
});

const noInput = z.object({});
const draftText = text
  .max(maxDraftChars)
  .refine((value) => value.trim() !== '', 'must not be blank');
const draftInput = z.object({
  text: draftText.describe('answer in Markdown, for reviewers until it is approved'),
  author: author.default('unnamed').describe('who wrote it'),
});
const approveInput = z.object({
  draft: text.max(100).optional().describe('id of the draft; default: the newest'),
  text: draftText.optional().describe('default: that of the draft'),
  author: author.optional().describe('default: the author of the draft'),
  replaces: text
    .max(100)
    .optional()
    .describe(
      'id of the document that it replaces; default: the earlier answer of the gap; the new document names it',
    ),
});
const approveOutput = z.object({
  gap,
  document: z.object({ id: text, file: text, title: text }),
});
const mergeInput = z.object({ into: text.max(100).describe('id of another gap') });
const splitInput = z.object({
  questions: z
    .array(text.max(1_000))
    .min(1)
    .max(1_000)
    .describe('some, not all, wordings of the gap'),
});

const insightsInput = z.object({
  namespace: anyNamespace,
  format: z.enum(['json', 'csv']).default('json'),
});
const count = z.int();
const median = z.number().nullable();
const weekFigures = z.object({
  namespace: text,
  week: text.describe('date of its Monday (UTC)'),
  questions: count,
  answered: count,
  closest: count,
  refused: count,
  handedOff: count,
  rated: count,
  medianRequests: median,
  medianTokens: median,
  resolved: median.describe('share of questions that needed no person, 0 to 1'),
  gapsOpened: count,
  gapsClosed: count,
});
const insightsOutput = z.object({ weeks: z.array(weekFigures).describe('newest first') });

const columns = weekFigures.keyof().options;
/** RFC 4180. Neither names nor figures have quotes or commas. */
const toCsv = (weeks: readonly WeekFigures[]) =>
  [columns, ...weeks.map((week) => columns.map((column) => week[column] ?? ''))]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');

const isListed = (one: GapState, state: string) =>
  state === 'all' ||
  one === state ||
  (state === 'unanswered' && (one === 'open' || one === 'drafted'));

export function addGapRoutes(app: App, api: KnowledgeApi): void {
  const { answers, gapDesk, approvals, documents } = api;

  /** Whether a caller asks for a namespace; undefined: for all of its namespaces. */
  const isWanted = (c: AppContext, namespace: string | undefined) => (one: string) =>
    namespace === undefined ? mayUse(c.get('caller'), one) : one === namespace;
  const gapsOf = (c: AppContext, namespace: string | undefined) =>
    answers.gaps(isWanted(c, namespace));

  /** A gap in another namespace fails like a missing one. @throws KnowledgeError `gap_not_found` */
  async function gapOf(c: AppContext, id = c.req.param('gapId') ?? '') {
    const { namespace } = await gapDesk.find(id);
    if (!mayUseAndNote(c.get('caller'), namespace)) throw gapNotFound();
    const found = (await gapsOf(c, namespace)).find((one) => one.id === id);
    if (!found) throw gapNotFound();
    return found;
  }

  serve(
    app,
    'listGaps',
    { output: gapsOutput, query: gapsInput },
    async (c, { namespace: name, state, ...asked }) => {
      const namespace = await requestedNamespace(api, c, name);
      const groups = (await gapsOf(c, namespace)).filter((one) => isListed(one.state, state));
      const placeOf = ({ count, lastAskedAt, ...gap }: GapGroup) => [
        -count,
        -Date.parse(lastAskedAt),
        gap.namespace,
        gap.question,
      ];
      const { page, ...next } = pageOf('listGaps', groups, placeOf, asked);
      return c.json({ gaps: page, ...next });
    },
  );

  /** Serves a change of a gap. @param work returns the id of another gap to return, if any */
  const serveChange = <Body extends z.ZodType>(
    id: OperationId,
    body: Body,
    work: (c: AppContext, id: string, input: z.output<Body>) => Promise<string> | Promise<void>,
  ) =>
    serve(
      app,
      id,
      { output: gapOutput, body, isBodyOptional: id === 'dismissGap' || id === 'reopenGap' },
      async (c, input) => {
        const { id: own } = await gapOf(c);
        const changed = (await work(c, own, input)) ?? own;
        note({ changed: { gap: changed } });
        return c.json({ gap: await gapOf(c, changed) });
      },
    );

  serveChange('draftAnswer', draftInput, (_, id, draft) => gapDesk.draft(id, draft));
  serveChange('mergeGaps', mergeInput, async (c, id, { into }) => {
    await gapOf(c, into);
    await gapDesk.merge(id, into);
    return into;
  });
  serveChange('splitGap', splitInput, (_, id, { questions }) => gapDesk.split(id, questions));
  serveChange('dismissGap', noInput, (_, id) => gapDesk.setState(id, 'dismissed'));
  serveChange('reopenGap', noInput, (_, id) => gapDesk.setState(id, 'open'));

  serve(
    app,
    'approveAnswer',
    { output: approveOutput, body: approveInput, isBodyOptional: true },
    async (c, { draft: wanted, ...reviewed }) => {
      requireRight(c.get('caller'), 'write');
      const { id: gapId, namespace, question, drafts } = await gapOf(c);
      const draft =
        wanted === undefined
          ? (drafts.findLast(({ document }) => document === null) ?? drafts.at(-1))
          : drafts.find(({ id }) => id === wanted);
      if (!draft) throw new KnowledgeError('draft_not_found', 'The gap has no such draft.');
      if (reviewed.text === undefined && draft.personal.length > 0)
        throw new KnowledgeError(
          'invalid_request',
          'The draft has personal data. Send the text that you reviewed as "text".',
        );
      // An unknown document fails here.
      if (reviewed.replaces !== undefined) await documents.read(namespace, reviewed.replaces);
      const { text = draft.text, author = draft.author } = reviewed;
      const { replaces = (await gapDesk.find(gapId)).document ?? undefined } = reviewed;
      const review = { question, text, author, replaces };
      const approved = { namespace, draftId: draft.id, review };
      const { id, file, title } = await approvals.approve(approved, signalOf(c));
      note({ changed: { gap: gapId, document: id } });
      return c.json({ gap: await gapOf(c), document: { id, file, title } });
    },
  );

  serve(
    app,
    'readInsights',
    { output: insightsOutput, query: insightsInput },
    async (c, { namespace: name, format }) => {
      const namespace = await requestedNamespace(api, c, name);
      const weeks = await answers.weeks(isWanted(c, namespace));
      if (format === 'json') return c.json({ weeks });
      return c.body(toCsv(weeks), 200, { 'content-type': 'text/csv; charset=utf-8' });
    },
  );
}
