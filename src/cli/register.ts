/**
 * `npm run register`: asks the public address as a provider of the chat platform would, prints what
 * the platform needs to know, and with `--apply` creates or updates the agent or bot there.
 */
import { fieldsOf, type JsonFields } from '../../packages/calls/src/call-record.ts';
import { isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { plainLine, shownJson } from '../../packages/shared/src/language/invisible.ts';
import { type Config, isLoopback } from '../config.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import * as command from './command.ts';
import { hasAll, type JsonAnswer, requestJson } from './json-request.ts';
import { print, warn } from './terminal.ts';

const { exitCodes, flag, keyIn, shellCommand, textOption, UsageError } = command;

const help = `Attach the agent to the chat platform.

  knowledge-agent register --provider ag-ui|bot|mastra [--app-id ID --region us] [--apply]

      --provider ag-ui      one-to-one chats; the platform sends a key: API_KEYS_FILE=./keys.jsonl
      --provider bot        groups; a webhook: CHAT_WEBHOOK_PASSWORD, CHAT_CALLBACK_URL
      --provider mastra     no key is sent: PATH_PREFIX=/k/<random>, PATH_PREFIX_RIGHTS=ask
      --url URL             public URL of this server (default: PUBLIC_URL)
      --app-id, --region    app of the platform, and us, eu or in; or --api-base URL of its REST API
      --name, --icon        of the agent or bot; the platform requires an icon URL for an agent
      --suggest TEXT        suggested question; may be repeated (default: those of --namespace)
      --direct              mastra: use the agent DIRECT_AGENT_ID, for one-to-one chats
      --apply               send the requests; without it, only show them
      --unchecked           do not ask the public URL, if only the platform can reach it
      --show-secrets        print PATH_PREFIX and KNOWLEDGE_API_KEY instead of their names
      --json                print the result or the planned requests as JSON

Uses the platform's REST key in CHAT_API_KEY, and a key of this server in KNOWLEDGE_API_KEY (environment or .env).
`;
const options = {
  provider: textOption,
  url: textOption,
  namespace: textOption,
  region: textOption,
  'app-id': textOption,
  'api-base': textOption,
  name: textOption,
  icon: textOption,
  suggest: { type: 'string', multiple: true },
  direct: flag,
  apply: flag,
  unchecked: flag,
  'show-secrets': flag,
} as const;
type Values = command.Given<typeof options>['values'];

export const groupAgent = 'knowledge';
type Request = readonly [method: string, path: string, body: object];
type Step = Readonly<{
  find: () => Promise<unknown>;
  create: Request;
  update: (own: JsonFields) => Request;
}>;
/** `silence`: advice if the server stays silent; undefined: it should. */
type Question = Readonly<{
  chat: string;
  path: string;
  silence?: string;
  headers?: Record<string, string>;
  body: object;
}>;
export type Provider = Readonly<{
  /** What to do if the server does not let the provider in. */
  advice: string;
  /** Lines that `.env` lacks. */
  missing: readonly string[];
  /** Names and values to paste. */
  dashboard: readonly Row[];
  steps: readonly Step[];
  /** What to do after the entry is saved. */
  noteFor: (uid: string) => string;
  questions: readonly Question[];
}>;
/** @throws UsageError */
type ProviderOf = (registration: Registration) => Provider;

const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
const insecure = (url: string) => `${url} is not https, which the platform requires.`;
export const failed = (message: string) => new KnowledgeError('upstream_failed', message);

/** A rehearsal on this machine needs no TLS. */
function addressOf(option: string, given: string) {
  const url = given.trim();
  if (/\s/.test(url) || !isBaseUrl(url))
    throw new UsageError(`${option} must be an https:// URL without user, query or fragment.`);
  if (url.startsWith('http:') && !isLocal(url)) throw new UsageError(`${option}: ${insecure(url)}`);
  return url.replace(/\/{1,9}$/, '').replace(/\/(?:v3|api\/agents\/[^/]{1,100}\/[\w-]{1,20})$/, '');
}

function platformUrlOf({ 'app-id': app = '', region = '', 'api-base': base }: Values) {
  if (base !== undefined) return `${addressOf('--api-base', base)}/v3`;
  if (app + region === '') return undefined;
  if (!isAppId(app) || !isRegion(region))
    throw new UsageError('Give --app-id and --region (us, eu or in), or --api-base.');
  return `https://${app}.api-${region}.cometchat.io/v3`.toLowerCase();
}

function readRegistration(values: Values, environment: NodeJS.ProcessEnv, config: Config) {
  const { publicUrl, pathPrefix = '', directAgentId, agentMentions } = config;
  const own = values.url ?? (publicUrl && publicUrl + pathPrefix);
  if (!own)
    throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  const url = addressOf('--url', own);
  if (toNamespaceName(values.namespace ?? 'default') === undefined)
    throw new UsageError('--namespace is not a namespace name. Use letters, digits, . - and _.');
  const platformUrl = platformUrlOf(values);
  if (values.apply && platformUrl && isLocal(url) && !isLocal(platformUrl))
    throw new UsageError(insecure(url));
  const restKey = keyIn(environment, 'CHAT_API_KEY');
  const secrets = {
    '<CHAT_WEBHOOK_PASSWORD>': config.chatWebhookPassword,
    '<PATH_PREFIX>': values['show-secrets'] ? undefined : pathPrefix,
    '[key]': restKey,
  };
  /** Texts for people: the platform repeats secrets in its answers. */
  function hide(said: string) {
    let hidden = said;
    for (const [name, secret] of Object.entries(secrets))
      if (secret) hidden = hidden.replaceAll(secret, name);
    return hidden;
  }
  /** @returns undefined for 404 to a GET @throws KnowledgeError with the platform's message */
  async function send(method: string, path: string, body?: object) {
    if (platformUrl === undefined || restKey === undefined)
      throw new UsageError('--apply needs --app-id and --region, and CHAT_API_KEY.');
    const headers = { apikey: restKey, chatApiVersion: 'v3.0' };
    const { status, ...answer } = await requestJson(platformUrl + path, { method, headers, body });
    if (status >= 200 && status <= 299) return answer.body;
    if (status === 404 && method === 'GET') return undefined;
    const said = hide(String(fieldsOf(fieldsOf(answer.body)['error'])['message'] ?? 'no reason'));
    const why = status < 400 ? 'a redirect, which is not followed' : plainLine(said, 300);
    throw failed(`The chat platform answered with status ${status}: ${why}`);
  }
  return {
    values,
    config,
    url,
    key: keyIn(environment, 'KNOWLEDGE_API_KEY'),
    platformUrl,
    hide,
    send,
    agentId: (values.direct && directAgentId) || groupAgent,
    mention: config.requireMention ? agentMentions[0] : undefined,
    suggestions: values.suggest ?? ['What can you do?'],
  };
}
export type Registration = ReturnType<typeof readRegistration>;

/** Creates the entry, or updates it unless it has the values. @throws KnowledgeError */
async function save({ send }: Registration, { find, create, update }: Step) {
  const found = await find();
  const own = found === undefined ? undefined : fieldsOf(fieldsOf(found)['data'] ?? found);
  const ownUid = String(own?.['uid'] ?? '');
  const wanted = own ? update(own) : create;
  if (own && hasAll(own, wanted[2])) return { done: 'unchanged', uid: ownUid };
  const body = await send(...wanted);
  const { agent, data, success } = fieldsOf(body);
  const { uid } = fieldsOf(agent ?? data ?? body);
  if (success === false || (uid ?? success ?? data) === undefined)
    throw failed('The chat platform did not confirm the change. Check its dashboard.');
  return { done: own ? 'updated' : 'created', uid: String(uid ?? ownUid) };
}

/** Reads an answer as JSON or as events; undefined: another program answers. */
function heardIn({ status: code, body, text: raw }: JsonAnswer): JsonFields | undefined {
  const { text: whole, reason, status = reason } = fieldsOf(body);
  if (code !== 200) return undefined;
  if (whole !== undefined || status !== undefined) return { text: whole, reason: status };
  const events = [...raw.matchAll(/^data: ?(\{.*\})$/gm)].map(([, one = '']) => JSON.parse(one));
  const end = events.find(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR');
  const said = events.map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : ''));
  return end && { text: said.join(''), reason: end.result?.reason, failure: end.message };
}

