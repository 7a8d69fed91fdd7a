/**
 * Every setting of the process: one schema, read once, all problems reported at once. Pure: `main.ts` and `mastra/index.ts`
 * hand the environment in. `.env.example` and the README table are held equal to `settings` by a test.
 */
import { z } from 'zod';
import { baseUrlOfApp, isApiKey, isAppId, isBaseUrl, isRegion } from './calls/app-address.ts';
import { apiKeys, hostPatterns, httpUrl, integer, list, namespaceName, origins } from './setting-forms.ts';

const oneMebibyte = 1024 * 1024;

/** Name → schema; `.describe()` is the text of the README table. */
export const settings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; anything but loopback needs `API_KEYS`, a JWT setting or `ALLOW_ANONYMOUS=true`'),
  PORT: integer(0, 65535, 4111).describe('port to listen on; 0 takes a free one'),
  KNOWLEDGE_DIR: z.string().default('./knowledge').describe('documents live in `KNOWLEDGE_DIR/<namespace>/` as `.md` / `.mdx`'),
  INDEX_DIR: z.string().default('./.data').describe('everything derived; may be deleted at any time and is rebuilt from `KNOWLEDGE_DIR`'),
  LLM_API_KEY: z
    .string()
    .optional()
    .describe('model provider key, used by the server only; unset (and no `LLM_BASE_URL`): the built-in extractive model answers'),
  LLM_BASE_URL: httpUrl
    .default('https://api.openai.com/v1')
    .describe('any OpenAI-compatible endpoint; setting it alone, without a key, is allowed'),
  LLM_MODEL: z.string().default('gpt-5.4-mini').describe('model name at that endpoint'),
  EMBEDDING_MODEL: z
    .string()
    .optional()
    .describe('set: retrieval by words and by meaning (hybrid), with this embedding model at the same endpoint'),
  MAX_ANSWER_SENTENCES: integer(1, 20, 5).describe('an answer is cut after this many sentences'),
  SECOND_SEARCH: z
    .stringbool()
    .default(false)
    .describe('`true`: where the first search covers a question badly, the model may search once more (a second model call)'),
  AGENT_MENTIONS: list
    .pipe(z.array(z.string()).min(1, 'needs at least one mention text'))
    .default(['@agent'])
    .describe('comma-separated mention texts that wake the agent, e.g. `@agent,<@uid:knowledge>`'),
  API_KEYS: apiKeys
    .default([])
    .describe('comma-separated keys (`Authorization: Bearer KEY` or `x-api-key: KEY`); `KEY=ns1+ns2` limits a key to namespaces'),
  JWT_JWKS_URL: httpUrl.optional().describe('verify bearer JWTs with the keys at this URL; the claim `namespaces` limits a caller'),
  JWT_SECRET: z.string().optional().describe('verify bearer JWTs (HS256/384/512) with this secret; use 32 or more random characters'),
  JWT_ISSUER: z.string().optional().describe('required `iss` of a JWT'),
  JWT_AUDIENCE: z.string().optional().describe('required `aud` of a JWT'),
  ALLOW_ANONYMOUS: z.stringbool().default(false).describe('`true` serves a non-loopback `HOST` without any authentication'),
  CORS_ORIGINS: origins.default([]).describe('comma-separated origins that browsers may call from'),
  ALLOWED_NAMESPACES: list
    .pipe(z.array(namespaceName))
    .optional()
    .describe('comma-separated; unset: any valid name `[a-z0-9][a-z0-9._-]{0,62}`, case-insensitive'),
  ALLOWED_URL_HOSTS: hostPatterns
    .optional()
    .describe(
      'comma-separated host patterns (`docs.example.com`, `*.example.com`, `127.0.0.1:8080`); unset: any public host. A listed host may be private',
    ),
  ALLOWED_FILE_ROOTS: list
    .default([])
    .describe('comma-separated folders that file sources may be read from; unset: file sources are refused'),
  MAX_BODY_BYTES: integer(1024, 1024 * oneMebibyte, oneMebibyte).describe('largest request body'),
  MAX_SOURCE_BYTES: integer(1024, 1024 * oneMebibyte, 20 * oneMebibyte).describe('largest source after decompression'),
  RATE_LIMIT_PER_MINUTE: integer(0, 10_000_000, 120).describe('requests per caller and minute; 0 turns the limit off'),
  KEEP_ANSWERS: integer(0, 100_000, 1_000).describe(
    'newest answers that are kept in `INDEX_DIR`, with the questions that were not answered; 0 keeps neither',
  ),
  CALLS_APP_ID: z
    .string()
    .refine(isAppId, 'must be letters and digits')
    .optional()
    .describe('app of the calling service that `/v3/calls` asks; unset (and no `CALLS_BASE_URL`): the embedded call log answers'),
  CALLS_REGION: z.string().refine(isRegion, 'must be a region such as us, eu or in').optional().describe('region of that app'),
  CALLS_BASE_URL: httpUrl
    .refine(isBaseUrl, 'must be without user, query and fragment')
    .optional()
    .describe('base URL of the calling service instead of app and region'),
  CALLS_API_KEY: z
    .string()
    .refine(isApiKey, 'must be visible ASCII characters')
    .optional()
    .describe('sent to the calling service as `apikey`, never to a caller; unset: every caller sends an own `apikey`'),
  CALLS_FILE: z.string().default('./samples/calls.jsonl').describe('JSON Lines of call records that the embedded call log answers from'),
  CALLS_WEBHOOK_USER: z.string().optional().describe('Basic auth that the calling platform sends to `POST /v3/webhooks/calls`'),
  CALLS_WEBHOOK_PASSWORD: z.string().optional().describe('the password of it; without both, call webhooks are refused'),
  CALLS_TOOLS: z.stringbool().default(false).describe('`true`: the agent may look up the calls of the user who asks'),
  CALLS_TRUSTED_KEYS: list
    .default([])
    .describe('comma-separated keys of `API_KEYS` that may say for which user they ask, in the header `onBehalfOf`'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info').describe('`trace` to `error`, or `silent`'),
};

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const schema = z.object(settings);
type Values = z.infer<typeof schema>;

