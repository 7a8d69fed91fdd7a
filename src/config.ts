/** Parses the environment into the configuration of the process and reports all problems at once. Pure: callers pass the environment. */
import { join } from 'node:path';
import { baseUrlOfApp } from './calls/upstream.ts';
import { type ConfiguredLimits, limitsOf } from './config/limits.ts';
import {
  type Environment,
  findDeprecated,
  findMisspelt,
  isDeprecated,
  labelWithDeprecated,
  list,
  readWebhookSecret,
  replaceDeprecated,
} from './config/setting-types.ts';
import { environmentName, settingSchema, settings, type Values } from './config/settings.ts';
import { type Right, rights } from './rights.ts';

type ModelEndpoint = Readonly<{ apiKey: string | undefined; baseUrl: string; model: string }>;
type CallsUpstream = Readonly<{ baseUrl: string; apiKey: string | undefined; extraParameters: readonly string[] }>;
/** `key` of the signatures; undefined: not signed. */
type OutgoingWebhookSettings = Readonly<{ url: string; key: Buffer | undefined }>;

interface ChatWebhookSettings {
  /** Key of the signatures. */
  readonly secret: Buffer | undefined;
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  readonly agentUid: string;
  readonly namespace: string;
  readonly callback: { readonly url: string; readonly key: string | undefined };
}

