/** Client of the chat platform's agents (`/v3/ai-agents/agents`). Accepts a list at the top level, in `data` or in `agents`, with or without pages. */
import { z } from 'zod';
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
  readonly baseUrl: string | undefined;
  readonly agentId: string | undefined;
  readonly metaData: Readonly<Record<string, unknown>>;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function toAgent(value: unknown): PlatformAgent[] {
  const { success, data: agent } = agentForm.safeParse(value);
  const uid = success ? (agent.uid ?? agent.id) : undefined;
  if (!success || uid === undefined || (agent.deletedAt !== undefined && agent.deletedAt !== null)) return [];
  return [{ uid, baseUrl: agent.integrationMeta.baseUrl, agentId: agent.integrationMeta.agentId, metaData: agent.metaData }];
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

/** Includes the platform's message, cut and without the key, which the platform may repeat. */
function refusalOf({ status, body }: JsonAnswer, key: string): KnowledgeError {
  const said = fieldsOf(fieldsOf(body)['error'])['message'];
  const text = typeof said === 'string' ? shownLine(said.replaceAll(key, '[key]')).slice(0, maxReasonChars).trim() : '';
  const why = status >= 300 && status < 400 ? 'a redirect, which is not followed' : text || 'no reason';
  return new KnowledgeError('upstream_failed', `The chat platform answered with status ${status}: ${why}`);
}

/** Every method throws KnowledgeError. */
export interface PlatformAgents {
  list(): Promise<PlatformAgent[]>;
  create(agent: unknown): Promise<string | undefined>;
  update(uid: string, changes: unknown): Promise<void>;
}

/** @param address URL of the agents without a trailing slash */
export function createPlatformAgents(address: string, key: string): PlatformAgents {
  async function request(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await requestJson(`${address}${path}`, { method, headers: { apikey: key }, body }).catch((error: unknown) => {
      const reason = error instanceof KnowledgeError ? error.message : 'the connection failed';
      throw new KnowledgeError('fetch_failed', `The chat platform cannot be reached: ${reason}.`, { cause: error });
    });
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, key);
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
