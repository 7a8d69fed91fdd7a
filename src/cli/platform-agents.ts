/** Client of the chat platform's agents (`/v3/ai-agents/agents`). Accepts a list at the top level, in `data` or in `agents`, with or without pages. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createMentionGate } from '../app/ask/mention.ts';
import { KnowledgeError } from '../errors.ts';
import { shownLine } from '../language/invisible.ts';
import { type JsonAnswer, requestJson } from './json-request.ts';

const agentForm = z.object({
  uid: z.union([z.string(), z.number().transform(String)]).optional(),
  id: z.union([z.string(), z.number().transform(String)]).optional(),
  deletedAt: z.unknown().optional(),
  integrationMeta: z.object({ baseUrl: z.string().optional().catch(undefined), agentId: z.string().optional().catch(undefined) }).catch({}),
  metaData: z.record(z.string(), z.unknown()).catch({}),
});

export interface PlatformAgent {
  readonly uid: string;
  /** All fields, as the platform sent them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly baseUrl: string | undefined;
  readonly agentId: string | undefined;
  readonly metaData: Readonly<Record<string, unknown>>;
}

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function toAgent(value: unknown): PlatformAgent[] {
  const { success, data: agent } = agentForm.safeParse(value);
  const uid = success ? (agent.uid ?? agent.id) : undefined;
  if (!success || uid === undefined || (agent.deletedAt !== undefined && agent.deletedAt !== null)) return [];
  const { integrationMeta, metaData } = agent;
  return [{ uid, fields: fieldsOf(value), baseUrl: integrationMeta.baseUrl, agentId: integrationMeta.agentId, metaData }];
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

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the confirmed uid. @throws KnowledgeError if a 2xx body is a proxy page, a list or a refusal */
function confirmedUid(body: unknown): string | undefined {
  const { agent, data, success } = fieldsOf(body);
  const uid = [agent, data, body].flatMap(toAgent)[0]?.uid;
  const isConfirmed = isObject(body) && success !== false && (uid !== undefined || success === true || isObject(data));
  if (!isConfirmed)
    throw new KnowledgeError('upstream_failed', 'The chat platform did not confirm the change. Check the agent in its dashboard.');
  return uid;
}

const maxPages = 50;
const maxReasonChars = 300;

/** Includes the platform's message, cut and without secrets, which the platform may repeat. */
function refusalOf({ status, body }: JsonAnswer, hide: (text: string) => string): KnowledgeError {
  const said = fieldsOf(fieldsOf(body)['error'])['message'];
  const text = typeof said === 'string' ? shownLine(hide(said)).slice(0, maxReasonChars).trim() : '';
  const why = status >= 300 && status < 400 ? 'a redirect, which is not followed' : text || 'no reason';
  return new KnowledgeError('upstream_failed', `The chat platform answered with status ${status}: ${why}`);
}

/** Every method throws KnowledgeError. */
export interface PlatformAgents {
  list(): Promise<PlatformAgent[]>;
  create(agent: unknown): Promise<string | undefined>;
  update(uid: string, changes: unknown): Promise<void>;
}

/** @param address URL of the agents without a trailing slash @param hide removes further secrets from the platform's messages */
export function createPlatformAgents(address: string, key: string, hide: (text: string) => string): PlatformAgents {
  const headers = { apikey: key, chatApiVersion: 'v3.0' };
  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await requestJson(`${address}${path}`, { method, headers, body }).catch((error: unknown) => {
      const reason = error instanceof KnowledgeError ? error.message : 'the connection failed';
      throw new KnowledgeError('fetch_failed', `The chat platform cannot be reached: ${reason}.`, { cause: error });
    });
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, (text) => hide(text.replaceAll(key, '[key]')));
    return answer.body;
  }

  return {
    async list(): Promise<PlatformAgent[]> {
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
    },
    create: async (agent: unknown): Promise<string | undefined> => confirmedUid(await request('POST', '', agent)),
    async update(uid: string, changes: unknown): Promise<void> {
      confirmedUid(await request('PATCH', `/${encodeURIComponent(uid)}`, changes));
    },
  };
}

export interface EntryForm {
  readonly baseUrl: string;
  readonly agentId: string;
  readonly name: string | undefined;
  readonly icon: string | undefined;
  readonly messages: { readonly greetingMessage?: string; readonly introductoryMessage?: string };
  /** Texts that mention the agent; empty if it needs no mention. */
  readonly mentions: readonly string[];
  /** Questions that the operator gave; undefined: none. */
  readonly given: readonly string[] | undefined;
  /** Questions that the documents answer. */
  readonly found: readonly string[];
  /** Whether found questions replace those of the entry. */
  readonly isRenewed: boolean;
}

export const defaultName = 'Knowledge';
export const defaultQuestion = 'What can you do?';
const defaultMessages = {
  greetingMessage: 'Hello! Ask me about our documents.',
  introductoryMessage: 'I answer from the documents and link to the source.',
};

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** Adds a mention to each question that has none, because the agent would not answer it. */
export function withMention(questions: readonly string[], mentions: readonly string[]): string[] {
  const [first] = mentions;
  if (first === undefined) return [...questions];
  const gate = createMentionGate(mentions, true);
  return questions.map((text) => (gate.question(text) === undefined ? `${first} ${text}` : text));
}

export function buttonsOf({ given, found, mentions, isRenewed }: EntryForm, known: unknown = []): string[] {
  const kept = Array.isArray(known) ? known.filter((text) => typeof text === 'string') : [];
  const hasOwn = kept.some((text) => !text.endsWith(defaultQuestion));
  const made = found.length > 0 ? found : [defaultQuestion];
  return withMention(given ?? (hasOwn && !(isRenewed && found.length > 0) ? kept : made), mentions);
}

const common = ({ icon, baseUrl, agentId }: EntryForm) => ({
  ...(icon === undefined ? {} : { icon }),
  integrateWith: 'mastra',
  integrationType: 'agent',
  integrationMeta: { baseUrl, agentId },
  isActive: true,
});

export const toCreate = (form: EntryForm) => ({
  name: form.name ?? defaultName,
  ...common(form),
  metaData: { ...defaultMessages, ...form.messages, suggestedMessages: buttonsOf(form) },
});

/** Keeps texts that were written in the dashboard. @param known `metaData` of the entry */
export const toUpdate = (form: EntryForm, known: PlatformAgent['metaData'] = {}) => ({
  ...(form.name === undefined ? {} : { name: form.name }),
  ...common(form),
  metaData: { ...known, ...form.messages, suggestedMessages: buttonsOf(form, known['suggestedMessages']) },
});

/** Whether the entry already has the values; it may have further fields. */
export function hasAll(entry: unknown, values: object): boolean {
  return Object.entries(values).every(([name, value]) => {
    const own = fieldsOf(entry)[name];
    const isNested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isNested ? hasAll(own, value) : isDeepStrictEqual(own, value);
  });
}

/** Finds the entry of the agent by URL, else by agent id. @throws KnowledgeError if several match */
export function findOwn(agents: readonly PlatformAgent[], agentId: string, urls: readonly string[]): PlatformAgent | undefined {
  const named = agents.filter((agent) => agent.agentId === agentId);
  const own = named.find(({ baseUrl }) => baseUrl !== undefined && urls.includes(withoutSlash(baseUrl)));
  if (!own && named.length > 1) {
    const uids = named.map(({ uid }) => uid).join(', ');
    throw new KnowledgeError(
      'upstream_failed',
      `The app has several agents with the id ${agentId} (${uids}), none with this URL. Delete all but one in the dashboard.`,
    );
  }
  return own ?? named[0];
}
