/**
 * `npm run register`: explains the providers of the chat platform, asks the public address as one
 * of them would, and with `--apply` creates or updates the agent or bot there.
 */
import { isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { plainLine, shownJson } from '../../packages/shared/src/language/invisible.ts';
import { type Config, isLoopback, keylessAccess } from '../config.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import * as command from './command.ts';
import {
  type AnswerFields,
  fieldsOf,
  hasAll,
  type JsonAnswer,
  requestJson,
} from './json-request.ts';
import { print, tableLines, warn } from './terminal.ts';

const { exitCodes, keyIn, shellCommand, UsageError } = command;

const help = `Attach the agent to the chat platform. Without --provider, explain the choice.

  knowledge-agent register --provider ag-ui|mastra|bot [--app-id ID --region us] [--apply]

      --url URL             public URL of this server (default: PUBLIC_URL)
      --app-id, --region    app of the platform, and us, eu or in; or --api-base URL of its REST API
      --name, --icon        of the agent or bot; the platform requires an icon URL for an agent
      --suggest TEXT        suggested question; may be repeated (default: those of --namespace)
      --direct              mastra: use the agent DIRECT_AGENT_ID, for one-to-one chats
      --apply               send the requests; without it, only show them
      --unchecked           do not ask the public URL, if only the platform can reach it
      --show-secrets        print PATH_PREFIX and KNOWLEDGE_API_KEY instead of their names
      --json                print the result or the planned requests as JSON
  -h, --help

Uses the platform's REST key in CHAT_API_KEY, and a key of this server in KNOWLEDGE_API_KEY (environment or .env).
Exit code: 0 done, 1 a chat gets no answer or the platform failed, 2 wrong arguments.
`;
const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  provider: text,
  url: text,
  namespace: text,
  region: text,
  'app-id': text,
  'api-base': text,
  name: text,
  icon: text,
  suggest: { type: 'string', multiple: true },
  direct: flag,
  apply: flag,
  unchecked: flag,
  'show-secrets': flag,
} as const;
type Values = command.Given<typeof options>['values'];

export const groupAgent = 'knowledge';
/** `request`: creates the entry, or updates the `own` one; undefined: nothing to update. */
type Step = Readonly<{
  find: () => Promise<unknown>;
  request: (own?: AnswerFields) => Request | undefined;
}>;
type Request = readonly [method: string, path: string, body: object];
/** `silence`: advice if the server stays silent; undefined: it should. */
type Question = Readonly<{ chat: string; agentId: string; path: string; silence?: string }> &
  Readonly<{ headers?: Record<string, string>; body: object }>;
/** `advice`: what to do if the server does not let the provider in. */
export type Provider = Readonly<{
  listPath: string;
  advice: string;
  sendsKey?: boolean;
  /** Lines that `.env` lacks. */
  missing?: readonly string[];
  /** Names and values to paste; further values have lines of their own. */
  dashboard?: readonly string[][];
  steps?: readonly Step[];
  note?: (uid: string) => string;
  questions: readonly Question[];
}>;
/** @throws UsageError */
type ProviderOf = (registration: Registration) => Provider;

const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
const isPlain = (url: string) => new URL(url).protocol === 'http:';
const insecure = (url: string) => `${url} is not https, which the platform requires.`;
export const failed = (message: string) => new KnowledgeError('upstream_failed', message);

function addressOf(option: string, given: string): string {
  const url = given.trim();
  if (/\s/.test(url) || !isBaseUrl(url))
    throw new UsageError(`${option} must be an https:// URL without user, query or fragment.`);
  return url.replace(/\/{1,9}$/, '').replace(/\/(?:v3|api\/agents\/[^/]{1,100}\/[\w-]{1,20})$/, '');
}

function platformUrlOf({ 'app-id': app = '', region = '', 'api-base': base }: Values) {
  if (base === undefined && app + region === '') return undefined;
  if (base === undefined ? !(isAppId(app) && isRegion(region)) : app + region !== '')
    throw new UsageError('Give --app-id and --region (us, eu or in), or only --api-base.');
  const host = `https://${app}.api-${region}.cometchat.io`.toLowerCase();
  const url = addressOf('--api-base', base ?? host);
  if (isPlain(url) && !isLocal(url)) throw new UsageError(`--api-base: ${insecure(url)}`);
  return `${url}/v3`;
}

