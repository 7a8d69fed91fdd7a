/**
 * The environment → the configuration of the process. Read once, all problems reported at once. Pure: `main.ts` and `mastra/index.ts` hand
 * the environment in.
 */
import { join } from 'node:path';
import { baseUrlOfApp } from './calls/upstream.ts';
import { readLimits, readRates } from './config/limits.ts';
import { type Environment, findEarlier, findMisspelt, isEarlier, readWebhookSecret, withEarlierBounds } from './config/setting-types.ts';
import { environmentName, settingSchema, settings, type Values } from './config/settings.ts';
import { type Right, rights } from './rights.ts';

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Settings that are right by themselves; one that is missing may be wrong. */
type RightValues = { readonly [Name in keyof Values]?: Values[Name] | undefined };
/** Of them, what says who may call. */
type AccessValues = Pick<RightValues, 'apiKeys' | 'apiKeysFile' | 'jwtJwksUrl' | 'jwtSecret' | 'pathPrefix' | 'pathPrefixRights'>;

export const usesJwt = ({ jwtJwksUrl, jwtSecret }: AccessValues) => jwtJwksUrl !== undefined || jwtSecret !== undefined;
/** Whether the server knows keys or tokens. */
export const isAuthenticated = (value: AccessValues) =>
  (value.apiKeys?.length ?? 0) > 0 || value.apiKeysFile !== undefined || usesJwt(value);

/** Rights of a caller without a key or token. Undefined: such a caller is refused. */
export function keylessRights(value: AccessValues): readonly Right[] | undefined {
  if (value.pathPrefixRights !== undefined) return value.pathPrefixRights;
  if (isAuthenticated(value)) return undefined;
  return value.pathPrefix === undefined ? rights : ['read'];
}
/** Whether callers without a key or token have rights. */
export const isOpenToAll = (config: Config): boolean => keylessRights(config) !== undefined;

const takesChatWebhooks = ({ chatWebhookSecret, chatWebhookUser }: RightValues) =>
  chatWebhookSecret !== undefined || chatWebhookUser !== undefined;

/** What is set, by field; an empty value counts as unset. */
type Given = Readonly<Record<string, string>>;
/** Whether a model answers. */
const hasModel = (given: Given) => 'llmApiKey' in given || 'llmBaseUrl' in given;

/** In `JUDGE_MODEL`. */
const answeringModel = 'same';

/** Settings that have no effect without a model. */
const modelSettings = ['LLM_MAX_TOKENS', 'ANSWER_STYLE', 'LLM_FIRST_TOKEN_SECONDS', 'LLM_STALL_SECONDS', 'DEGRADED_ANSWERS'];

/** The message if what is wrong between settings is wrong here. */
type Rule = (value: RightValues, given: Given) => string | false;

const goTogether =
  (one: keyof Values, other: keyof Values): Rule =>
  (value) =>
    Boolean(value[one]) !== Boolean(value[other]) &&
    `${environmentName(other)}: ${environmentName(one)} and ${environmentName(other)} go together`;

/** A model beside `LLM_MODEL`. */
type OtherModel = 'llmFallback' | 'judge';

function rulesOf(other: OtherModel): Rule[] {
  const name = environmentName(other);
  const isSet = (given: Given, what: string) => `${other}${what}` in given;
  return [
    (_, given) => isSet(given, 'Model') && !hasModel(given) && `${name}_MODEL: needs LLM_API_KEY or LLM_BASE_URL`,
    (_, given) =>
      (isSet(given, 'BaseUrl') || isSet(given, 'ApiKey')) &&
      !isSet(given, 'Model') &&
      `${name}_MODEL: ${name}_BASE_URL and ${name}_API_KEY need it`,
  ];
}

