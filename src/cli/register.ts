/**
 * `npm run register`: explains the providers of the chat platform, asks the public address as one
 * of them would, and with `--apply` creates or updates the agent or bot there.
 */
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { plainLine, shownJson } from '../../packages/shared/src/language/invisible.ts';
import { type Config, isLoopback, keylessAccess } from '../config.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import * as command from './command.ts';
import { type JsonAnswer, requestJson } from './json-request.ts';
import { agUi } from './register-ag-ui.ts';
import { bot } from './register-bot.ts';
import { mastraProvider } from './register-mastra.ts';
import {
  doneTexts,
  fieldsOf,
  groupAgent,
  options,
  type PlatformFields,
  type Prompted,
  type Provider,
  platformOf,
  type RegisterValues,
  type Registration,
  type Request,
  type Saved,
} from './register-parts.ts';
import { print, warn } from './terminal.ts';

const { exitCodes, shellCommand, UsageError } = command;
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

const providers = { 'ag-ui': agUi, mastra: mastraProvider, bot };
const names = ['ag-ui', 'mastra', 'bot'] as const;

const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
const isPlain = (url: string) => new URL(url).protocol === 'http:';
const insecure = (url: string) => `${url} is not https, which the platform requires.`;

function addressOf(option: string, given: string): string {
  const url = given.trim();
  if (/\s/.test(url) || !isBaseUrl(url))
    throw new UsageError(`${option} must be an https:// URL without user, query or fragment.`);
  return url.replace(/\/{1,9}$/, '').replace(/\/(?:v3|api\/agents\/[^/]{1,100}\/[\w-]{1,20})$/, '');
}

function platformUrlOf({
  'app-id': app,
  region,
  'api-base': base,
}: RegisterValues): string | undefined {
  if (base === undefined && app === undefined && region === undefined) return undefined;
  const isApp = isAppId(app ?? '') && isRegion(region ?? '');
  if (base === undefined ? !isApp : app !== undefined || region !== undefined)
    throw new UsageError('Give --app-id and --region (us, eu or in), or only --api-base.');
  const host = `https://${app}.api-${region}.cometchat.io`.toLowerCase();
  const url = addressOf('--api-base', base ?? host);
  if (isPlain(url) && !isLocal(url)) throw new UsageError(`--api-base: ${insecure(url)}`);
  return `${url}/v3`;
}

function keyIn(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = environment[name]?.trim() || undefined;
  if (key === undefined || isApiKey(key)) return key;
  throw new UsageError(`${name} must be visible ASCII characters without white space.`);
}