function readRegistration(values: Values, environment: NodeJS.ProcessEnv, config: Config) {
  const { publicUrl, pathPrefix = '', directAgentId } = config;
  const own = values.url ?? (publicUrl === undefined ? undefined : publicUrl + pathPrefix);
  if (own === undefined)
    throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  const url = addressOf('--url', own);
  if (toNamespaceName(values.namespace ?? 'default') === undefined)
    throw new UsageError('--namespace is not a namespace name. Use letters, digits, . - and _.');
  const platformUrl = platformUrlOf(values);
  // A rehearsal on this machine needs no TLS.
  if (values.apply && isPlain(url) && !(isLocal(url) && isLocal(platformUrl ?? url)))
    throw new UsageError(insecure(url));
  const restKey = keyIn(environment, 'CHAT_API_KEY');
  const key = keyIn(environment, 'KNOWLEDGE_API_KEY');
  const secrets = {
    '<CHAT_WEBHOOK_PASSWORD>': config.chatWebhookPassword,
    '<PATH_PREFIX>': values['show-secrets'] ? undefined : pathPrefix,
    '[key]': restKey,
  };
  /** Texts for people: the platform repeats secrets in its answers. */
  const hide = (said: string) =>
    Object.entries(secrets).reduce(
      (all, [name, secret]) => (secret ? all.replaceAll(secret, name) : all),
      said,
    );
  /** @returns undefined for 404 to a GET @throws KnowledgeError with the platform's message */
  async function send(method: string, path: string, body?: object): Promise<unknown> {
    if (platformUrl === undefined || restKey === undefined)
      throw new UsageError('--apply needs --app-id and --region, and CHAT_API_KEY.');
    const headers = { apikey: restKey, chatApiVersion: 'v3.0' };
    const answer = await requestJson(platformUrl + path, { method, headers, body });
    const { status } = answer;
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
    key,
    platformUrl,
    hide,
    send,
    agentId: (values.direct && directAgentId) || groupAgent,
    agents: {} as Record<string, { requiresMention: boolean; mentions: readonly string[] }>,
    suggestions: values.suggest ?? ['What can you do?'],
  };
}
export type Registration = ReturnType<typeof readRegistration>;

const doneTexts = { created: 'was created', updated: 'was updated', unchanged: 'is up to date' };
type Saved = Readonly<{ done: keyof typeof doneTexts; uid: string }>;

/** Creates the entry, or updates it unless it has the values. @throws KnowledgeError */
async function save({ send }: Registration, { find, request }: Step): Promise<Saved> {
  const found = await find();
  const own = found === undefined ? undefined : fieldsOf(fieldsOf(found)['data'] ?? found);
  const wanted = request(own);
  const ownUid = String(own?.['uid'] ?? '');
  if (!wanted || (own && hasAll(own, wanted[2]))) return { done: 'unchanged', uid: ownUid };
  const body = await send(...wanted);
  const { agent, data, success } = fieldsOf(body);
  const { uid } = fieldsOf(agent ?? data ?? body);
  if (success === false || (uid ?? success ?? data) === undefined)
    throw failed('The chat platform did not confirm the change. Check its dashboard.');
  return { done: own ? 'updated' : 'created', uid: String(uid ?? ownUid) };
}

/** Reads an answer as JSON or as events; undefined: another program answers. */
function heardIn({ status: code, body, text: raw }: JsonAnswer): AnswerFields | undefined {
  const { text: whole, reason, status = reason } = fieldsOf(body);
  if (code !== 200 || whole !== undefined || status !== undefined)
    return code === 200 ? { text: whole, reason: status } : undefined;
  const events = [...raw.matchAll(/^data: ?(\{.*\})$/gm)].map(([, one = '']) => JSON.parse(one));
  const end = events.find(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR');
  const said = events.map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : ''));
  return end && { text: said.join(''), reason: end.result?.reason, failure: end.message };
}

function refusalOf({ status, body }: JsonAnswer, url: string, advice: string): string {
  const { code, error } = fieldsOf(body);
  const host = `Add ${new URL(url).hostname} to ALLOWED_HOSTS, or set PUBLIC_URL.`;
  if (typeof error === 'string')
    return `${status}: ${plainLine(error, 300)} ${code === 'host_not_allowed' ? host : advice}`;
  if (status >= 500) return `${status}: the server or its proxy failed. Check that both run.`;
  return `${status}: a proxy or another program answers, or redirects. Check --url.`;
}

