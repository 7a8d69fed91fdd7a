/** What the providers of `npm run register` share, with the platform's REST API. */
import { isDeepStrictEqual } from 'node:util';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { plainLine } from '../../packages/shared/src/language/invisible.ts';
import type { Config } from '../config.ts';
import { type Given, UsageError } from './command.ts';
import { requestJson } from './json-request.ts';

export const groupAgent = 'knowledge';
const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
export const options = {
  provider: text,
  url: text,
  namespace: text,
  region: text,
  name: text,
  icon: text,
  'app-id': text,
  'api-base': text,
  greeting: text,
  intro: text,
  direct: flag,
  apply: flag,
  unchecked: flag,
  'show-secrets': flag,
  suggest: { type: 'string', multiple: true },
} as const;
export type RegisterValues = Given<typeof options>['values'];

export type PlatformFields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is PlatformFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): PlatformFields => (isFields(value) ? value : {});

export type Request = readonly [method: string, path: string, body?: object];
export const doneTexts = {
  created: 'was created',
  updated: 'was updated',
  unchanged: 'is up to date',
};
export type Saved = Readonly<{
  done: keyof typeof doneTexts;
  uid: string;
  note?: string | undefined;
}>;
export type Registration = Readonly<{
  values: RegisterValues;
  config: Config;
  /** Public URL of this server. */
  url: string;
  agentId: string;
  key: string | undefined;
  /** The platform's REST API, such as `https://…/v3`. */
  platformUrl: string | undefined;
  agents: Readonly<Record<string, { requiresMention: boolean; mentions: readonly string[] }>>;
  suggestions: readonly string[];
  /** Removes secrets from texts for people. */
  hide: (text: string) => string;
  /** @returns undefined for 404 to a GET @throws KnowledgeError */
  platform: (...request: Request) => Promise<unknown>;
}>;
/** `silence`: advice if the server stays silent; undefined: it should. */
export type Prompted = Readonly<
  Record<'chat' | 'agentId' | 'path', string> & { headers: Record<string, string>; body: object }
> & { readonly silence?: string };
export interface Provider {
  /** What the server must list for it. */
  readonly listPath: string;
  readonly sendsKey?: boolean;
  /** What to do if the server does not let the provider in. */
  readonly advice: string;
  /** Lines that `.env` lacks. @throws UsageError */
  settings?(registration: Registration): string[];
  /** Names and values to paste. */
  dashboard?(registration: Registration): [string, string][];
  plan?(registration: Registration): Request[];
  save?(registration: Registration): Promise<Saved>;
  questions(registration: Registration): Prompted[];
}
/** Includes the platform's message, cut and without secrets, which the platform may repeat. */
export function platformOf(
  url: string | undefined,
  key: string | undefined,
  hide: Registration['hide'],
): Registration['platform'] {
  return async (method, path, body) => {
    if (url === undefined || key === undefined)
      throw new UsageError('--apply needs --app-id and --region, and CHAT_API_KEY.');
    const headers = { apikey: key, chatApiVersion: 'v3.0' };
    const answer = await requestJson(url + path, { method, headers, body });
    if (answer.status === 404 && method === 'GET') return undefined;
    if (answer.status >= 200 && answer.status <= 299) return answer.body;
    const said = String(fieldsOf(fieldsOf(answer.body)['error'])['message'] ?? 'no reason');
    const why = answer.status < 400 ? 'a redirect, which is not followed' : said;
    throw new KnowledgeError(
      'upstream_failed',
      `The chat platform answered with status ${answer.status}: ${plainLine(hide(why.replaceAll(key, '[key]')), 300)}`,
    );
  };
}

const hasAll = (entry: unknown, values: object): boolean =>
  Object.entries(values).every(([name, value]) => {
    const own = fieldsOf(entry)[name];
    if (value === undefined) return true;
    return isFields(value) ? hasAll(own, value) : isDeepStrictEqual(own, value);
  });

/** Sends `request`, unless the entry `own` has its values already. @throws KnowledgeError */
export async function saveEntry(
  { platform }: Registration,
  own: PlatformFields | undefined,
  request: [string, string, object],
): Promise<Saved> {
  if (own && hasAll(own, request[2])) return { done: 'unchanged', uid: String(own['uid']) };
  const body = await platform(...request);
  const { agent, data, success } = fieldsOf(body);
  const { uid } = fieldsOf(agent ?? data ?? body);
  if (isFields(body) && success !== false && (uid ?? success ?? data) !== undefined)
    return { done: own ? 'updated' : 'created', uid: String(uid ?? own?.['uid'] ?? '') };
  const message = 'The chat platform did not confirm the change. Check its dashboard.';
  throw new KnowledgeError('upstream_failed', message);
}