function refusalOf({ status, body }: JsonAnswer, advice: string) {
  const { error } = fieldsOf(body);
  const next = [401, 403, 404].includes(status) ? ` ${advice}` : '';
  if (typeof error === 'string') return `${status}: ${plainLine(error, 300)}${next}`;
  if (status >= 500) return `${status}: the server or its proxy failed. Check that both run.`;
  return `${status}: a proxy or another program answers, or redirects. Check --url.`;
}

function outcomeOf({ failure, reason, text: said = '' }: JsonFields, silence?: string) {
  if (failure !== undefined) return ['refused', plainLine(String(failure), 500)] as const;
  if (reason === 'accepted') return ['answered', 'by a message of the bot'] as const;
  if (reason === 'no_context')
    return ['not known', `the documents do not answer it: ${shellCommand('ingest')} FILE`] as const;
  // Without a model, the heading path of a section comes first.
  const shown = String(said).replace(/^(?:.+:\n\n)?\*\*.+\*\*\n\n/, '');
  const [line = ''] = shown.trim().split('\n');
  if (line === '') return ['silent', silence ?? 'as it should be'] as const;
  return ['answered', plainLine(line, 100) + (line.length > 100 ? '…' : '')] as const;
}

async function ask({ url }: Registration, advice: string, question: Question) {
  const { chat, path, headers, body, silence } = question;
  const request = { method: 'POST', headers, body, timeoutMs: 60_000 };
  const answer = await requestJson(url + path, request);
  const heard = heardIn(answer) ?? { failure: refusalOf(answer, advice) };
  const [outcome, said] = outcomeOf(heard, silence);
  const isWrong = (outcome === 'silent') === (silence !== undefined);
  return { chat, outcome, text: said, isFailed: isWrong || outcome === 'refused' };
}

