/**
 * The agent's entry on the chat platform (`/v3/ai-agents/agents`). Accepts a list at the top level,
 * in `data` or in `agents`, with or without pages.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { type JsonAnswer, requestJson } from './json-request.ts';

const agentForm = z.object({
  uid: z.union([z.string(), z.number().transform(String)]).optional(),
  id: z.union([z.string(), z.number().transform(String)]).optional(),
  deletedAt: z.unknown().optional(),
  integrationMeta: z
    .object({
      baseUrl: z.string().optional().catch(undefined),
      agentId: z.string().optional().catch(undefined),
    })
    .catch({}),
  metaData: z.record(z.string(), z.unknown()).catch({}),
});

interface PlatformAgent {
  readonly uid: string;
  /** All fields, as the platform sent them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly baseUrl: string | undefined;
  readonly agentId: string | undefined;
  readonly metaData: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};

function toAgent(value: unknown): PlatformAgent[] {
  const { success, data: agent } = agentForm.safeParse(value);
  const uid = success ? (agent.uid ?? agent.id) : undefined;
  if (!success || uid === undefined || (agent.deletedAt !== undefined && agent.deletedAt !== null))
    return [];
  const { integrationMeta, metaData } = agent;
  return [
    {
      uid,
      fields: fieldsOf(value),
      baseUrl: integrationMeta.baseUrl,
      agentId: integrationMeta.agentId,
      metaData,
    },
  ];
}

function listIn(body: unknown): readonly unknown[] {
  const { data, agents } = fieldsOf(body);
  const found = [body, data, agents, fieldsOf(data)['agents']].find(Array.isArray);
  if (!found)
    throw new KnowledgeError(
      'upstream_failed',
      'The chat platform did not return a list of agents. Check --app-id and --region, or --api-base.',
    );
  return found;
}

function hasMore(body: unknown, page: number): boolean {
  const total = fieldsOf(fieldsOf(fieldsOf(body)['meta'])['pagination'])['total_pages'];
  return typeof total === 'number' && page < total;
}

/**
 * Returns the confirmed uid. @throws KnowledgeError if a 2xx body is a proxy page, a list or a
 * refusal
 */
function confirmedUid(body: unknown): string | undefined {
  const { agent, data, success } = fieldsOf(body);
  const uid = [agent, data, body].flatMap(toAgent)[0]?.uid;
  const isConfirmed =
    isObject(body) &&
    success !== false &&
    (uid !== undefined || success === true || isObject(data));
  if (!isConfirmed)
    throw new KnowledgeError(
      'upstream_failed',
      'The chat platform did not confirm the change. Check the agent in its dashboard.',
    );
  return uid;
}

const maxPages = 50;
const maxReasonChars = 300;

/** Includes the platform's message, cut and without secrets, which the platform may repeat. */
function refusalOf({ status, body }: JsonAnswer, hide: (text: string) => string): KnowledgeError {
  const said = fieldsOf(fieldsOf(body)['error'])['message'];
  const text =
    typeof said === 'string' ? shownLine(hide(said)).slice(0, maxReasonChars).trim() : '';
  const why =
    status >= 300 && status < 400 ? 'a redirect, which is not followed' : text || 'no reason';
  return new KnowledgeError(
    'upstream_failed',
    `The chat platform answered with status ${status}: ${why}`,
  );
}

export interface EntryForm {
  /** URL of this server or of the agent's endpoint. */
  readonly baseUrl: string;
  readonly agentId: string;
  readonly name: string | undefined;
  readonly icon: string | undefined;
  readonly greeting: string | undefined;
  readonly intro: string | undefined;
  /** Texts that mention the agent; empty if it needs no mention. */
  readonly mentions: readonly string[];
  readonly questions: readonly string[];
  /** Whether `questions` replace those of the entry. */
  readonly isRenewed: boolean;
}

export const defaultQuestion = 'What can you do?';
const defaultMessages = {
  greetingMessage: 'Hello! Ask me about our documents.',
  introductoryMessage: 'I answer from the documents and link to the source.',
};

export const withoutSlash = (url: string) => url.replace(/\/+$/, '');
/** URL of the server, if the URL of an endpoint of an agent is given. */
export const serverUrlOf = (url: string) =>
  withoutSlash(withoutSlash(url).replace(/\/api\/agents\/[^/]+\/(?:generate|stream|ag-ui)$/, ''));

/**
 * Suggested questions. One without a mention gets it, because the agent would not answer it. @param
 * known those of the entry
 */