const togetherOnly = [['CALLS_APP_ID', 'CALLS_REGION'] as const, ['CALLS_WEBHOOK_USER', 'CALLS_WEBHOOK_PASSWORD'] as const];

/** What is wrong between settings, each of which may be right by itself or missing here because it is not. */
function crossProblems(value: { readonly [Name in keyof Values]?: Values[Name] | undefined }): string[] {
  const problems: string[] = [];
  const usesJwt = value.JWT_JWKS_URL !== undefined || value.JWT_SECRET !== undefined;
  if (value.JWT_JWKS_URL && value.JWT_SECRET) problems.push('JWT_SECRET: set either JWT_JWKS_URL or JWT_SECRET, not both');
  if ((value.JWT_ISSUER || value.JWT_AUDIENCE) && !usesJwt) {
    problems.push('JWT_ISSUER: JWT_ISSUER and JWT_AUDIENCE need JWT_JWKS_URL or JWT_SECRET');
  }
  for (const [one, other] of togetherOnly)
    if (Boolean(value[one]) !== Boolean(value[other])) problems.push(`${other}: ${one} and ${other} go together`);
  if (value.CALLS_BASE_URL && value.CALLS_APP_ID) {
    problems.push('CALLS_BASE_URL: set either CALLS_BASE_URL or CALLS_APP_ID + CALLS_REGION, not both');
  }
  const known = new Set((value.API_KEYS ?? []).map(({ key }) => key));
  if (value.CALLS_TRUSTED_KEYS?.some((key) => !known.has(key)))
    problems.push('CALLS_TRUSTED_KEYS: every key has to be one of API_KEYS, without its namespaces');
  const isAuthenticated = (value.API_KEYS?.length ?? 0) > 0 || usesJwt;
  if (value.HOST !== undefined && !isLoopback(value.HOST) && !isAuthenticated && !value.ALLOW_ANONYMOUS) {
    problems.push(
      `HOST: ${value.HOST} is reachable from outside: set API_KEYS or JWT_JWKS_URL/JWT_SECRET, or ALLOW_ANONYMOUS=true to serve everybody`,
    );
  }
  return problems;
}

export interface ApiKey {
  readonly key: string;
  /** Undefined: every namespace. */
  readonly namespaces: readonly string[] | undefined;
}

export interface JwtConfig {
  readonly jwksUrl: string | undefined;
  readonly secret: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
}

interface Provider {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
}

interface CallsConfig {
  /** Undefined: the embedded call log answers. */
  readonly upstream: { readonly baseUrl: string; readonly apiKey: string | undefined } | undefined;