const rules: readonly Rule[] = [
  ({ pathPrefixRights }, given) => pathPrefixRights !== undefined && !('pathPrefix' in given) && 'PATH_PREFIX_RIGHTS: needs PATH_PREFIX',
  ({ searchEngine }, given) => searchEngine === 'postgres' && !('databaseUrl' in given) && 'SEARCH_ENGINE: postgres needs DATABASE_URL',
  ...rulesOf('llmFallback'),
  ...rulesOf('judge'),
  ({ judgeModel }, given) =>
    judgeModel === answeringModel &&
    ('judgeBaseUrl' in given || 'judgeApiKey' in given) &&
    `JUDGE_MODEL: ${answeringModel} is LLM_MODEL at LLM_BASE_URL; name a model to use JUDGE_BASE_URL or JUDGE_API_KEY`,
  ({ jwtJwksUrl, jwtSecret }) =>
    jwtJwksUrl !== undefined && jwtSecret !== undefined && 'JWT_SECRET: set either JWT_JWKS_URL or JWT_SECRET, not both',
  (value) =>
    Boolean(value.jwtIssuer || value.jwtAudience) &&
    !usesJwt(value) &&
    'JWT_ISSUER: JWT_ISSUER and JWT_AUDIENCE need JWT_JWKS_URL or JWT_SECRET',
  goTogether('callsAppId', 'callsRegion'),
  goTogether('callsWebhookUser', 'callsWebhookPassword'),
  goTogether('chatWebhookUser', 'chatWebhookPassword'),
  (value, given) =>
    takesChatWebhooks(value) && !('chatCallbackUrl' in given) && 'CHAT_CALLBACK_URL: chat webhooks need it, because answers are sent there',
  (value) =>
    takesChatWebhooks(value) &&
    value.allowedNamespaces?.includes(value.chatNamespace ?? '') === false &&
    'CHAT_NAMESPACE: has to be one of ALLOWED_NAMESPACES',
  (_, given) => 'driftWebhookSecret' in given && !('driftWebhookUrl' in given) && 'DRIFT_WEBHOOK_SECRET: needs DRIFT_WEBHOOK_URL',
  ({ callsBaseUrl, callsAppId }) =>
    Boolean(callsBaseUrl && callsAppId) && 'CALLS_BASE_URL: set either CALLS_BASE_URL or CALLS_APP_ID + CALLS_REGION, not both',
  ({ callsTrustedKeys = [], apiKeys: keys = [] }) =>
    callsTrustedKeys.some((trusted) => !keys.some(({ key }) => key === trusted)) &&
    'CALLS_TRUSTED_KEYS: every key has to be one of API_KEYS, without its namespaces',
  (value) =>
    value.host !== undefined &&
    !isLoopback(value.host) &&
    !isAuthenticated(value) &&
    !value.allowAnonymous &&
    `HOST: ${value.host} is reachable from outside: set API_KEYS, API_KEYS_FILE or JWT_JWKS_URL/JWT_SECRET, or ALLOW_ANONYMOUS=true to serve everybody`,
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

const readGiven = (environment: Environment): Given =>
  Object.fromEntries(
    Object.keys(settingSchema.shape).flatMap((field) => {
      const value = environment[environmentName(field)]?.trim();
      return value ? [[field, value]] : [];
    }),
  );

/** @throws ConfigError naming every problem, those between settings that are right by themselves too */
function parseValues(given: Given, unprotected: readonly string[]): Values {
  const parsed = settingSchema.safeParse(given);
  const issues = parsed.success ? [] : parsed.error.issues;
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const right = settingSchema.partial().parse(Object.fromEntries(Object.entries(given).filter(([field]) => !wrong.has(field))));
  const problems = [
    ...issues.map(({ path, message }) => `${environmentName(String(path[0]))}: ${message}`),
    ...rules.flatMap((problemOf) => problemOf(right, given) || []),
    ...unprotected,
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/** Where only `INDEX_DIR` is set, the state stays where earlier versions kept it. */
function foldersOf({ stateDir: given, indexDir }: Values) {
  const stateDir = given ?? indexDir ?? './.data';
  return { stateDir, indexDir: indexDir ?? join(stateDir, 'index') };
}

/** Undefined: no model is asked, the built-in extractive one answers. */
const modelOf = ({ llmApiKey, llmBaseUrl }: Values, name: string | undefined) =>
  name === undefined ? undefined : { apiKey: llmApiKey, baseUrl: llmBaseUrl, model: name };

/** A model with an endpoint or a key of its own. `LLM_API_KEY` is sent to `LLM_BASE_URL` and nowhere else. */
function otherModelOf(value: Values, other: OtherModel) {
  const model = value[`${other}Model` as const];
  if (model === undefined) return undefined;
  const baseUrl = value[`${other}BaseUrl` as const] ?? value.llmBaseUrl;
  const sharedKey = baseUrl === value.llmBaseUrl ? value.llmApiKey : undefined;
  return { apiKey: value[`${other}ApiKey` as const] ?? sharedKey, baseUrl, model };
}

/** Undefined: the embedded call log answers. */
function callsUpstreamOf({ callsBaseUrl, callsAppId, callsRegion, callsApiKey, callsExtraParameters }: Values) {
  const baseUrl = callsAppId && callsRegion ? baseUrlOfApp({ appId: callsAppId, region: callsRegion }) : callsBaseUrl;
  return baseUrl === undefined ? undefined : { baseUrl, apiKey: callsApiKey, extraParameters: callsExtraParameters };
}

/** Undefined: chat webhooks are refused. */
function chatWebhooksOf(value: Values) {
  const { chatWebhookSecret, chatWebhookUser: user, chatWebhookPassword: password, chatCallbackUrl } = value;
  if (!takesChatWebhooks(value) || chatCallbackUrl === undefined) return undefined;
  return {
    /** Key of the signatures. */
    secret: chatWebhookSecret === undefined ? undefined : readWebhookSecret(chatWebhookSecret),
    basic: user === undefined || password === undefined ? undefined : { user, password },
    agentUid: value.chatAgentUid,
    namespace: value.chatNamespace,
    callback: { url: chatCallbackUrl, key: value.chatCallbackKey },
  };
}

/** Undefined: nobody is told. */
function driftWebhookOf({ driftWebhookUrl: url, driftWebhookSecret: secret }: Values, keptAnswers: number) {
  if (url === undefined || keptAnswers === 0) return undefined;
  return { url, key: secret === undefined ? undefined : readWebhookSecret(secret) };
}

/** Read by commands only; they may be in the same `.env`. */
const commandKeys = ['KNOWLEDGE_API_KEY', 'CHAT_API_KEY'];

/** How this server is reached, without a slash at its end: whether the prefix was written there or not, it stands in one place alone. */
function bareUrl({ publicUrl, pathPrefix: prefix = '' }: Values): string | undefined {
  const url = publicUrl?.replace(/\/+$/, '');
  return url?.endsWith(prefix) ? url.slice(0, url.length - prefix.length) : url;
}

/** Shorter secrets can be guessed. */
const minPrefixChars = 20;
const minKeyChars = 16;

/** One sentence for each secret that can be guessed, without the secret, and for a model name without a model. */
function findWeakSettings({ pathPrefix: prefix, apiKeys: keys }: Values, given: Given): string[] {
  const short = keys.filter(({ key }) => key.length < minKeyChars).length;
  return [
    ...(prefix !== undefined && prefix.length < minPrefixChars
      ? [`PATH_PREFIX: has less than ${minPrefixChars} characters, and can be guessed`]
      : []),
    ...(short > 0
      ? [
          `API_KEYS: ${short} of ${keys.length} keys ${short === 1 ? 'has' : 'have'} less than ${minKeyChars} characters, and can be guessed`,
        ]
      : []),
    ...('llmModel' in given && !hasModel(given)
      ? ['LLM_MODEL: no model answers without LLM_API_KEY or LLM_BASE_URL; answers only quote the documents']
      : []),
  ];
}

/** An upload holds so many times as much as one source. */
const uploadFactor = 10;

/** What a checked text was read as. */
function understood<Value extends object>(read: Value | string): Value {
  if (typeof read === 'string') throw new Error(read);
  return read;
}

/** What `LIMITS` and `RATE_LIMIT_PER_MINUTE` come to. */
function boundsOf(value: Values) {
  const limits = understood(readLimits(value.limits));
  const rates = understood(readRates(value.rateLimitPerMinute));
  return {
    rateLimitPerMinute: rates.caller,
    addressLimitPerMinute: rates.address,
    askLimitPerMinute: rates.ask,
    searchLimitPerMinute: rates.search,
    ingestLimitPerMinute: rates.ingest,
    maxUploadBytes: uploadFactor * value.maxSourceBytes,
    maxModelCalls: limits.models,
    maxStreams: limits.streams,
    maxRunningJobs: limits.jobs,
    maxWaitingJobs: limits.waiting,
    keepAnswers: limits.answers,
    maxThreads: limits.threads,
    modelTokens: { all: limits.tokens, perCaller: limits.callerTokens },
    maxOpenNamespaces: limits.open,
    storage: { maxNamespaces: limits.namespaces, maxDocuments: limits.documents, maxBytes: limits.bytes },
  };
}

/** What the settings come to. */
export type Config = Readonly<ReturnType<typeof parseConfig>>;

/** @throws ConfigError naming every problem, never a value that is a secret */
export function parseConfig(environment: Environment) {
  const given = readGiven(withEarlierBounds(environment));
  const names = Object.keys(environment).filter((name) => !commandKeys.includes(name) && !isEarlier(name) && environment[name]?.trim());
  const misspelt = findMisspelt(names, Object.keys(settings));
  const unprotected = misspelt.filter(({ isProtective }) => isProtective);
  const value = parseValues(
    given,
    unprotected.map(({ problem }) => `${problem} Nothing starts without what it was to protect`),
  );
  const llm = modelOf(value, hasModel(given) ? value.llmModel : undefined);
  const upstream = callsUpstreamOf(value);
  const bounds = boundsOf(value);
  const chatWebhooks = chatWebhooksOf(value);
  const driftWebhook = driftWebhookOf(value, bounds.keepAnswers);
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
    ...bounds,
    publicUrl: bareUrl(value),
    llm,
    llmFallback: otherModelOf(value, 'llmFallback'),
    /** The same object as `llm` if that model judges. */
    judge: value.judgeModel === answeringModel ? llm : otherModelOf(value, 'judge'),
    embedding: modelOf(value, value.embeddingModel),
    modelPatience: { firstTokenMs: value.llmFirstTokenSeconds * 1_000, stallMs: value.llmStallSeconds * 1_000 },
    calls: { upstream, file: value.callsFile },
    /** Empty: call webhooks are refused. */
    callsWebhook: { user: value.callsWebhookUser ?? '', password: value.callsWebhookPassword ?? '' },
    chatWebhooks,
    /** Undefined: nothing is traced. */
    tracing: value.otelExporterOtlpEndpoint === undefined ? undefined : { endpoint: value.otelExporterOtlpEndpoint },
    driftWebhook,
    /** Settings that are valid but have no effect beside the others. */
    ignoredSettings: withoutEffect.filter((name) => environment[name]?.trim()),
    /** A sentence each. */
    misspeltSettings: [...findEarlier(environment), ...misspelt.map(({ problem }) => problem)],
    /** The same. */
    weakSettings: findWeakSettings(value, given),
  };
}