function outcomeOf(
  { failure, reason, text: said = '' }: AnswerFields,
  silence: string | undefined,
) {
  if (failure !== undefined) return ['refused', plainLine(String(failure), 500)] as const;
  if (reason === 'accepted') return ['answered', 'by a message of the bot'] as const;
  if (reason === 'no_context')
    return ['not known', `the documents do not answer it: ${shellCommand('ingest')} FILE`] as const;
  // Without a model, the heading path of a section comes first.
  const [line = ''] = String(said)
    .replace(/^(?:.+:\n\n)?\*\*.+\*\*\n\n/, '')
    .trim()
    .split('\n');
  if (line === '') return ['silent', silence ?? 'as it should be'] as const;
  return ['answered', plainLine(line, 100) + (line.length > 100 ? '…' : '')] as const;
}

async function ask({ url }: Registration, advice: string, question: Question) {
  const { chat, agentId, path, headers, body, silence } = question;
  const request = { method: 'POST', headers, body, timeoutMs: 60_000 };
  const heard = await requestJson(url + path, request).then(
    (answer) => heardIn(answer) ?? { failure: refusalOf(answer, url, advice) },
    (error: Error) => ({ failure: `${error.message}.` }),
  );
  const [outcome, said] = outcomeOf(heard, silence);
  const isWrong = (outcome === 'silent') === (silence !== undefined);
  return { chat, agentId, outcome, text: said, isFailed: isWrong || outcome === 'refused' };
}

/** @returns what the server says about its agents and questions, or the problem that prevents it */
async function readServer(registration: Registration, { listPath, advice, sendsKey }: Provider) {
  const { url, key, values, suggestions } = registration;
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  try {
    const answer = await requestJson(url + listPath, sendsKey ? { headers } : {});
    const agents = fieldsOf(answer.body) as Registration['agents'];
    if (answer.status !== 200 || (!agents[groupAgent] && listPath !== '/ready'))
      return `${url} does not serve this provider. ${refusalOf(answer, url, advice)}`;
    const path = `/api/namespaces/${encodeURIComponent(values.namespace ?? 'default')}/suggestions`;
    const { suggestions: known } = fieldsOf((await requestJson(url + path, { headers })).body);
    const questions = (Array.isArray(known) ? known : []).map((one) => String(one?.question));
    const found = values.suggest ?? questions.slice(0, 6);
    return { ...registration, agents, suggestions: found.length > 0 ? found : suggestions };
  } catch (error) {
    return `${url} is unreachable: ${(error as Error).message}.`;
  }
}

/** @returns the provider as the server knows it, what prevents that, and the answers */
async function askServer(registration: Registration, providerOf: ProviderOf) {
  const { url, values } = registration;
  const provider = providerOf(registration);
  const problems = isPlain(url) ? [insecure(url)] : [];
  const checks: Awaited<ReturnType<typeof ask>>[] = [];
  // A key or password must not be sent in plain text over a network.
  if (values.unchecked || (isPlain(url) && !isLocal(url))) return { provider, problems, checks };
  const known = await readServer(registration, provider);
  if (typeof known === 'string') return { provider, problems: [...problems, known], checks };
  const asked = providerOf(known);
  for (const question of asked.questions) checks.push(await ask(known, asked.advice, question));
  return { provider: asked, problems, checks };
}

function choiceText(config: Config): string {
  const { apiKeys, apiKeysFile, pathPrefix, allowAnonymous, chatWebhookPassword } = config;
  const rights: readonly string[] = keylessAccess(config)?.rights ?? [];
  const mayAsk = rights.includes('ask') || rights.includes('read');
  const mark = (fits: unknown) => (fits ? 'yes' : 'no ');
  const isOpen = allowAnonymous !== 'read' && rights.includes('write');
  return `"yes": the settings fit.

  ${mark(apiKeys.length > 0 || apiKeysFile)}  --provider ag-ui   One-to-one chats. The platform sends a key: API_KEYS_FILE=./keys.jsonl
  ${mark(chatWebhookPassword)}  --provider bot     Groups. The platform calls a webhook: CHAT_WEBHOOK_PASSWORD, CHAT_CALLBACK_URL
  ${mark(pathPrefix && mayAsk)}  --provider mastra  The platform sends no key: PATH_PREFIX=/k/<random>, PATH_PREFIX_RIGHTS=ask
  ${mark(allowAnonymous === 'read')}  --provider mastra  Everyone may ask: ALLOW_ANONYMOUS=read, ANONYMOUS_NAMESPACES=default
${isOpen ? '\nThe settings protect nothing. Choose one before you make this server public.\n' : ''}`;
}

