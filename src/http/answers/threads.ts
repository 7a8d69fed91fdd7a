/**
 * The caller's own conversations, in the form of Mastra's clients. If several threads have the same
 * name, the newest is read.
 */
import { z } from 'zod';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { KeptMessage, ThreadEntry } from '../../records/conversations.ts';
import { toCursor } from '../../records/cursor.ts';
import { note } from '../../trace.ts';
import { chosenName } from '../agents/dialects/conversation.ts';
import {
  type App,
  type AppContext,
  mayUseAndNote,
  namespaceIfAllowed,
  ownerOf,
  ownsThreads,
} from '../auth/caller.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import { isoTime, limit, nextCursor, paged, serve, text } from '../operation.ts';

const threadFilter = z.object({
  resourceId: chosenName.optional().describe('only threads of this resource'),
  namespace: text.optional().describe('only threads of this namespace'),
});

const paging = {
  page: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('starts at 0'),
  perPage: limit.default(100),
};

const threadsInput = threadFilter.extend({
  ...paging,
  ...paged('listThreads'),
  resourceid: chosenName
    .optional()
    .describe('older name of resourceId; the response is then an array'),
});

const thread = z.object({
  id: text.describe('name that the client chose'),
  resourceId: text,
  title: text,
  createdAt: isoTime,
  updatedAt: isoTime,
  metadata: z.object({ namespace: text }),
});
const page = { total: z.int(), page: z.int(), perPage: z.int(), hasMore: z.boolean() };
const threadsOutput = z.union([
  z.object({ threads: z.array(thread), ...page, nextCursor }),
  z.array(thread),
]);

const deletedThreadOutput = z.object({
  deleted: z.object({ threads: z.int().describe('threads of several resources may share a name') }),
  result: text.describe('for @mastra/client-js'),
});

const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  text
    .max(1_000)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

const messagesInput = threadFilter.extend({
  ...paging,
  limit: limit.optional().describe('the newest messages instead of a page'),
  orderBy: jsonText(z.looseObject({ direction: z.enum(['ASC', 'DESC']).default('ASC') }))
    .optional()
    .describe('JSON: {"direction":"DESC"}: newest first'),
});
type MessagesInput = Omit<z.output<typeof messagesInput>, keyof typeof threadFilter.shape>;

const selection = z.looseObject({
  pagination: z.looseObject(paging).optional(),
  last: limit.optional(),
});
const olderMessagesInput = threadFilter.extend({
  selectBy: jsonText(selection).optional().describe('JSON: {"pagination":{"page":0,"perPage":40}}'),
});

const parts = z.array(z.object({ type: z.literal('text'), text }));
const uiMessage = z.object({
  id: text,
  role: z.enum(['user', 'assistant']),
  createdAt: isoTime,
  content: text,
  parts,
});
const message = uiMessage.omit({ parts: true }).extend({
  threadId: text,
  resourceId: text,
  content: z.object({ format: z.literal(2), parts, content: text }),
});
const messagesOutput = z.object({
  messages: z.array(message).describe('oldest first, unless orderBy reverses it'),
  uiMessages: z.array(uiMessage).describe('messages in the form of earlier clients'),
  legacyMessages: z.array(uiMessage).describe('equal to uiMessages'),
  ...page,
});

const messageId = text.max(100);
const withId = z.looseObject({ id: messageId });
const deleteMessagesInput = z.looseObject({
  messageIds: z
    .union([messageId, z.array(z.union([messageId, withId])).max(1_000), withId])
    .describe('ids of messages, or messages'),
});
const deletedMessagesOutput = z.object({
  success: z.literal(true),
  message: text,
  deleted: z.object({
    messages: z.int().describe('deleted ones; ids of other callers are ignored'),
  }),
});

const toThread = (entry: ThreadEntry) => {
  const { thread: id, resource: resourceId, createdAt, updatedAt, namespace } = entry;
  return { id, resourceId, title: '', createdAt, updatedAt, metadata: { namespace } };
};

function toMessages(found: ThreadEntry, kept: readonly KeptMessage[]) {
  const partsOf = (text: string) => [{ type: 'text' as const, text }];
  const uiMessages = kept.map((one) => ({ ...one, parts: partsOf(one.content) }));
  const messages = kept.map(({ content, ...one }) => ({
    ...one,
    threadId: found.thread,
    resourceId: found.resource,
    content: { format: 2 as const, parts: partsOf(content), content },
  }));
  return { messages, uiMessages, legacyMessages: uiMessages };
}

