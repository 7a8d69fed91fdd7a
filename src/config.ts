/**
 * Parses the environment into the configuration of the process and reports all problems at once.
 * Pure: callers pass the environment.
 */
import { join } from 'node:path';
import { baseUrlOfApp } from '../packages/calls/src/upstream.ts';
import { keylessAccess } from './config/access.ts';
import { type ConfiguredLimits, limitsOf } from './config/limits.ts';
import {
  type GivenTexts,
  hasModel,
  type ModelEndpoints,
  modelEndpointsOf,
  readModels,
} from './config/models.ts';
import { rules, takesChatWebhooks } from './config/rules.ts';
import {
  type Environment,
  findMisspelt,
  findRemoved,
  isRemoved,
  list,
  readWebhookSecret,
} from './config/setting-types.ts';
import {
  environmentName,
  settingSchema,
  settings,
  shownTexts,
  type Values,
} from './config/settings.ts';

export {
  hasVisitors,
  isAuthenticated,
  isLoopback,
  isOpenToAll,
  keylessAccess,
  usesJwt,
} from './config/access.ts';
export { noJudge } from './config/models.ts';

type CallsUpstream = Readonly<{
  baseUrl: string;
  apiKey: string | undefined;
  extraParameters: readonly string[];
}>;
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

export interface Config
  extends Readonly<Omit<Values, 'rateLimitPerMinute'>>,
    ConfiguredLimits,
    ModelEndpoints {
  readonly stateDir: string;
  readonly indexDir: string;
  /** Without a trailing slash and without `PATH_PREFIX`. */
  readonly publicUrl: string | undefined;
  readonly modelTimeouts: { readonly firstTokenMs: number; readonly stallMs: number };
  /** No `upstream`: the embedded call log answers. */
  readonly calls: { readonly upstream: CallsUpstream | undefined; readonly file: string };
  /** Undefined: chat webhooks are refused. */
  readonly chatWebhooks: ChatWebhookSettings | undefined;
  readonly tracing: { readonly endpoint: string } | undefined;
  readonly handoffWebhook: OutgoingWebhookSettings | undefined;
  /** Names of valid settings that other settings make ineffective. */
  readonly ignoredSettings: readonly string[];
  readonly misspeltSettings: readonly string[];
  readonly weakSettings: readonly string[];
}

