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
      --greeting, --intro   texts of the agent
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
const texts = { type: 'string', multiple: true } as const;
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
  greeting: text,
  intro: text,
  suggest: texts,
  direct: flag,
  apply: flag,
  unchecked: flag,
  'show-secrets': flag,
} as const;
type Values = command.Given<typeof options>['values'];

export const groupAgent = 'knowledge';
type Request = readonly [method: string, path: string, body: object];
/** Entry of the platform. `find` returns undefined if it is missing. */
interface Step {
  find(): Promise<unknown>;
  readonly create: Request;
  update?(own: AnswerFields): Request;
}
/** `silence`: advice if the server stays silent; undefined: it should. */
type Question = Readonly<Record<'chat' | 'agentId' | 'path', string>> &
  Readonly<{ headers?: Record<string, string>; body: object; silence?: string }>;
/** `advice`: what to do if the server does not let the provider in. */
export type Provider = Readonly<{ listPath: string; advice: string }> & {
  readonly sendsKey?: boolean;
  /** Whether it may use the agent `DIRECT_AGENT_ID`. */
  readonly hasDirect?: boolean;
  /** Lines that `.env` lacks. @throws UsageError */
  missing?(registration: Registration): string[];
  /** Names and values to paste; further values have lines of their own. */
  dashboard?(registration: Registration): string[][];
  steps?(registration: Registration): Step[];
  note?(registration: Registration, uid: string): string;
  questions(registration: Registration): Question[];
};

const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
const isPlain = (url: string) => new URL(url).protocol === 'http:';
const insecure = (url: string) => `${url} is not https, which the platform requires.`;

function addressOf(option: string, given: string): string {
  const url = given.trim();
  if (/\s/.test(url) || !isBaseUrl(url))
    throw new UsageError(`${option} must be an https:// URL without user, query or fragment.`);
  return url.replace(/\/{1,9}$/, '').replace(/\/(?:v3|api\/agents\/[^/]{1,100}\/[\w-]{1,20})$/, '');
}

function platformUrlOf({ 'app-id': app, region, 'api-base': base }: Values): string | undefined {
  if (base === undefined && app === undefined && region === undefined) return undefined;
  const isApp = isAppId(app ?? '') && isRegion(region ?? '');
  if (base === undefined ? !isApp : app !== undefined || region !== undefined)
    throw new UsageError('Give --app-id and --region (us, eu or in), or only --api-base.');
  const host = `https://${app}.api-${region}.cometchat.io`.toLowerCase();
  const url = addressOf('--api-base', base ?? host);
  if (isPlain(url) && !isLocal(url)) throw new UsageError(`--api-base: ${insecure(url)}`);
  return `${url}/v3`;
}

function readRegistration(values: Values, environment: NodeJS.ProcessEnv, config: Config) {
  const { publicUrl, pathPrefix = '', directAgentId, chatWebhookPassword: password = '' } = config;
  const own = values.url ?? (publicUrl === undefined ? undefined : publicUrl + pathPrefix);
  if (own === undefined)
    throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  const url = addressOf('--url', own);
  if (values.apply && isPlain(url) && !isLocal(url)) throw new UsageError(insecure(url));
  if (toNamespaceName(values.namespace ?? 'default') === undefined)
    throw new UsageError('--namespace is not a namespace name. Use letters, digits, . - and _.');
  const platformUrl = platformUrlOf(values);
  const restKey = keyIn(environment, 'CHAT_API_KEY');
  const key = keyIn(environment, 'KNOWLEDGE_API_KEY');
  const secrets = [
    [password, '<CHAT_WEBHOOK_PASSWORD>'],
    [shownJson(password).slice(1, -1), '<CHAT_WEBHOOK_PASSWORD>'],
    [values['show-secrets'] ? '' : pathPrefix, '<PATH_PREFIX>'],
    [restKey ?? '', '[key]'],
  ] as const;
  /** Texts for people: the platform repeats secrets in its answers. */
  const hide = (said: string) =>
    secrets.reduce((all, [secret, name]) => (secret ? all.replaceAll(secret, name) : all), said);
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
    const message = `The chat platform answered with status ${status}: ${why}`;
    throw new KnowledgeError('upstream_failed', message);
  }
  return {
    values,
    config,
    url,
    key,
    platformUrl,
    hide,
    send,
    keyHeaders: (key ? { authorization: `Bearer ${key}` } : {}) as Record<string, string>,
    agentId: (values.direct && directAgentId) || groupAgent,
    agents: {} as Record<string, { requiresMention: boolean; mentions: readonly string[] }>,
    suggestions: values.suggest ?? ['What can you do?'],
  };
}
export type Registration = ReturnType<typeof readRegistration>;

const doneTexts = { created: 'was created', updated: 'was updated', unchanged: 'is up to date' };
type Saved = Readonly<{ done: keyof typeof doneTexts; uid: string }>;

