/**
 * Operations that ask the agent, in every dialect: they check the caller's rights and send the
 * whole or streamed answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { type AskEvent, type AskOptions, extractiveModel, toResult } from '../../ask/ask-result.ts';
import { emptyAnswer } from '../../ask/reply/answer.ts';
import type { Config } from '../../config.ts';
import {
  type App,
  type AppContext,
  actAs,
  callerActingUser,
  identifiesCaller,
  type Middleware,
  mayUse,
  namespaceToRead,
  ownerOf,
  usualNamespace,
} from '../auth/caller.ts';
import { countedAs } from '../auth/counting.ts';
import { publicOrigin } from '../auth/site-guard.ts';
import { reportFailure } from '../error-response.ts';
import { agentCards, type KnowledgeApi } from '../knowledge-api.ts';
import { json, serve, signalOf, textResponse } from '../operation.ts';
import type { NamedCard } from '../operations.ts';
import { openStream, sendEvents } from '../sse.ts';
import { agUiDialect } from './dialects/ag-ui.ts';
import { aiSdkDialect } from './dialects/ai-sdk.ts';
import type {
  Dialect,
  DialectOperation,
  DialectQuestion,
  DialectRun,
  DialectStream,
} from './dialects/dialect.ts';
import { mastraDialect } from './dialects/mastra.ts';
import { mastraLegacyDialect } from './dialects/mastra-legacy.ts';
import { openAi } from './dialects/openai.ts';
import { completionOperation } from './dialects/openai-chat.ts';
import { responseOperation } from './dialects/openai-responses.ts';
import { acceptLongHistories } from './long-history.ts';
import { limitEvents, limitResult } from './max-tokens.ts';

export const dialects: readonly Dialect[] = [
  mastraDialect,
  mastraLegacyDialect,
  aiSdkDialect,
  agUiDialect,
  { ...openAi, operations: [completionOperation, responseOperation] },
];

/**
 * A failure within this time gets an HTTP status. Then the stream starts, and a failure becomes a
 * chunk. Long enough for a busy server.
 */
const firstEventWaitMs = 1_500;

/**
 * @param ask called after a stream slot is acquired @throws failures before the first event, within
 * 1.5 s, and KnowledgeError `busy`
 */
async function streamAnswer<Body>(
  c: AppContext,
  ask: () => AsyncGenerator<AskEvent, void>,
  { open, framing, headers = {} }: DialectStream<Body>,
  run: DialectRun,
  body: Body,
) {
  const ended = openStream(c);
  try {
    const events = ask();
    const first = events.next();
    await Promise.race([first, sleep(firstEventWaitMs)]);
    const writer = open(run, body);
    let hasText = false;
    const endText = () => (hasText ? (writer.endText?.() ?? []) : []);
    function write(event: AskEvent) {
      if (event.type === 'working') return writer.working?.(event.on) ?? [];
      if (event.type === 'searched') return writer.searched?.(event.call, event.result) ?? [];
      if (event.type === 'finished') return [...endText(), ...writer.finish(event.result)];
      const text = writer.text(event.text);
      const begin = text.length === 0 || hasText ? [] : (writer.beginText?.() ?? []);
      hasText ||= text.length > 0;
      return [...begin, ...text];
    }
    async function* chunks() {
      try {
        yield writer.start();
        for (let next = await first; !next.done; next = await events.next())
          yield write(next.value);
      } finally {
        await events.return();
      }
    }
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const onFailure = (error: unknown) => [...endText(), ...writer.fail(reportFailure(c, error))];
    const last = () => writer.end?.() ?? [];
    return sendEvents(c, ended, { open: chunks, framing, onFailure, last });
  } catch (error) {
    ended.abort();
    throw error;
  }
}

/** The field or header `addressed`; ignored unless the caller sent a key. */
export function addressedBy(c: AppContext, addressed?: boolean): boolean | undefined {
  if (c.get('caller').isKey !== true) return undefined;
  const header = c.req.header('addressed')?.trim().toLowerCase();
  if (header === undefined || header === '') return addressed;
  if (header !== 'true' && header !== 'false')
    throw new KnowledgeError('invalid_request', 'The header addressed must be true or false.');
  return header === 'true';
}

/**
 * The user whose calls an answer may use; undefined without the right `calls`. @throws as
 * `callerActingUser`
 */
export function userOfCalls(c: AppContext): string | undefined {
  const user = callerActingUser(c);
  return c.get('caller').rights.has('calls') ? user : undefined;
}

async function toAskOptions(
  c: AppContext,
  api: KnowledgeApi,
  question: DialectQuestion,
  isAddressed: boolean,
): Promise<AskOptions> {
  await actAs(c, question.user);
  const caller = c.get('caller');
  const namespace = namespaceToRead(
    caller,
    question.namespace ?? usualNamespace(caller),
    api.parseNamespace,
  );
  const thread = identifiesCaller(caller) ? question.thread : undefined;
  return {
    messages: question.messages,
    namespace,
    signal: signalOf(c),
    callerId: ownerOf(c),
    countedAs: countedAs(c),
    actingUser: userOfCalls(c),
    provenUser: callerActingUser(c),
    memory: thread && { owner: ownerOf(c), namespace, ...thread },
    // Undefined: REQUIRE_MENTION decides.
    addressed: addressedBy(c, question.addressed) ?? (isAddressed || undefined),
  };
}