function pageOf(kept: readonly KeptMessage[], { limit, orderBy, ...asked }: MessagesInput) {
  const { page, perPage } = limit === undefined ? asked : { page: 0, perPage: limit };
  const chosen = limit === undefined ? kept : kept.slice(-limit);
  const ordered = orderBy?.direction === 'DESC' ? chosen.toReversed() : chosen;
  const end = (page + 1) * perPage;
  const total = kept.length;
  return { chosen: ordered.slice(page * perPage, end), total, page, perPage, hasMore: end < total };
}

const notFound = () =>
  new KnowledgeError(
    'thread_not_found',
    'Thread not found. GET /api/memory/threads lists your threads.',
  );

export function addThreadRoutes(app: App, { conversations, parseNamespace }: KnowledgeApi): void {
  type Names = z.output<typeof threadFilter>;

  /** Undefined if the caller owns no threads or may not use the namespace. */
  function filterOf(c: AppContext, { resourceId: resource, namespace: name }: Names) {
    const caller = c.get('caller');
    const namespace =
      name === undefined ? undefined : namespaceIfAllowed(caller, name, parseNamespace);
    return ownsThreads(caller) && (name === undefined) === (namespace === undefined)
      ? { owner: ownerOf(c), resource, namespace }
      : undefined;
  }

  /**
   * Messages quote documents, so the caller must still have access to the namespace. @throws
   * KnowledgeError `thread_not_found`
   */
  async function ownThread(c: AppContext, names: Names): Promise<ThreadEntry> {
    const filter = filterOf(c, names);
    const asked = filter && { ...filter, thread: c.req.param('threadId') };
    const [found] = asked ? (await conversations.list(asked, { page: 0, perPage: 1 })).threads : [];
    if (!found || !mayUseAndNote(c.get('caller'), found.namespace)) throw notFound();
    return found;
  }

  async function sendMessages(
    c: AppContext,
    { resourceId, namespace, ...wanted }: Names & MessagesInput,
  ) {
    const found = await ownThread(c, { resourceId, namespace });
    const { chosen, ...paged } = pageOf(
      await conversations.messages({ owner: ownerOf(c), ...found }),
      wanted,
    );
    return c.json({ ...toMessages(found, chosen), ...paged });
  }

  serve(
    app,
    'listThreads',
    { output: threadsOutput, query: threadsInput },
    async (c, { resourceid, limit, cursor, ...asked }) => {
      const filter = filterOf(c, { ...asked, resourceId: asked.resourceId ?? resourceid });
      const page = cursor ? 0 : asked.page;
      const perPage = limit ?? asked.perPage;
      const { total, threads } = filter
        ? await conversations.list(filter, { page, perPage, after: cursor })
        : { total: 0, threads: [] };
      const listed = threads.map(toThread);
      const last = threads.at(-1);
      const hasMore = cursor ? threads.length === perPage : (page + 1) * perPage < total;
      const next = hasMore &&
        last && { nextCursor: toCursor('listThreads', [last.updatedAt, last.id]) };
      return c.json(
        resourceid === undefined
          ? { threads: listed, total, page, perPage, hasMore, ...next }
          : listed,
      );
    },
  );

  serve(app, 'listThreadMessages', { output: messagesOutput, query: messagesInput }, sendMessages);
  serve(
    app,
    'pageThreadMessages',
    { output: messagesOutput, query: olderMessagesInput },
    (c, { selectBy, ...names }) => {
      const { page, perPage } = selectBy?.pagination ?? { page: 0, perPage: 100 };
      return sendMessages(c, { ...names, page, perPage, limit: selectBy?.last });
    },
  );
  serve(app, 'readThread', { output: thread, query: threadFilter }, async (c, names) =>
    c.json(toThread(await ownThread(c, names))),
  );

  serve(
    app,
    'deleteMessages',
    { output: deletedMessagesOutput, body: deleteMessagesInput },
    async (c, { messageIds }) => {
      const ids = [messageIds].flat().map((one) => (typeof one === 'string' ? one : one.id));
      const messages = ownsThreads(c.get('caller'))
        ? await conversations.removeMessages(ownerOf(c), ids)
        : 0;
      note({ changed: { deleted: messages } });
      return c.json({
        success: true,
        message: `${messages} messages deleted.`,
        deleted: { messages },
      });
    },
  );

  serve(
    app,
    'deleteThread',
    { output: deletedThreadOutput, query: threadFilter },
    async (c, names) => {
      const filter = filterOf(c, names);
      const threads = filter
        ? await conversations.remove({ ...filter, thread: c.req.param('threadId') })
        : 0;
      if (threads === 0) throw notFound();
      note({ changed: { deleted: threads } });
      return c.json({ deleted: { threads }, result: 'Thread deleted' });
    },
  );
}