/** Text of an answer as JSON or as events; undefined: another program answers. */
function heardIn({ status: code, body, text: raw }: JsonAnswer): PlatformFields | undefined {
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

type Finding = readonly [outcome: 'answered' | 'not known' | 'silent' | 'refused', text: string];

async function ask(url: string, advice: string, question: Prompted): Promise<Finding> {
  const { path, headers, body, silence = 'as it should be' } = question;
  const request = { method: 'POST', headers, body, timeoutMs: 60_000 };
  const answer = await requestJson(url + path, request);
  const heard = heardIn(answer) ?? { failure: refusalOf(answer, url, advice) };
  const { text: said = '', reason, failure } = heard;
  if (failure !== undefined) return ['refused', plainLine(String(failure), 500)];
  if (reason === 'accepted') return ['answered', 'by a message of the bot'];
  if (reason === 'no_context')
    return ['not known', `the documents do not answer it: ${shellCommand('ingest')} FILE`];
  // Without a model, the heading path of a section comes first.
  const answered = String(said).replace(/^(?:.+:\n\n)?\*\*.+\*\*\n\n/, '');
  const line = answered.trim().split('\n')[0] ?? '';
  if (line === '') return ['silent', silence];
  return ['answered', plainLine(line, 100) + (line.length > 100 ? '…' : '')];
}

async function checkChats(registration: Registration, { questions, advice }: Provider) {
  const failed = (error: unknown): Finding => ['refused', `${(error as Error).message}.`];
  const checks = [];
  for (const question of questions(registration)) {
    const [outcome, said] = await ask(registration.url, advice, question).catch(failed);
    const isWrong = question.silence === undefined ? outcome !== 'silent' : outcome === 'silent';
    const { chat, agentId } = question;
    const isFailed = isWrong || outcome === 'refused';
    checks.push({ chat, agentId, outcome, text: said, isFailed });
  }
  return checks;
}

/** @returns the agents and questions of the server, or the problem that prevents it */
async function readServer(registration: Registration, { listPath, advice, sendsKey }: Provider) {
  const { url, key, values, suggestions } = registration;
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  try {
    const sent = sendsKey ? { headers } : {};
    const [ready, listed] = [
      await requestJson(`${url}/ready`),
      await requestJson(url + listPath, sent),
    ];
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

function choiceText(config: Config): string {
  const { apiKeys, apiKeysFile, pathPrefix, allowAnonymous, chatWebhooks } = config;
  const mayAsk = keylessAccess(config)?.rights.some((right) => right === 'ask' || right === 'read');
  const mark = (fits: unknown) => (fits ? 'yes' : 'no ');
  const isOpen = allowAnonymous !== 'read' && keylessAccess(config)?.rights.includes('write');
  return `"yes": the settings fit.

  ${mark(apiKeys.length > 0 || apiKeysFile)}  --provider ag-ui   One-to-one chats. The platform sends a key: API_KEYS_FILE=./keys.jsonl
  ${mark(chatWebhooks?.basic)}  --provider bot     Groups. The platform calls a webhook: CHAT_WEBHOOK_USER, CHAT_CALLBACK_URL
  ${mark(pathPrefix && mayAsk)}  --provider mastra  The platform sends no key: PATH_PREFIX=/k/<random>, PATH_PREFIX_RIGHTS=ask
  ${mark(allowAnonymous === 'read')}  --provider mastra  Everyone may ask: ALLOW_ANONYMOUS=read, ANONYMOUS_NAMESPACES=default
${isOpen ? '\nThe settings protect nothing. Choose one before you make this server public.\n' : ''}`;
}

type Check = Awaited<ReturnType<typeof checkChats>>[number];
type Result = Readonly<{ saved?: Saved | undefined; requests: Request[]; checks: Check[] }>;

function hiddenNames({ config, key }: Registration, rows: readonly [string, string][]): string {
  const isNamed = key !== undefined && rows.some(([name]) => name === 'Headers');
  return [isNamed && 'KNOWLEDGE_API_KEY', config.pathPrefix && 'PATH_PREFIX']
    .filter(Boolean)
    .join(' and ');
}

function resultText(registration: Registration, provider: Provider, result: Result): string {
  const { values, platformUrl } = registration;
  const { saved, requests, checks } = result;
  const rows = saved ? [] : (provider.dashboard?.(registration) ?? []);
  const names = values['show-secrets'] ? '' : hiddenNames(registration, rows);
  const idWidth = Math.max(...checks.map(({ agentId }) => agentId.length));
  const wayWidth = Math.max(10, ...checks.map(({ chat }) => chat.length)) + 2;
  return [
    saved && `The agent ${doneTexts[saved.done]}: ${saved.uid}.\n${saved.note ?? ''}`,
    !saved && (values.apply || requests.length > 0) && 'Nothing was sent.\n\n',
    requests.length > 0 && !values.apply && '--apply sends what is needed of:\n\n',
    ...requests.map(([way, path, body]) => `${way} ${platformUrl}${path}\n${shownJson(body)}\n\n`),
    rows.length > 0 && 'In the dashboard (AI Agents, Add Agent):\n',
    ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}\n`),
    !saved && names !== '' && `\n--show-secrets prints ${names}.\n`,
    checks.length > 0 && `${rows.length > 0 || saved ? '\n' : ''}Asked as this provider:\n`,
    ...checks.map(
      ({ chat, agentId, outcome, text: said }) =>
        `  ${chat.padEnd(wayWidth)}${agentId.padEnd(idWidth)}  ${outcome}: ${said}\n`,
    ),
  ]
    .filter(Boolean)
    .join('');
}

interface Findings {
  /** With the agents and questions of the server. */
  readonly known: Registration;
  readonly problems: readonly string[];
  readonly checks: Check[];
}

async function askServer(registration: Registration, provider: Provider): Promise<Findings> {
  const { url, values } = registration;
  const problems = isPlain(url) ? [insecure(url)] : [];
  const nothing = { known: registration, problems, checks: [] };
  // A key or password must not be sent in plain text over a network.
  if (values.unchecked || (isPlain(url) && !isLocal(url))) return nothing;
  const known = await readServer(registration, provider);
  if (typeof known === 'string') return { ...nothing, problems: [...problems, known] };
  return { known, problems, checks: await checkChats(known, provider) };
}

function isBlocked({ known: { values, url, agentId, platformUrl = '' }, checks }: Findings) {
  // A rehearsal with a platform on this machine needs no TLS.
  const isRehearsal = isLocal(url) && isBaseUrl(platformUrl) && isLocal(platformUrl);
  const isInsecure = values.apply && isPlain(url) && !isRehearsal;
  const own = checks.filter((check) => check.agentId === agentId);
  return !values.unchecked && (isInsecure || own.every(({ isFailed }) => isFailed));
}

async function register(registration: Registration, provider: Provider): Promise<number> {
  const missing = provider.settings?.(registration) ?? [];
  if (missing.length > 0) {
    warn('Append these lines to .env, restart the server, and run this command again.');
    print(`${missing.join('\n')}\n`);
    return exitCodes.done;
  }
  const findings = await askServer(registration, provider);
  const { known, problems, checks } = findings;
  const { values, platformUrl, hide } = known;
  const blocked = isBlocked(findings);
  const saved = values.apply && !blocked ? await provider.save?.(known) : undefined;
  const requests = saved || !platformUrl ? [] : (provider.plan?.(known) ?? []);
  if (values.json) {
    const dashboard = Object.fromEntries(provider.dashboard?.(known) ?? []);
    const { done = 'nothing', uid } = saved ?? {};
    print(hide(`${shownJson({ done, uid, requests, problems, dashboard, checks })}\n`));
  } else {
    for (const problem of problems) warn(hide(problem));
    print(hide(resultText(known, provider, { saved, requests, checks })));
  }
  return blocked || checks.some(({ isFailed }) => isFailed) ? exitCodes.failed : exitCodes.done;
}

async function readRegistration(
  values: RegisterValues,
  environment: NodeJS.ProcessEnv,
  config: Config,
) {
  const { publicUrl, pathPrefix = '', directAgentId } = config;
  const own = values.url ?? (publicUrl === undefined ? undefined : publicUrl + pathPrefix);
  if (own === undefined)
    throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  const url = addressOf('--url', own);
  if (values.apply && isPlain(url) && !isLocal(url)) throw new UsageError(insecure(url));
  if (toNamespaceName(values.namespace ?? 'default') === undefined)
    throw new UsageError('--namespace is not a namespace name. Use letters, digits, . - and _.');
  const platformUrl = platformUrlOf(values);
  const secrets: [string | undefined, string][] = [
    [values['show-secrets'] ? undefined : config.pathPrefix, '<PATH_PREFIX>'],
    [config.chatWebhooks?.basic?.password, '<CHAT_WEBHOOK_PASSWORD>'],
  ];
  const hide = (said: string) =>
    secrets.reduce((all, [secret, name]) => (secret ? all.replaceAll(secret, name) : all), said);
  const platform = platformOf(platformUrl, keyIn(environment, 'CHAT_API_KEY'), hide);
  const agentId = (values.direct && directAgentId) || groupAgent;
  const key = keyIn(environment, 'KNOWLEDGE_API_KEY');
  const suggestions = values.suggest ?? ['What can you do?'];
  const given = { values, config, url, agentId, key, platformUrl, platform, suggestions, hide };
  return { ...given, agents: {} };
}

export const registerCommand = command.createCommand(
  { help, options, allowPositionals: false },
  async ({ values }, environment) => {
    const config = command.parseCommandConfig(environment);
    const isForPlatform = platformUrlOf(values) !== undefined || values.apply;
    const given = values.provider ?? (isForPlatform ? 'mastra' : undefined);
    const [name] = command.chooseSome('provider', given ? [given] : [], names);
    if (name === undefined) {
      print(choiceText(config));
      return exitCodes.done;
    }
    if (values.direct && (name !== 'mastra' || config.directAgentId === undefined))
      throw new UsageError(
        '--direct needs --provider mastra, and DIRECT_AGENT_ID=knowledge-direct.',
      );
    const provider: Provider = providers[name];
    if (values.apply && !provider.save)
      throw new UsageError('--apply needs --provider mastra or bot. Paste the printed values.');
    return register(await readRegistration(values, environment, config), provider);
  },
);