/** Reply to a task prompt of a chat interface: no search, no model call, nothing is stored. */
function taskResult(text: string, { namespace }: AskOptions, runId: string) {
  const answer = { ...emptyAnswer, reason: 'small_talk' as const, text };
  return toResult(answer, undefined, { namespace, runId, model: extractiveModel, usage: {} });
}

async function* taskEvents(
  text: string,
  options: AskOptions,
  runId: string,
): AsyncGenerator<AskEvent, void> {
  yield { type: 'text', text };
  yield { type: 'finished', result: taskResult(text, options, runId) };
}

const responsesOf = <Body>({ whole, stream }: DialectOperation<Body>) => {
  const answers = [
    whole && json('The answer', whole.output),
    stream && textResponse(stream.description, stream.framing?.contentType.split(';')[0]),
  ].filter((one) => one !== undefined);
  return {
    description: answers.map(({ description }) => description).join('; or '),
    content: Object.assign({}, ...answers.map(({ content }) => content)) as ReturnType<
      typeof json
    >['content'],
  };
};

export function requireAgent(c: AppContext, { listAgents }: KnowledgeApi) {
  const agent = new Map(Object.entries(listAgents())).get(c.req.param('agentId') ?? '');
  if (!agent)
    throw new KnowledgeError(
      'agent_not_found',
      'Agent not found. GET /api/agents lists the agents.',
    );
  return agent;
}

const pathOf = ({ at }: NamedCard) => at.split(' ')[1] ?? '';

export function addAgentRoutes(app: App, api: KnowledgeApi, config: Config): void {
  const { listAgents } = api;

  const before: Middleware = (c, next) => {
    requireAgent(c, api);
    return next();
  };

  function addOperation<Body>({ errors }: Dialect, operation: DialectOperation<Body>) {
    const { card, body, isAddressed, question, whole, stream } = operation;
    const wire = {
      output: responsesOf(operation),
      body: body as z.ZodType,
      errors,
      ...(card.at.includes('/:agentId') && { before }),
    };
    serve(app, card, wire, async (c, given) => {
      const input = given as Body;
      const asked = question(input);
      const { taskReply, maxTokens } = asked;
      const agentId = c.req.param('agentId') ?? 'knowledge';
      const isSpokenTo = isAddressed || listAgents()[agentId]?.requiresMention === false;
      const entryPoint = card.at.endsWith('/ag-ui') ? 'ag-ui' : card.id;
      const options = { ...(await toAskOptions(c, api, asked, isSpokenTo)), entryPoint };
      const baseUrl = publicOrigin(c, config) ?? '';
      const run = { agentId, baseUrl, thread: options.memory?.thread };
      if (stream && (!whole || Object(input).stream === true)) {
        const runId = randomUUID();
        // Loading the agent must not use up the time in which a failure gets a status.
        await api.prepare();
        const events = () =>
          taskReply === undefined
            ? limitEvents(api.stream({ ...options, runId }), maxTokens)
            : taskEvents(taskReply, options, runId);
        return streamAnswer(c, events, stream, { ...run, runId }, input);
      }
      const result =
        taskReply === undefined
          ? limitResult(await api.ask(options), maxTokens)
          : taskResult(taskReply, options, randomUUID());
      return c.json(whole?.write(result, { ...run, runId: result.runId }, input) as object);
    });
  }

  for (const dialect of dialects) {
    for (const operation of dialect.operations) addOperation(dialect, operation);
    const { errors } = dialect;
    for (const { card, output, others = {}, read } of dialect.pages ?? [])
      serve(app, card, { output, others, errors }, async (c) => {
        const names = await api.documents.names();
        const own = names.filter((name) => mayUse(c.get('caller'), name));
        const content = read(own, (name) => c.req.param(name) ?? '');
        return content === undefined ? c.body(null, 204) : c.json(content as object);
      });
  }
  serve(app, 'listAgents', { output: agentCards }, (c) => c.json(listAgents()));
}

/** Formats all failures of a dialect's paths as the dialect requires. */
export function addErrorForms(app: App): void {
  for (const { errors } of dialects) {
    if (!errors) continue;
    app.use(errors.path, (c, next) => {
      c.set('errorForm', errors.form);
      return next();
    });
  }
}

export function addLongHistories(app: App, maxBodyBytes: number): void {
  const accept = acceptLongHistories(maxBodyBytes);
  for (const { operations } of dialects)
    for (const { card } of operations) app.use(pathOf(card), accept);
}

/** Paths that publishable keys may call. */
export const publishablePaths: ReadonlySet<string> = new Set([
  ...dialects.flatMap((dialect) => dialect.operations.map(({ card }) => pathOf(card))),
  '/api/namespaces/:namespace/suggestions',
  '/api/answers/:runId/feedback',
]);

export const dialectExamples = Object.fromEntries(
  dialects.flatMap(({ operations }) =>
    operations.map(({ card, example }) => [card.id, { body: example }] as const),
  ),
);
