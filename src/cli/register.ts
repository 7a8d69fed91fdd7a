/** `npm run register`: creates or updates the agent on the chat platform with `--apply`, checks the public URL, prints dashboard values. */
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../calls/upstream.ts';
import type { Config } from '../config.ts';
import { isLoopback } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import { shownJson, shownLine } from '../language/invisible.ts';
import { createCommand, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import { requestJson } from './json-request.ts';
import { createPlatformAgents, type PlatformAgent } from './platform-agents.ts';
import { print, printJson, warn } from './terminal.ts';

const help = `Create the agent on the chat platform, or update it.

  npm run register -- --app-id ID --region us [options]

      --url URL             public URL of this server (default: PUBLIC_URL)
      --app-id ID           id of the platform's app
      --region REGION       region of the app: us, eu, in
      --api-base URL        URL of the platform's REST API instead of both; may end in /v3
      --name NAME           name of the agent (default: Knowledge)
      --icon URL            picture of the agent
      --greeting TEXT       metaData.greetingMessage
      --intro TEXT          metaData.introductoryMessage
      --suggest TEXT        suggested question; may be repeated
      --endpoint            send the URL of the generate endpoint instead of the server's
      --apply               send the requests; without it, only show them
      --unchecked           skip the check of the public URL, if only the platform can reach it; with
                            --apply, also accept a local URL without https
      --json                print the result or the planned requests as JSON
  -h, --help

Uses the platform's REST key in CHAT_API_KEY (environment or .env).
Exit code: 0 done, 1 the public URL or the platform failed, 2 wrong arguments.
`;

const options = {
  url: { type: 'string' },
  'app-id': { type: 'string' },
  region: { type: 'string' },
  'api-base': { type: 'string' },
  name: { type: 'string' },
  icon: { type: 'string' },
  greeting: { type: 'string' },
  intro: { type: 'string' },
  suggest: { type: 'string', multiple: true },
  endpoint: { type: 'boolean', default: false },
  apply: { type: 'boolean', default: false },
  unchecked: { type: 'boolean', default: false },
} as const;

interface RegisterValues {
  readonly url?: string | undefined;
  readonly 'app-id'?: string | undefined;
  readonly region?: string | undefined;
  readonly 'api-base'?: string | undefined;
  readonly name?: string | undefined;
  readonly icon?: string | undefined;
  readonly greeting?: string | undefined;
  readonly intro?: string | undefined;
  readonly suggest?: readonly string[] | undefined;
  readonly endpoint: boolean;
}

const agentId = 'knowledge';
const defaultName = 'Knowledge';
const defaultMessages = {
  greetingMessage: 'Hello! Ask me about our documents.',
  introductoryMessage: 'I answer from the documents and link to the source.',
  suggestedMessages: ['What can you do?'],
};

const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
const isPlainHttp = (url: string) => new URL(url).protocol === 'http:';
const withoutSlash = (url: string) => url.replace(/\/+$/, '');

const endpointPath = `/api/agents/${agentId}/generate`;
/** Pasted text may contain white space, which the URL parser ignores but a request would send. */
const isAddress = (text: string) => !/\s/.test(text) && isBaseUrl(text);
const isPicture = (text: string) => !/\s/.test(text) && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function publicUrlOf({ url = '' }: RegisterValues, { publicUrl, pathPrefix = '' }: Config): string {
  const given = url.trim() || (publicUrl === undefined ? '' : publicUrl + pathPrefix);
  if (given === '') throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  if (!isAddress(given)) throw new UsageError('--url must be an http:// or https:// URL without user, query or fragment.');
  const address = withoutSlash(given);
  return address.endsWith(endpointPath) ? withoutSlash(address.slice(0, -endpointPath.length)) : address;
}

function readAppearance<T extends RegisterValues>(values: T): T {
  const name = values.name?.trim();
  const icon = values.icon?.trim();
  if (name === '') throw new UsageError('--name is empty. Give a name or leave it out.');
  if (icon !== undefined && !isPicture(icon)) throw new UsageError('--icon must be an http:// or https:// URL.');
  return { ...values, name, icon };
}

function agentsAddressOf(values: RegisterValues): string | undefined {
  const { 'app-id': appId, region } = values;
  const base = values['api-base']?.trim();
  if (base !== undefined) {
    if (appId !== undefined || region !== undefined)
      throw new UsageError('--api-base cannot be combined with --app-id and --region. Remove it or them.');
    if (!isAddress(base) || (isPlainHttp(base) && !isLocal(base)))
      throw new UsageError('--api-base must be an https:// URL without user, query or fragment, because the key is sent there.');
    return `${withoutSlash(withoutSlash(base).replace(/\/v3$/, ''))}/v3/ai-agents/agents`;
  }
  if (appId === undefined && region === undefined) return undefined;
  if (!isAppId(appId ?? '') || !isRegion(region ?? ''))
    throw new UsageError('Give both --app-id (letters and digits) and --region (such as us, eu or in).');
  return `https://${appId?.toLowerCase()}.api-${region?.toLowerCase()}.cometchat.io/v3/ai-agents/agents`;
}

/** Returns an error message, or undefined if this server answers at the URL. */
async function checkPublicUrl(url: string): Promise<string | undefined> {
  try {
    const ready = await requestJson(`${url}/ready`);
    if (ready.status === 503) return `${url} is not ready yet. Wait until the server has loaded its documents.`;
    const { status, body } = await requestJson(`${url}/api/agents`);
    if (status === 401 || status === 403)
      return `${url} requires a key (status ${status}), but the platform sends none to a Mastra agent. Use PATH_PREFIX, or a gateway that adds the key.`;
    const isOurs = ready.status === 200 && status === 200 && typeof body === 'object' && body !== null && agentId in body;
    return isOurs
      ? undefined
      : `${url} is not this server: GET /ready returned ${ready.status}, GET /api/agents returned ${status}. Check --url.`;
  } catch (error) {
    return `${url} is unreachable: ${error instanceof KnowledgeError ? error.message : 'the request failed'}.`;
  }
}

const givenMessages = ({ greeting, intro, suggest }: RegisterValues) => ({
  ...(greeting === undefined ? {} : { greetingMessage: greeting }),
  ...(intro === undefined ? {} : { introductoryMessage: intro }),
  ...(suggest === undefined ? {} : { suggestedMessages: suggest }),
});

const common = (values: RegisterValues, baseUrl: string) => ({
  ...(values.icon === undefined ? {} : { icon: values.icon }),
  integrateWith: 'mastra',
  integrationType: 'agent',
  integrationMeta: { baseUrl, agentId },
  isActive: true,
});

const toCreate = (values: RegisterValues, baseUrl: string) => ({
  name: values.name ?? defaultName,
  ...common(values, baseUrl),
  metaData: { ...defaultMessages, ...givenMessages(values) },
});

function toUpdate(values: RegisterValues, baseUrl: string, known: PlatformAgent['metaData'] = {}) {
  const messages = givenMessages(values);
  return {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...common(values, baseUrl),
    ...(Object.keys(messages).length > 0 ? { metaData: { ...known, ...messages } } : {}),
  };
}

/** Finds this server's agent by URL, else by agent id. @throws KnowledgeError if several match */
function findOwn(agents: readonly PlatformAgent[], urls: readonly string[]): PlatformAgent | undefined {
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

interface Plan {
  readonly address: string | undefined;
  readonly baseUrl: string;
  readonly dashboard: { readonly provider: string; readonly agentId: string; readonly deploymentUrl: string; readonly endpoint: string };
  readonly problems: readonly string[];
}

type Outcome = Readonly<{ done: 'created' | 'updated'; uid: string | undefined }>;

async function apply(values: RegisterValues, { address, baseUrl, dashboard }: Plan, key: string | undefined): Promise<Outcome> {
  if (address === undefined) throw new UsageError('--apply needs --app-id and --region, or --api-base.');
  if (key === undefined || !isApiKey(key))
    throw new UsageError('--apply needs the REST key of the platform. Set CHAT_API_KEY to visible ASCII characters.');
  const agents = createPlatformAgents(address, key);
  const own = findOwn(await agents.list(), [dashboard.deploymentUrl, dashboard.endpoint]);
  if (!own) return { done: 'created', uid: await agents.create(toCreate(values, baseUrl)) };
  await agents.update(own.uid, toUpdate(values, baseUrl, own.metaData));
  return { done: 'updated', uid: own.uid };
}

type PlannedRequest = Readonly<{ method: string; url: string; body: object }>;

const planRequests = (values: RegisterValues, { address, baseUrl }: Plan): PlannedRequest[] =>
  address === undefined
    ? []
    : [
        { method: 'POST', url: address, body: toCreate(values, baseUrl) },
        { method: 'PATCH', url: `${address}/{uid}`, body: toUpdate(values, baseUrl) },
      ];

function plannedText(requests: readonly PlannedRequest[]): string {
  const [create, update] = requests;
  if (!create || !update) return 'Give --app-id and --region to see the planned requests.\n\n';
  const shown = ({ method, url, body }: PlannedRequest) => `${method} ${url}\n${shownJson(body)}\n`;
  return `Nothing was sent. --apply would send:\n\n${shown(create)}\nor, if the app already has an agent with the id ${agentId}:\n\n${shown(update)}\n`;
}

const dashboardText = ({ dashboard: { provider, agentId, deploymentUrl, endpoint } }: Plan) => `In the dashboard:
  Provider        ${provider}
  Agent ID        ${agentId}
  Deployment URL  ${deploymentUrl}
                  or, if the platform requires the full endpoint, ${endpoint}
`;

function report(values: RegisterValues & { readonly json: boolean; readonly apply: boolean }, plan: Plan, outcome: Outcome | undefined) {
  const requests = outcome ? [] : planRequests(values, plan);
  const { problems, dashboard } = plan;
  if (values.json) return printJson({ done: outcome?.done ?? 'nothing', uid: outcome?.uid, requests, problems, dashboard });
  problems.forEach(warn);
  const done = outcome && `The agent was ${outcome.done}${outcome.uid === undefined ? '' : `: ${shownLine(outcome.uid)}`}.\n\n`;
  print(`${done ?? (values.apply ? 'Nothing was sent.\n\n' : plannedText(requests))}${dashboardText(plan)}`);
}

async function applyAndReport(values: RegisterValues & { readonly json: boolean }, plan: Plan, key: string | undefined): Promise<Outcome> {
  try {
    return await apply(values, plan, key);
  } catch (error) {
    if (values.json && error instanceof KnowledgeError)
      printJson({ error: error.message, problems: plan.problems, dashboard: plan.dashboard });
    throw error;
  }
}

export const registerCommand = createCommand({ help, options, allowPositionals: false }, async ({ values: given }, environment) => {
  const config = parseCommandConfig(environment);
  const values = readAppearance(given);
  const url = publicUrlOf(values, config);
  const address = agentsAddressOf(values);
  const endpoint = `${url}${endpointPath}`;
  const insecure = isPlainHttp(url) ? `${url} is not https, which the platform requires.` : undefined;
  if (insecure && values.apply && !isLocal(url)) throw new UsageError(insecure);
  const problem = values.unchecked ? undefined : await checkPublicUrl(url);
  const isBlocked = problem !== undefined || (insecure !== undefined && values.apply && !values.unchecked);
  const plan: Plan = {
    address,
    baseUrl: values.endpoint ? endpoint : url,
    dashboard: { provider: 'Mastra', agentId, deploymentUrl: url, endpoint },
    problems: [insecure, problem].filter((one) => one !== undefined),
  };
  const outcome =
    values.apply && !isBlocked ? await applyAndReport(values, plan, environment['CHAT_API_KEY']?.trim() || undefined) : undefined;
  report(values, plan, outcome);
  return isBlocked ? exitCodes.failed : exitCodes.done;
});