  readonly file: string;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly knowledgeDir: string;
  readonly indexDir: string;
  /** Undefined: the extractive model answers. */
  readonly llm: Provider | undefined;
  readonly embedding: Provider | undefined;
  /** Of an answer. */
  readonly maxAnswerSentences: number;
  /** Whether a model may search once more where the first search covered the question badly. */
  readonly secondSearch: boolean;
  readonly agentMentions: readonly string[];
  readonly apiKeys: readonly ApiKey[];
  readonly jwt: JwtConfig | undefined;
  readonly corsOrigins: readonly string[];
  readonly allowedNamespaces: readonly string[] | undefined;
  readonly allowedUrlHosts: readonly string[] | undefined;
  readonly allowedFileRoots: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxSourceBytes: number;
  /** 0: no limit. */
  readonly rateLimitPerMinute: number;
  /** 0: none, and no unanswered question either. */
  readonly keepAnswers: number;
  readonly calls: CallsConfig;
  /** Empty: call webhooks are refused. */
  /** Whether the agent may look up the calls of the user who asks. */
  readonly callsTools: boolean;
  readonly callsTrustedKeys: readonly string[];
  readonly callsWebhook: { readonly user: string; readonly password: string };
  readonly logLevel: z.infer<typeof settings.LOG_LEVEL>;
  /** Settings that are valid but have no effect beside the others. */
  readonly ignoredSettings: readonly string[];
}

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

const callsBaseUrl = ({ CALLS_BASE_URL, CALLS_APP_ID, CALLS_REGION }: Values): string | undefined =>
  CALLS_APP_ID && CALLS_REGION ? baseUrlOfApp({ appId: CALLS_APP_ID, region: CALLS_REGION }) : CALLS_BASE_URL;

/** Parses an environment; an empty value counts as unset. @throws ConfigError naming every problem, never a value that is a secret */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(settings)
      .map((name) => [name, environment[name]?.trim()] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  const wrong = new Set(problems.map((line) => line.split(':')[0]));
  const rightOnes = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
  problems.push(...crossProblems(schema.partial().parse(rightOnes)));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const value = parsed.data;
  const callsUrl = callsBaseUrl(value);
  const withoutEffect = callsUrl === undefined ? 'CALLS_API_KEY' : 'CALLS_FILE';
  return {
    host: value.HOST,
    port: value.PORT,
    knowledgeDir: value.KNOWLEDGE_DIR,
    indexDir: value.INDEX_DIR,
    llm:
      'LLM_API_KEY' in given || 'LLM_BASE_URL' in given
        ? { apiKey: value.LLM_API_KEY, baseUrl: value.LLM_BASE_URL, model: value.LLM_MODEL }
        : undefined,
    embedding: value.EMBEDDING_MODEL ? { apiKey: value.LLM_API_KEY, baseUrl: value.LLM_BASE_URL, model: value.EMBEDDING_MODEL } : undefined,
    maxAnswerSentences: value.MAX_ANSWER_SENTENCES,
    secondSearch: value.SECOND_SEARCH,
    agentMentions: value.AGENT_MENTIONS,
    apiKeys: value.API_KEYS,
    jwt:
      value.JWT_JWKS_URL || value.JWT_SECRET
        ? { jwksUrl: value.JWT_JWKS_URL, secret: value.JWT_SECRET, issuer: value.JWT_ISSUER, audience: value.JWT_AUDIENCE }
        : undefined,
    corsOrigins: value.CORS_ORIGINS,
    allowedNamespaces: value.ALLOWED_NAMESPACES,
    allowedUrlHosts: value.ALLOWED_URL_HOSTS,
    allowedFileRoots: value.ALLOWED_FILE_ROOTS,
    maxBodyBytes: value.MAX_BODY_BYTES,
    maxSourceBytes: value.MAX_SOURCE_BYTES,
    rateLimitPerMinute: value.RATE_LIMIT_PER_MINUTE,
    keepAnswers: value.KEEP_ANSWERS,
    calls: {
      upstream: callsUrl === undefined ? undefined : { baseUrl: callsUrl, apiKey: value.CALLS_API_KEY },
      file: value.CALLS_FILE,
    },
    callsTools: value.CALLS_TOOLS,
    callsTrustedKeys: value.CALLS_TRUSTED_KEYS,
    callsWebhook: { user: value.CALLS_WEBHOOK_USER ?? '', password: value.CALLS_WEBHOOK_PASSWORD ?? '' },
    logLevel: value.LOG_LEVEL,
    ignoredSettings: withoutEffect in given ? [withoutEffect] : [],
  };
}