export function buttonsOf(
  { questions, mentions, isRenewed }: EntryForm,
  known: unknown = [],
): string[] {
  const kept = Array.isArray(known) ? known.filter((text) => typeof text === 'string') : [];
  const hasOwn = kept.some((text) => !text.endsWith(defaultQuestion));
  const gate = createMentionGate({ mentions, isNeeded: mentions.length > 0 });
  return (hasOwn && !isRenewed ? kept : questions).map((text) =>
    gate.question(text) === undefined ? `${mentions[0]} ${text}` : text,
  );
}

/**
 * Changes of an entry. Fields that are undefined are not sent. @param known its `metaData`, whose
 * other texts stay
 */
export const toUpdate = (form: EntryForm, known: PlatformAgent['metaData'] = {}) => ({
  name: form.name,
  icon: form.icon,
  integrateWith: 'mastra',
  integrationType: 'agent',
  integrationMeta: { baseUrl: form.baseUrl, agentId: form.agentId },
  isActive: true,
  metaData: {
    ...known,
    greetingMessage: form.greeting ?? known['greetingMessage'],
    introductoryMessage: form.intro ?? known['introductoryMessage'],
    suggestedMessages: buttonsOf(form, known['suggestedMessages']),
  },
});

export const toCreate = (form: EntryForm) =>
  toUpdate({ ...form, name: form.name ?? 'Knowledge' }, defaultMessages);

/** Whether the entry already has the values; it may have further fields. */
function hasAll(entry: unknown, values: object): boolean {
  return Object.entries(values).every(([name, value]) => {
    const own = fieldsOf(entry)[name];
    return (
      value === undefined || (isObject(value) ? hasAll(own, value) : isDeepStrictEqual(own, value))
    );
  });
}

/**
 * Finds the entry of the agent by URL, else by agent id. @throws KnowledgeError if several match
 */
function findOwn(
  agents: readonly PlatformAgent[],
  { agentId, baseUrl: url }: EntryForm,
): PlatformAgent | undefined {
  const named = agents.filter((agent) => agent.agentId === agentId);
  const own = named.find(
    ({ baseUrl }) => baseUrl !== undefined && serverUrlOf(baseUrl) === serverUrlOf(url),
  );
  if (own || named.length < 2) return own ?? named[0];
  const uids = named.map(({ uid }) => uid).join(', ');
  throw new KnowledgeError(
    'upstream_failed',
    `The app has several agents with the id ${agentId} (${uids}), none with this URL. Delete all but one in the dashboard.`,
  );
}

export type SavedEntry = Readonly<{
  done: 'created' | 'updated' | 'unchanged';
  uid: string | undefined;
}>;

/**
 * Creates or updates the entry of the agent. @param address URL of the agents without a trailing
 * slash @param hide removes further secrets from the platform's messages. @throws KnowledgeError
 */
export async function saveEntry(
  form: EntryForm,
  address: string,
  key: string,
  hide: (text: string) => string,
): Promise<SavedEntry> {
  const headers = { apikey: key, chatApiVersion: 'v3.0' };
  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await requestJson(`${address}${path}`, { method, headers, body }).catch(
      (error: unknown) => {
        const reason = error instanceof KnowledgeError ? error.message : 'the connection failed';
        throw new KnowledgeError(
          'fetch_failed',
          `The chat platform cannot be reached: ${reason}.`,
          { cause: error },
        );
      },
    );
    if (answer.status < 200 || answer.status > 299)
      throw refusalOf(answer, (text) => hide(text.replaceAll(key, '[key]')));
    return answer.body;
  }

  async function list(): Promise<PlatformAgent[]> {
    const agents: PlatformAgent[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const body = await request('GET', page === 1 ? '' : `?page=${page}`);
      agents.push(...listIn(body).flatMap(toAgent));
      if (!hasMore(body, page)) return agents;
    }
    // Our agent may be on an unread page; creating it would make a duplicate.
    throw new KnowledgeError(
      'upstream_failed',
      `The app has more than ${maxPages} pages of agents. Edit the agent in the platform's dashboard instead.`,
    );
  }

  const own = findOwn(await list(), form);
  if (!own) {
    const created = request('POST', '', toCreate(form)).catch((error: unknown) => {
      if (!(error instanceof KnowledgeError) || form.icon !== undefined) throw error;
      throw new KnowledgeError(
        error.code,
        `${error.message.replace(/\.?$/, '.')} It requires a picture to create an agent: give --icon.`,
      );
    });
    return { done: 'created', uid: confirmedUid(await created) };
  }
  const changes = toUpdate(form, own.metaData);
  if (hasAll(own.fields, changes)) return { done: 'unchanged', uid: own.uid };
  confirmedUid(await request('PATCH', `/${encodeURIComponent(own.uid)}`, changes));
  return { done: 'updated', uid: own.uid };
}