/** Creates the entry, or updates it unless it has the values. @throws KnowledgeError */
async function save({ send }: Registration, { find, create, update }: Step): Promise<Saved> {
  const found = await find();
  const own = found === undefined ? undefined : fieldsOf(fieldsOf(found)['data'] ?? found);
  const request = own ? update?.(own) : create;
  const ownUid = String(own?.['uid'] ?? '');
  if (!request || (own && hasAll(own, request[2]))) return { done: 'unchanged', uid: ownUid };
  const body = await send(...request);
  const { agent, data, success } = fieldsOf(body);
  const { uid } = fieldsOf(agent ?? data ?? body);
  if (success !== false && (uid ?? success ?? data) !== undefined)
    return { done: own ? 'updated' : 'created', uid: String(uid ?? ownUid) };
  const message = 'The chat platform did not confirm the change. Check its dashboard.';
  throw new KnowledgeError('upstream_failed', message);
}

/** Text of an answer as JSON or as events; undefined: another program answers. */
function heardIn({ status: code, body, text: raw }: JsonAnswer): AnswerFields | undefined {
  const { text: whole, reason, status = reason } = fieldsOf(body);
  if (code !== 200 || whole !== undefined || status !== undefined)
    return code === 200 ? { text: whole, reason: status } : undefined;
  const events = [...raw.matchAll(/^data: ?(\{.*\})$/gm)].map(([, one = '']) => JSON.parse(one));
  const end = events.find(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR');
  const parts = events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT');
  const said = parts.map(({ delta }) => delta).join('');
  return end && { text: said, reason: end.result?.reason, failure: end.message };
}

function refusalOf({ status, body }: JsonAnswer, url: string, advice: string): string {
  const { code, error } = fieldsOf(body);
  const host = `Add ${new URL(url).hostname} to ALLOWED_HOSTS, or set PUBLIC_URL.`;
  if (typeof error === 'string')
    return `${status}: ${plainLine(error, 300)} ${code === 'host_not_allowed' ? host : advice}`;
  if (status >= 500) return `${status}: the server or its proxy failed. Check that both run.`;
  return `${status}: a proxy or another program answers, or redirects. Check --url.`;
}

async function ask({ url }: Registration, advice: string, question: Question) {
  const { chat, agentId, path, headers, body, silence } = question;
  const found = (outcome: 'answered' | 'not known' | 'silent' | 'refused', said: string) => {
    const isWrong = (outcome === 'silent') === (silence !== undefined) || outcome === 'refused';
    return { chat, agentId, outcome, text: said, isFailed: isWrong };
  };
  try {
    const request = { method: 'POST', headers, body, timeoutMs: 60_000 };
    const answer = await requestJson(url + path, request);
    const heard = heardIn(answer) ?? { failure: refusalOf(answer, url, advice) };
    const { text: said = '', reason, failure } = heard;
    if (failure !== undefined) return found('refused', plainLine(String(failure), 500));
    if (reason === 'accepted') return found('answered', 'by a message of the bot');
    if (reason === 'no_context')
      return found('not known', `the documents do not answer it: ${shellCommand('ingest')} FILE`);
    // Without a model, the heading path of a section comes first.
    const answered = String(said).replace(/^(?:.+:\n\n)?\*\*.+\*\*\n\n/, '');
    const line = answered.trim().split('\n')[0] ?? '';
    if (line === '') return found('silent', silence ?? 'as it should be');
    return found('answered', plainLine(line, 100) + (line.length > 100 ? '…' : ''));
  } catch (error) {
    return found('refused', `${(error as Error).message}.`);
  }
}

/** @returns the agents and questions of the server, or the problem that prevents it */
async function readServer(registration: Registration, { listPath, advice, sendsKey }: Provider) {
  const { url, keyHeaders: headers, values, suggestions } = registration;
  try {
    const ready = await requestJson(`${url}/ready`);
    const listed = await requestJson(url + listPath, sendsKey ? { headers } : {});
    const answer = ready.status === 200 ? listed : ready;
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

/** @returns the registration with what the server says, problems, and answers */
async function askServer(registration: Registration, provider: Provider) {
  const { url, values } = registration;
  const problems = isPlain(url) ? [insecure(url)] : [];
  const checks: Awaited<ReturnType<typeof ask>>[] = [];
  // A key or password must not be sent in plain text over a network.
  const isAsked = !values.unchecked && (isLocal(url) || !isPlain(url));
  const known = isAsked ? await readServer(registration, provider) : registration;
  if (typeof known === 'string')
    return { known: registration, problems: [...problems, known], checks };
  for (const question of isAsked ? provider.questions(known) : [])
    checks.push(await ask(known, provider.advice, question));
  return { known, problems, checks };
}
type Findings = Awaited<ReturnType<typeof askServer>>;

function isBlocked({ known: { values, url, agentId, platformUrl = '' }, checks }: Findings) {
  // A rehearsal with a platform on this machine needs no TLS.
  const isRehearsal = isLocal(url) && isBaseUrl(platformUrl) && isLocal(platformUrl);
  const isInsecure = values.apply && isPlain(url) && !isRehearsal;
  const own = checks.filter((check) => check.agentId === agentId);
  return !values.unchecked && (isInsecure || own.every(({ isFailed }) => isFailed));
}

function choiceText(config: Config): string {
  const { apiKeys, apiKeysFile, pathPrefix, allowAnonymous, chatWebhookPassword } = config;
  const mayAsk = keylessAccess(config)?.rights.some((right) => right === 'ask' || right === 'read');
  const mark = (fits: unknown) => (fits ? 'yes' : 'no ');
  const isOpen = allowAnonymous !== 'read' && keylessAccess(config)?.rights.includes('write');
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

type Plan = Readonly<{
  saved: Saved | undefined;
  requests: readonly Request[];
  pasted: string[][];
}>;

function resultText({ known, checks }: Findings, provider: Provider, plan: Plan): string {
  const { values, platformUrl, hide } = known;
  const { saved, requests } = plan;
  const rows = plan.pasted.flatMap(([name = '', ...all]) =>
    all.map((value, at) => [at === 0 ? name : '', value]),
  );
  const note = saved && provider.note?.(known, saved.uid);
  const isPlanned = requests.length > 0 && !values.apply;
  const asked = checks.map((one) => [one.chat, one.agentId, `${one.outcome}: ${one.text}`]);
  const sections = [
    saved && `The agent ${doneTexts[saved.done]}: ${saved.uid}.\n${note ?? ''}`,
    !saved && (values.apply || isPlanned) && 'Nothing was sent.\n',
    isPlanned && '--apply sends what is needed of:\n',
    ...requests.map(([way, path, body]) => `${way} ${platformUrl}${path}\n${shownJson(body)}\n`),
    rows.length > 0 && `In the dashboard (AI Agents, Add Agent):\n${linesOf(rows)}`,
  ].flatMap((section) => (section ? hide(section) : []));
  const isHidden = (name: string) => !saved && sections.some((one) => one.includes(`<${name}>`));
  const names = ['KNOWLEDGE_API_KEY', 'PATH_PREFIX'].filter(isHidden).join(' and ');
  if (names) sections.push(`--show-secrets prints ${names}.\n`);
  if (asked.length > 0) sections.push(`Asked as this provider:\n${hide(linesOf(asked))}`);
  return sections.join('\n');
}

/** Runs the steps with `--apply`. @returns what was done, and else the requests */
async function runSteps(findings: Findings, { steps, dashboard }: Provider): Promise<Plan> {
  const { known } = findings;
  const { values, platformUrl } = known;
  const all = platformUrl || values.apply ? (steps?.(known) ?? []) : [];
  let saved: Saved | undefined;
  if (values.apply && !isBlocked(findings)) for (const step of all) saved = await save(known, step);
  if (saved) return { saved, requests: [], pasted: [] };
  const requests = all.flatMap(({ create, update }) => [create, ...(update ? [update({})] : [])]);
  return { saved, requests, pasted: dashboard?.(known) ?? [] };
}

async function register(registration: Registration, provider: Provider): Promise<number> {
  const missing = provider.missing?.(registration) ?? [];
  if (missing.length > 0) {
    warn('Append these lines to .env, restart the server, and run this command again.');
    print(`${missing.join('\n')}\n`);
    return exitCodes.done;
  }
  const findings = await askServer(registration, provider);
  const { known, problems, checks } = findings;
  const { values, hide } = known;
  const plan = await runSteps(findings, provider);
  const { requests, pasted, saved: { done, uid } = { done: 'nothing', uid: undefined } } = plan;
  const result = { done, uid, requests, problems, dashboard: Object.fromEntries(pasted), checks };
  if (!values.json) for (const problem of problems) warn(hide(problem));
  print(values.json ? hide(`${shownJson(result)}\n`) : resultText(findings, provider, plan));
  const isFailed = isBlocked(findings) || checks.some((check) => check.isFailed);
  return isFailed ? exitCodes.failed : exitCodes.done;
}

/** @throws UsageError if the options do not fit the provider */
function requireFitting({ direct, apply }: Values, provider: Provider, { directAgentId }: Config) {
  if (direct && !(provider.hasDirect && directAgentId))
    throw new UsageError('--direct needs --provider mastra, and DIRECT_AGENT_ID=knowledge-direct.');
  if (apply && !provider.steps)
    throw new UsageError('--apply needs --provider mastra or bot. Paste the printed values.');
}

/** @param providers by the value of `--provider` */
export function registerCommand(providers: Readonly<Record<string, Provider>>) {
  const form = { help, options, allowPositionals: false };
  return command.createCommand(form, async ({ values }, environment) => {
    const config = command.parseCommandConfig(environment);
    const isForPlatform = platformUrlOf(values) !== undefined || values.apply;
    const given = values.provider ?? (isForPlatform ? 'mastra' : undefined);
    const names = Object.keys(providers);
    const [name = ''] = command.chooseSome('provider', given ? [given] : [], names);
    const provider = providers[name];
    if (!provider) {
      print(choiceText(config));
      return exitCodes.done;
    }
    requireFitting(values, provider, config);
    return register(readRegistration(values, environment, config), provider);
  });
}