/** @returns the questions that the server suggests, or the own ones */
async function suggestionsOf({ url, key, values, suggestions }: Registration) {
  const namespace = encodeURIComponent(values.namespace ?? 'default');
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const answer = await requestJson(`${url}/api/namespaces/${namespace}/suggestions`, { headers });
  const { suggestions: found } = fieldsOf(answer.body);
  if (values.suggest || !Array.isArray(found) || found.length === 0) return suggestions;
  return found.slice(0, 6).map((one) => String(one?.question));
}

/** Asks as the provider. @throws KnowledgeError if the server is unreachable */
async function askServer(registration: Registration, providerOf: ProviderOf) {
  const checks: Awaited<ReturnType<typeof ask>>[] = [];
  if (registration.values.unchecked) return { provider: providerOf(registration), checks };
  try {
    const suggestions = await suggestionsOf(registration);
    const provider = providerOf({ ...registration, suggestions });
    for (const question of provider.questions)
      checks.push(await ask(registration, provider.advice, question));
    return { provider, checks };
  } catch (error) {
    if (!(error instanceof KnowledgeError)) throw error;
    throw failed(`${registration.url} is unreachable: ${error.message}. See --unchecked.`);
  }
}

type Row = readonly string[];
function sectionOf(title: string, rows: readonly Row[]) {
  const lines = rows.map(([name = '', ...more]) => `  ${[name.padEnd(14), ...more].join('  ')}\n`);
  return lines.length > 0 ? `\n${title}\n${lines.join('')}` : '';
}

async function register(registration: Registration, providerOf: ProviderOf): Promise<number> {
  const { values, platformUrl, hide } = registration;
  const { missing } = providerOf(registration);
  if (missing.length > 0) {
    warn('Append these lines to .env, restart the server, and run this command again.');
    print(`${missing.join('\n')}\n`);
    return exitCodes.done;
  }
  const { provider, checks } = await askServer(registration, providerOf);
  const isRefused = !values.unchecked && checks.every((check) => check.isFailed);
  let saved: Awaited<ReturnType<typeof save>> | undefined;
  if (values.apply && !isRefused)
    for (const step of provider.steps) saved = await save(registration, step);
  const planned = values.apply || !platformUrl ? [] : provider.steps;
  const requests = planned.flatMap(({ create, update }) => [create, update({})]);
  const dashboard = saved ? [] : provider.dashboard;
  const result = { done: 'nothing', ...saved, requests, dashboard, checks };
  const sent = requests.map(([way, path, body]) => [way, path, JSON.stringify(body)]);
  const asked = checks.map((one) => [one.chat, `${one.outcome}: ${one.text}`]);
  const shown = [
    saved
      ? `The agent is ${saved.done}: ${saved.uid}.\n${provider.noteFor(saved.uid)}`
      : 'Nothing was sent.\n',
    sectionOf(`--apply sends to ${platformUrl}, as far as needed:`, sent),
    sectionOf('In the dashboard (AI Agents, Add Agent); --show-secrets prints <…>:', dashboard),
    sectionOf('Asked as this provider:', asked),
  ];
  print(hide(values.json ? `${shownJson(result)}\n` : shown.join('')));
  return isRefused || checks.some((check) => check.isFailed) ? exitCodes.failed : exitCodes.done;
}

/** @param providers by the value of `--provider` */
export function registerCommand(providers: Readonly<Record<string, ProviderOf>>) {
  const form = { help, exit: '0 done, 1 a chat gets no answer or the platform failed', options };
  return command.createCommand(form, async ({ values }, environment) => {
    const providerOf = command.chooseCommand('provider', values.provider ?? '', providers);
    const config = command.parseCommandConfig(environment);
    if (values.direct && !(values.provider === 'mastra' && config.directAgentId))
      throw new UsageError('--direct needs --provider mastra, and DIRECT_AGENT_ID.');
    return register(readRegistration(values, environment, config), providerOf);
  });
}