/** Settings that have no effect without a model. */
const modelSettings = [
  'LLM_MAX_TOKENS',
  'LLM_CONTEXT_TOKENS',
  'LLM_PURPOSE_HEADER',
  'ANSWER_EFFORT',
  'JUDGE_PROBE',
  'ANSWER_STYLE',
  'LLM_FIRST_TOKEN_SECONDS',
  'LLM_STALL_SECONDS',
  'DEGRADED_ANSWERS',
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

/**
 * Names of settings whose values may be secrets or URLs with credentials: messages never repeat
 * them.
 */
const secretName = /(?:KEYS?|SECRET|PASSWORD|USER|URL|ENDPOINT|PATH_PREFIX)$/;
const maxShownChars = 60;

type Issue = Readonly<{ path: readonly PropertyKey[]; message: string }>;

/** Names the wrong entry of a list, or the whole value. */
function problemOf({ path: [field, index], message }: Issue, given: GivenTexts): string {
  const name = environmentName(String(field));
  const text = given[String(field)] ?? '';
  const value = typeof index === 'number' ? (list.parse(text)[index] ?? text) : text;
  const shown = value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value;
  return `${name}: ${message}${secretName.test(name) ? '' : `; got ${JSON.stringify(shown)}`}`;
}

const readGiven = (environment: Environment): GivenTexts =>
  Object.fromEntries(
    Object.keys(settingSchema.shape).flatMap((field) => {
      const value = environment[environmentName(field)]?.trim();
      return value ? [[field, value]] : [];
    }),
  );

/** @throws ConfigError with every problem, including invalid combinations of valid settings */
function parseValues(given: GivenTexts, further: readonly string[]): Values {
  const parsed = settingSchema.safeParse(given);
  const issues = parsed.success ? [] : parsed.error.issues;
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const valid = settingSchema
    .partial()
    .parse(Object.fromEntries(Object.entries(given).filter(([field]) => !wrong.has(field))));
  const problems = [
    ...issues.map((issue) => problemOf(issue, given)),
    ...rules.flatMap((rule) => rule(valid, given) || []),
    ...further,
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return parsed.data;
}

/** If only `INDEX_DIR` is set, it also holds the state, as in earlier releases. */
function foldersOf({ stateDir: given, indexDir }: Values) {
  const stateDir = given ?? indexDir ?? './.data';
  return { stateDir, indexDir: indexDir ?? join(stateDir, 'index') };
}

function callsUpstreamOf({
  callsBaseUrl,
  callsAppId,
  callsRegion,
  callsApiKey,
  callsExtraParameters,
}: Values): CallsUpstream | undefined {
  const baseUrl = callsAppId && callsRegion ? baseUrlOfApp(callsAppId, callsRegion) : callsBaseUrl;
  return baseUrl === undefined
    ? undefined
    : { baseUrl, apiKey: callsApiKey, extraParameters: callsExtraParameters };
}

function chatWebhooksOf(value: Values): ChatWebhookSettings | undefined {
  const {
    chatWebhookSecret,
    chatWebhookUser: user,
    chatWebhookPassword: password,
    chatCallbackUrl,
  } = value;
  if (!takesChatWebhooks(value) || chatCallbackUrl === undefined) return undefined;
  return {
    secret: chatWebhookSecret === undefined ? undefined : readWebhookSecret(chatWebhookSecret),
    basic: user === undefined || password === undefined ? undefined : { user, password },
    agentUid: value.chatAgentUid,
    namespace: value.chatNamespace,
    callback: { url: chatCallbackUrl, key: value.chatCallbackKey },
  };
}

function outgoingWebhookOf(
  url: string | undefined,
  secret: string | undefined,
): OutgoingWebhookSettings | undefined {
  return url === undefined
    ? undefined
    : { url, key: secret === undefined ? undefined : readWebhookSecret(secret) };
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
function findWeakSettings(
  { pathPrefix: prefix, apiKeys: keys }: Values,
  given: GivenTexts,
): string[] {
  const short = keys.filter(({ key }) => key.length < minKeyChars).length;
  return [
    ...(prefix !== undefined && prefix.length < minPrefixChars
      ? [
          `PATH_PREFIX: shorter than ${minPrefixChars} characters and easy to guess; \`openssl rand -hex 16\` prints a safe one`,
        ]
      : []),
    ...(short > 0
      ? [
          `API_KEYS: ${short} of ${keys.length} keys ${short === 1 ? 'is' : 'are'} shorter than ${minKeyChars} characters and easy to guess; \`openssl rand -hex 16\` prints a safe one`,
        ]
      : []),
    ...('llmModel' in given && !hasModel(given)
      ? [
          'LLM_MODEL: has no effect without LLM_API_KEY or LLM_BASE_URL; answers only quote the documents',
        ]
      : []),
  ];
}

/** @throws ConfigError with every problem, never with the value of a secret */
export function parseConfig(environment: Environment): Config {
  const given = readGiven(environment);
  const names = Object.keys(environment).filter(
    (name) => !commandKeys.includes(name) && !isRemoved(name) && environment[name]?.trim(),
  );
  const misspelt = findMisspelt(names, Object.keys(settings));
  const unprotected = misspelt.filter(({ isProtective }) => isProtective);
  const models = readModels(given, environment);
  const further = unprotected.map(
    ({ problem }) =>
      `${problem} The server does not start without it, because it may restrict access`,
  );
  const value = parseValues(given, [...models.problems, ...further]);
  const endpoints = modelEndpointsOf(value, given, models);
  const isKeyUsed = Object.values(endpoints).some(
    (endpoint) => endpoint?.apiKey === value.llmApiKey,
  );
  const upstream = callsUpstreamOf(value);
  const limits = limitsOf(value);
  const chatWebhooks = chatWebhooksOf(value);
  const withoutEffect = [
    ...(upstream ? ['CALLS_FILE'] : ['CALLS_API_KEY', 'CALLS_EXTRA_PARAMETERS']),
    ...(keylessAccess(value) ? [] : ['ALLOWED_HOSTS']),
    ...(hasModel(given) ? [] : modelSettings),
    ...(isKeyUsed ? [] : ['LLM_API_KEY']),
    ...(value.databaseUrl === undefined ? ['MAX_MIRROR_AGE'] : []),
    ...(chatWebhooks ? [] : ['CHAT_CALLBACK_URL', 'CHAT_CALLBACK_KEY']),
  ];
  return {
    ...value,
    ...foldersOf(value),
    ...limits,
    publicUrl: publicUrlOf(value),
    ...endpoints,
    modelTimeouts: {
      firstTokenMs: value.llmFirstTokenSeconds * 1_000,
      stallMs: value.llmStallSeconds * 1_000,
    },
    calls: { upstream, file: value.callsFile },
    chatWebhooks,
    tracing:
      value.otelExporterOtlpEndpoint === undefined
        ? undefined
        : { endpoint: value.otelExporterOtlpEndpoint },
    handoffWebhook: outgoingWebhookOf(value.handoffWebhookUrl, value.handoffWebhookSecret),
    ignoredSettings: withoutEffect.filter((name) => environment[name]?.trim()),
    misspeltSettings: [...findRemoved(environment), ...misspelt.map(({ problem }) => problem)],
    weakSettings: findWeakSettings(value, given),
  };
}

export type ShownSetting = Readonly<{ name: string; value: string | null; isDefault: boolean }>;

const rateFields = (['rate', 'visitor', 'address', 'ask', 'search', 'ingest'] as const).map(
  (what) => `${what}LimitPerMinute` as const,
);

/** All settings. A value is null if it is unset, or a secret, path, address or free text. */
export function shownSettings(config: Config): ShownSetting[] {
  const defaults = parseConfig({});
  return Object.keys(settingSchema.shape).map((field) => {
    const value = config[field as keyof Config];
    const isShown =
      typeof value === 'number' || typeof value === 'boolean' || shownTexts.has(field);
    const fields = (field === 'rateLimitPerMinute' ? rateFields : [field]) as (keyof Config)[];
    const isDefault = fields.every(
      (one) => JSON.stringify(config[one]) === JSON.stringify(defaults[one]),
    );
    return {
      name: environmentName(field),
      value: value === undefined || !isShown ? null : String(value),
      isDefault,
    };
  });
}

/** Settings by name, as in `.env` (docs/settings.md): `{ KNOWLEDGE_DIR: './docs' }`. */
export type ServerSettings = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Settings of a program that embeds the service; it gets only warnings by default. @throws
 * TypeError, ConfigError
 */
export function parseSettings(settings: ServerSettings): Config {
  if (Object(settings) !== settings)
    throw new TypeError("Pass settings by name: { KNOWLEDGE_DIR: './knowledge' }.");
  const texts = Object.entries(settings).map(([name, value]) => [
    name,
    value === undefined ? undefined : String(value),
  ]);
  return parseConfig({ LOG_LEVEL: 'warn', ...Object.fromEntries(texts) });
}