export interface Config extends Readonly<Omit<Values, 'rateLimitPerMinute'>>, ConfiguredLimits {
  readonly stateDir: string;
  readonly indexDir: string;
  /** Without a trailing slash and without `PATH_PREFIX`. */
  readonly publicUrl: string | undefined;
  /** Undefined: the built-in extractive model answers. */
  readonly llm: ModelEndpoint | undefined;
  readonly llmFallback: ModelEndpoint | undefined;
  /** The same object as `llm` if that model judges. */
  readonly judge: ModelEndpoint | undefined;
  readonly embedding: ModelEndpoint | undefined;
  readonly modelTimeouts: { readonly firstTokenMs: number; readonly stallMs: number };
  /** No `upstream`: the embedded call log answers. */
  readonly calls: { readonly upstream: CallsUpstream | undefined; readonly file: string };
  /** Empty: call webhooks are refused. */
  readonly callsWebhook: { readonly user: string; readonly password: string };
  /** Undefined: chat webhooks are refused. */
  readonly chatWebhooks: ChatWebhookSettings | undefined;
  readonly tracing: { readonly endpoint: string } | undefined;
  readonly driftWebhook: OutgoingWebhookSettings | undefined;
  readonly handoffWebhook: OutgoingWebhookSettings | undefined;
  /** Names of valid settings that other settings make ineffective. */
  readonly ignoredSettings: readonly string[];
  readonly misspeltSettings: readonly string[];
  readonly weakSettings: readonly string[];
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Settings that passed their own check. A missing one is unset or invalid. */
type ValidValues = { readonly [Name in keyof Values]?: Values[Name] | undefined };
type AccessValues = Pick<ValidValues, 'apiKeys' | 'apiKeysFile' | 'jwtJwksUrl' | 'jwtSecret' | 'pathPrefix' | 'pathPrefixRights'>;

export const usesJwt = ({ jwtJwksUrl, jwtSecret }: AccessValues) => jwtJwksUrl !== undefined || jwtSecret !== undefined;
/** Whether the server accepts keys or tokens. */
export const isAuthenticated = (value: AccessValues) =>
  (value.apiKeys?.length ?? 0) > 0 || value.apiKeysFile !== undefined || usesJwt(value);

/** Rights of a caller without a key or token; undefined: refused. */
export function keylessRights(value: AccessValues): readonly Right[] | undefined {
  if (value.pathPrefixRights !== undefined) return value.pathPrefixRights;
  if (isAuthenticated(value)) return undefined;
  return value.pathPrefix === undefined ? rights : ['read'];
}
export const isOpenToAll = (config: Config): boolean => keylessRights(config) !== undefined;

const takesChatWebhooks = ({ chatWebhookSecret, chatWebhookUser }: ValidValues) =>
  chatWebhookSecret !== undefined || chatWebhookUser !== undefined;

/** Non-empty texts of the settings, by field. */
type Given = Readonly<Record<string, string>>;
const hasModel = (given: Given) => 'llmApiKey' in given || 'llmBaseUrl' in given;

const sameModel = 'same'; // value of JUDGE_MODEL for the answering model

/** Settings that have no effect without a model. */
const modelSettings = ['LLM_MAX_TOKENS', 'ANSWER_STYLE', 'LLM_FIRST_TOKEN_SECONDS', 'LLM_STALL_SECONDS', 'DEGRADED_ANSWERS'];

/** Checks a combination of settings. Returns a message or false. */
type Rule = (value: ValidValues, given: Given) => string | false;

const requireBoth =
  (one: keyof Values, other: keyof Values): Rule =>
  (value) =>
    Boolean(value[one]) !== Boolean(value[other]) &&
    `${environmentName(value[one] ? other : one)}: is missing; ${environmentName(one)} and ${environmentName(other)} must be set together`;

type OtherModel = 'llmFallback' | 'judge';

function modelRules(other: OtherModel): Rule[] {
  const name = environmentName(other);
  const isSet = (given: Given, what: string) => `${other}${what}` in given;
  return [
    (_, given) => isSet(given, 'Model') && !hasModel(given) && `${name}_MODEL: needs LLM_API_KEY or LLM_BASE_URL; set one of them`,
    (_, given) =>
      (isSet(given, 'BaseUrl') || isSet(given, 'ApiKey')) &&
      !isSet(given, 'Model') &&
      `${name}_MODEL: is missing; ${name}_BASE_URL and ${name}_API_KEY need it`,
  ];
}

const rules: readonly Rule[] = [
  ({ pathPrefixRights }, given) =>
    pathPrefixRights !== undefined &&
    !('pathPrefix' in given) &&
    'PATH_PREFIX_RIGHTS: needs PATH_PREFIX; set it, or remove PATH_PREFIX_RIGHTS',
  ({ searchEngine }, given) =>
    searchEngine === 'postgres' &&
    !('databaseUrl' in given) &&
    'SEARCH_ENGINE: postgres needs DATABASE_URL; set it, or set SEARCH_ENGINE=memory',
  ...modelRules('llmFallback'),
  ...modelRules('judge'),
  ({ judgeModel }, given) =>
    judgeModel === sameModel &&
    ('judgeBaseUrl' in given || 'judgeApiKey' in given) &&
    `JUDGE_MODEL: "${sameModel}" uses LLM_MODEL at LLM_BASE_URL; name a model, or remove JUDGE_BASE_URL and JUDGE_API_KEY`,
  ({ jwtJwksUrl, jwtSecret }) =>
    jwtJwksUrl !== undefined && jwtSecret !== undefined && 'JWT_SECRET: cannot be combined with JWT_JWKS_URL; remove one of them',
  (value) =>
    Boolean(value.jwtIssuer || value.jwtAudience) &&
    !usesJwt(value) &&
    `${value.jwtIssuer ? 'JWT_ISSUER' : 'JWT_AUDIENCE'}: needs JWT_JWKS_URL or JWT_SECRET; set one of them`,
  requireBoth('callsAppId', 'callsRegion'),
  requireBoth('callsWebhookUser', 'callsWebhookPassword'),
  requireBoth('chatWebhookUser', 'chatWebhookPassword'),
  (value, given) =>
    takesChatWebhooks(value) &&
    !('chatCallbackUrl' in given) &&
    'CHAT_CALLBACK_URL: is missing; chat webhooks need a URL that receives the answers',
  (value) =>
    takesChatWebhooks(value) &&
    value.allowedNamespaces?.includes(value.chatNamespace ?? '') === false &&
    `CHAT_NAMESPACE: ${value.chatNamespace} is not in ALLOWED_NAMESPACES; add it, or set another namespace`,
  (_, given) =>
    'driftWebhookSecret' in given &&
    !('driftWebhookUrl' in given) &&
    'DRIFT_WEBHOOK_SECRET: needs DRIFT_WEBHOOK_URL; set it, or remove DRIFT_WEBHOOK_SECRET',
  (_, given) =>
    'handoffWebhookSecret' in given &&
    !('handoffWebhookUrl' in given) &&
    'HANDOFF_WEBHOOK_SECRET: needs HANDOFF_WEBHOOK_URL; set it, or remove HANDOFF_WEBHOOK_SECRET',
  ({ callsBaseUrl, callsAppId }) =>
    Boolean(callsBaseUrl && callsAppId) && 'CALLS_BASE_URL: cannot be combined with CALLS_APP_ID and CALLS_REGION; remove it or them',
  ({ callsTrustedKeys = [], apiKeys: keys = [] }) =>
    callsTrustedKeys.some((trusted) => !keys.some(({ key }) => key === trusted)) &&
    'CALLS_TRUSTED_KEYS: each key must be in API_KEYS; write it without its limit',
  (value) =>
    value.host !== undefined &&
    !isLoopback(value.host) &&
    !isAuthenticated(value) &&
    !value.allowAnonymous &&
    `HOST: ${value.host} is reachable from outside; set API_KEYS, API_KEYS_FILE, JWT_JWKS_URL or JWT_SECRET, or ALLOW_ANONYMOUS=true to serve everyone`,
];

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Names of settings whose values may be secrets or URLs with credentials: messages never repeat them. */
const secretName = /(?:KEYS?|SECRET|PASSWORD|USER|URL|ENDPOINT|PATH_PREFIX)$/;
const maxShownChars = 60;

type Issue = Readonly<{ path: readonly PropertyKey[]; message: string }>;

/** Names the wrong entry of a list, or the whole value. */
function problemOf({ path: [field, index], message }: Issue, given: Given, labelOf: (name: string) => string): string {
  const name = environmentName(String(field));
  const text = given[String(field)] ?? '';
  const value = typeof index === 'number' ? (list.parse(text)[index] ?? text) : text;
  const shown = value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value;
  return `${labelOf(name)}: ${message}${secretName.test(name) ? '' : `; got ${JSON.stringify(shown)}`}`;
}

const readGiven = (environment: Environment): Given =>
  Object.fromEntries(
    Object.keys(settingSchema.shape).flatMap((field) => {
      const value = environment[environmentName(field)]?.trim();
      return value ? [[field, value]] : [];
    }),
  );

/** @throws ConfigError with every problem, including invalid combinations of valid settings */
function parseValues(given: Given, unprotected: readonly string[], labelOf: (name: string) => string): Values {
  const parsed = settingSchema.safeParse(given);
  const issues = parsed.success ? [] : parsed.error.issues;
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const valid = settingSchema.partial().parse(Object.fromEntries(Object.entries(given).filter(([field]) => !wrong.has(field))));
  const problems = [
    ...issues.map((issue) => problemOf(issue, given, labelOf)),
    ...rules.flatMap((rule) => rule(valid, given) || []),
    ...unprotected,
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return parsed.data;
}

/** If only `INDEX_DIR` is set, it also holds the state, as in earlier releases. */
function foldersOf({ stateDir: given, indexDir }: Values) {
  const stateDir = given ?? indexDir ?? './.data';
  return { stateDir, indexDir: indexDir ?? join(stateDir, 'index') };
}

const modelOf = ({ llmApiKey, llmBaseUrl }: Values, name: string | undefined): ModelEndpoint | undefined =>
  name === undefined ? undefined : { apiKey: llmApiKey, baseUrl: llmBaseUrl, model: name };

/** Sends `LLM_API_KEY` only to `LLM_BASE_URL`. */
function otherModelOf(value: Values, other: OtherModel): ModelEndpoint | undefined {
  const model = value[`${other}Model` as const];
  if (model === undefined) return undefined;
  const baseUrl = value[`${other}BaseUrl` as const] ?? value.llmBaseUrl;
  const sharedKey = baseUrl === value.llmBaseUrl ? value.llmApiKey : undefined;
  return { apiKey: value[`${other}ApiKey` as const] ?? sharedKey, baseUrl, model };
}

function callsUpstreamOf({ callsBaseUrl, callsAppId, callsRegion, callsApiKey, callsExtraParameters }: Values): CallsUpstream | undefined {
  const baseUrl = callsAppId && callsRegion ? baseUrlOfApp({ appId: callsAppId, region: callsRegion }) : callsBaseUrl;
  return baseUrl === undefined ? undefined : { baseUrl, apiKey: callsApiKey, extraParameters: callsExtraParameters };
}

function chatWebhooksOf(value: Values): ChatWebhookSettings | undefined {
  const { chatWebhookSecret, chatWebhookUser: user, chatWebhookPassword: password, chatCallbackUrl } = value;
  if (!takesChatWebhooks(value) || chatCallbackUrl === undefined) return undefined;
  return {
    secret: chatWebhookSecret === undefined ? undefined : readWebhookSecret(chatWebhookSecret),
    basic: user === undefined || password === undefined ? undefined : { user, password },
    agentUid: value.chatAgentUid,
    namespace: value.chatNamespace,
    callback: { url: chatCallbackUrl, key: value.chatCallbackKey },
  };
}

function outgoingWebhookOf(url: string | undefined, secret: string | undefined): OutgoingWebhookSettings | undefined {
  return url === undefined ? undefined : { url, key: secret === undefined ? undefined : readWebhookSecret(secret) };
}

/** Settings of commands, which may be in the same `.env`. */
const commandKeys = ['KNOWLEDGE_API_KEY', 'CHAT_API_KEY'];

/** `PUBLIC_URL` without a trailing slash and without `PATH_PREFIX`. */
function publicUrlOf({ publicUrl, pathPrefix: prefix = '' }: Values): string | undefined {
  const url = publicUrl?.replace(/\/+$/, '');
  return url?.endsWith(prefix) ? url.slice(0, url.length - prefix.length) : url;
}

const minPrefixChars = 20;
const minKeyChars = 16;

/** Warnings about short secrets, without the secrets, and about a model name without a model. */
function findWeakSettings({ pathPrefix: prefix, apiKeys: keys }: Values, given: Given): string[] {
  const short = keys.filter(({ key }) => key.length < minKeyChars).length;
  return [
    ...(prefix !== undefined && prefix.length < minPrefixChars
      ? [`PATH_PREFIX: shorter than ${minPrefixChars} characters and easy to guess; \`openssl rand -hex 16\` prints a safe one`]
      : []),
    ...(short > 0
      ? [
          `API_KEYS: ${short} of ${keys.length} keys ${short === 1 ? 'is' : 'are'} shorter than ${minKeyChars} characters and easy to guess; \`openssl rand -hex 16\` prints a safe one`,
        ]
      : []),
    ...('llmModel' in given && !hasModel(given)
      ? ['LLM_MODEL: has no effect without LLM_API_KEY or LLM_BASE_URL; answers only quote the documents']
      : []),
  ];
}

/** @throws ConfigError with every problem, never with the value of a secret */
export function parseConfig(environment: Environment): Config {
  const given = readGiven(replaceDeprecated(environment));
  const names = Object.keys(environment).filter((name) => !commandKeys.includes(name) && !isDeprecated(name) && environment[name]?.trim());
  const misspelt = findMisspelt(names, Object.keys(settings));
  const unprotected = misspelt.filter(({ isProtective }) => isProtective);
  const value = parseValues(
    given,
    unprotected.map(({ problem }) => `${problem} The server does not start without it, because it may restrict access`),
    (name) => labelWithDeprecated(name, environment),
  );
  const llm = modelOf(value, hasModel(given) ? value.llmModel : undefined);
  const upstream = callsUpstreamOf(value);
  const limits = limitsOf(value);
  const chatWebhooks = chatWebhooksOf(value);
  const driftWebhook = limits.keepAnswers === 0 ? undefined : outgoingWebhookOf(value.driftWebhookUrl, value.driftWebhookSecret);
  const withoutEffect = [
    ...(upstream ? ['CALLS_FILE'] : ['CALLS_API_KEY', 'CALLS_EXTRA_PARAMETERS']),
    ...(keylessRights(value) ? [] : ['ALLOWED_HOSTS']),
    ...(hasModel(given) ? ['WORKERS'] : modelSettings),
    ...(value.databaseUrl === undefined ? ['MAX_MIRROR_AGE'] : []),
    ...(chatWebhooks ? [] : ['CHAT_CALLBACK_URL', 'CHAT_CALLBACK_KEY']),
    ...(driftWebhook ? [] : ['DRIFT_WEBHOOK_URL', 'DRIFT_WEBHOOK_SECRET']),
  ];
  return {
    ...value,
    ...foldersOf(value),
    ...limits,
    publicUrl: publicUrlOf(value),
    llm,
    llmFallback: otherModelOf(value, 'llmFallback'),
    judge: value.judgeModel === sameModel ? llm : otherModelOf(value, 'judge'),
    embedding: modelOf(value, value.embeddingModel),
    modelTimeouts: { firstTokenMs: value.llmFirstTokenSeconds * 1_000, stallMs: value.llmStallSeconds * 1_000 },
    calls: { upstream, file: value.callsFile },
    callsWebhook: { user: value.callsWebhookUser ?? '', password: value.callsWebhookPassword ?? '' },
    chatWebhooks,
    tracing: value.otelExporterOtlpEndpoint === undefined ? undefined : { endpoint: value.otelExporterOtlpEndpoint },
    driftWebhook,
    handoffWebhook: outgoingWebhookOf(value.handoffWebhookUrl, value.handoffWebhookSecret),
    ignoredSettings: withoutEffect.filter((name) => environment[name]?.trim()),
    misspeltSettings: [...findDeprecated(environment), ...misspelt.map(({ problem }) => problem)],
    weakSettings: findWeakSettings(value, given),
  };
}