const linesOf = (rows: readonly string[][]) =>
  tableLines(Array(rows[0]?.length).fill(''), rows)
    .slice(2)
    .map((line) => `  ${line}\n`)
    .join('');

/** Texts without any row are empty. */
const titled = (title: string, rows: readonly string[][]) =>
  rows.length > 0 ? [`${title}\n${linesOf(rows)}`] : [];

function planText({ platformUrl, values }: Registration, { dashboard, requests }: Plan): string[] {
  const rows = dashboard.flatMap(([name = '', ...all]) =>
    all.map((value, at) => [at === 0 ? name : '', value]),
  );
  const sent = requests.map(
    ([way, path, body]) => `${way} ${platformUrl}${path}\n${shownJson(body)}\n`,
  );
  return [
    ...(values.apply ? ['Nothing was sent.\n'] : []),
    ...(sent.length > 0 ? ['Nothing was sent. --apply sends what is needed of:\n', ...sent] : []),
    ...titled('In the dashboard (AI Agents, Add Agent); --show-secrets prints <…>:', rows),
  ];
}

/** Saves the entries, or plans it. @returns the last entry, or the plan */
async function runSteps(
  registration: Registration,
  { steps = [], ...provider }: Provider,
  isApplied: boolean,
) {
  let saved: Saved | undefined;
  if (isApplied) for (const step of steps) saved = await save(registration, step);
  const planned = registration.values.apply || !registration.platformUrl ? [] : steps;
  const requests = planned.flatMap(({ request }) => [request(), request({})]);
  const { dashboard = [] } = saved ? {} : provider;
  return { saved, dashboard, requests: requests.filter((one) => one !== undefined) };
}
type Plan = Awaited<ReturnType<typeof runSteps>>;

async function register(registration: Registration, providerOf: ProviderOf): Promise<number> {
  const { values, agentId, hide } = registration;
  const { missing = [] } = providerOf(registration);
  if (missing.length > 0) {
    warn('Append these lines to .env, restart the server, and run this command again.');
    print(`${missing.join('\n')}\n`);
    return exitCodes.done;
  }
  const { provider, problems, checks } = await askServer(registration, providerOf);
  const own = checks.filter((check) => check.agentId === agentId);
  const isRefused = !values.unchecked && own.every((check) => check.isFailed);
  const plan = await runSteps(registration, provider, values.apply && !isRefused);
  const { saved, requests } = plan;
  const dashboard = Object.fromEntries(plan.dashboard);
  const result = { done: 'nothing', ...saved, requests, problems, dashboard, checks };
  const rows = checks.map((one) => [one.chat, one.agentId, `${one.outcome}: ${one.text}`]);
  const done = saved
    ? [`The agent ${doneTexts[saved.done]}: ${saved.uid}.\n${provider.note?.(saved.uid) ?? ''}`]
    : planText(registration, plan);
  const shown = [...done, ...titled('Asked as this provider:', rows)].join('\n');
  if (!values.json) for (const problem of problems) warn(hide(problem));
  print(hide(values.json ? `${shownJson(result)}\n` : shown));
  return isRefused || checks.some((check) => check.isFailed) ? exitCodes.failed : exitCodes.done;
}

/** @param providers by the value of `--provider` */
export function registerCommand(providers: Readonly<Record<string, ProviderOf>>) {
  const form = { help, options, allowPositionals: false };
  return command.createCommand(form, async ({ values }, environment) => {
    const config = command.parseCommandConfig(environment);
    const isForPlatform = platformUrlOf(values) !== undefined || values.apply;
    const given = values.provider ?? (isForPlatform ? 'mastra' : undefined);
    const names = Object.keys(providers);
    const [name = ''] = command.chooseSome('provider', given ? [given] : [], names);
    const providerOf = providers[name];
    if (values.direct && !(name === 'mastra' && config.directAgentId))
      throw new UsageError(
        '--direct needs --provider mastra, and DIRECT_AGENT_ID=knowledge-direct.',
      );
    if (providerOf) return register(readRegistration(values, environment, config), providerOf);
    print(choiceText(config));
    return exitCodes.done;
  });
}
