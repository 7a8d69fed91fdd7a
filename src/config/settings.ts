/**
 * Every setting of the process, in groups: `maxBodyBytes` here is `MAX_BODY_BYTES` in the environment. Each is checked by itself here;
 * `config.ts` checks them together. `npm run docs` writes `.env.example` and the README's table from the descriptions. Pure.
 */
import { z } from 'zod';
import { isExtraParameter } from '../calls/types.ts';
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../calls/upstream.ts';
import { readLimits, readRates, usualPerMinute } from './limits.ts';
import {
  addressRanges,
  apiKeys,
  hostPatterns,
  httpUrl,
  integer,
  integerBetween,
  list,
  namespaceName,
  origins,
  pathPrefix,
  readWebhookSecret,
  rightList,
} from './setting-types.ts';
import '../issues.ts';

const oneMebibyte = 1024 * 1024;
const maxStyleChars = 500;
const text = z.string().optional();
const texts = list.default([]);
/** A text that `read` understands; it returns a sentence if it does not. */
const readable = (read: (text: string) => unknown, usual: string) =>
  z
    .string()
    .superRefine((value, context) => {
      const problem = read(value);
      if (typeof problem === 'string') context.addIssue({ code: 'custom', message: problem });
    })
    .default(usual);
const truth = z.stringbool({ error: 'must be true or false' });
const switchedOff = truth.default(false);
const namespaceNames = list.pipe(z.array(namespaceName)).optional();
const mentions = list.pipe(z.array(z.string()).min(1, 'needs at least one mention text')).default(['@agent']);
const extraParameters = list
  .pipe(z.array(z.string().refine(isExtraParameter, 'must be names of query parameters, not of keys, tokens or onBehalfOf')))
  .default([]);
const appId = z.string().refine(isAppId, 'must be letters and digits').optional();
const baseUrl = httpUrl.refine(isBaseUrl, 'must be without user, query and fragment').optional();
const platformKey = z.string().refine(isApiKey, 'must be visible ASCII characters').optional();
const uid = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters');
const callbackUrl = httpUrl
  .refine((url) => !URL.parse(url)?.username && !URL.parse(url)?.password, 'must be without user and password')
  .optional();
const collectorUrl = httpUrl.refine((url) => !/[?#@]/.test(url), 'must be without user, query and fragment').optional();
const databaseUrl = z
  .string()
  .refine((url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url), 'must be a postgres:// or postgresql:// URL')
  .optional();
/** RFC 7518, section 3.2: a key of HS256 has at least 256 bits. */
const jwtSecret = z
  .string()
  .refine((secret) => Buffer.byteLength(secret) >= 32, 'must have 32 bytes or more: `openssl rand -base64 32` prints such a secret')
  .optional();
const webhookSecret = z
  .string()
  .refine((secret) => readWebhookSecret(secret) !== undefined, 'must be whsec_ and base64, or a text of 16 or more characters')
  .optional();

export const settingSchema = z.object({
  // Where it listens, and what it writes about itself.
  host: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; anything but loopback needs `API_KEYS`, a JWT setting or `ALLOW_ANONYMOUS=true`'),
  port: integer(0, 65535, 4111).describe('port to listen on; 0 takes a free one'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('`trace` to `error`, or `silent`; lines of the level `audit` are written at each but `silent`'),
  otelExporterOtlpEndpoint: collectorUrl.describe(
    'base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`: requests are traced and sent there (OTLP over HTTP, with `OTEL_EXPORTER_OTLP_HEADERS`); unset: no tracing',
  ),
  shutdownDelay: integer(0, 600, 0).describe(
    'seconds after SIGTERM in which `/ready` is 503 and requests are still taken, so that a load balancer notices',
  ),
  shutdownSeconds: integer(0, 3600, 30).describe(
    'seconds after that for running requests; then they end with 503 `stopping` and the process ends',
  ),

  // What it reads, and where it keeps it.
  knowledgeDir: z.string().default('./knowledge').describe('documents live in `KNOWLEDGE_DIR/<namespace>/` as `.md` / `.mdx`'),
  stateDir: z
    .string()
    .optional()
    .describe(
      'holds `state.db`: answers, feedback, gaps and other state that the server cannot rebuild; back it up. Unset: `INDEX_DIR` if that is set, else `./.data`',
    ),
  indexDir: z.string().optional().describe('index and vectors, which the server rebuilds; unset: `STATE_DIR/index`'),
  databaseUrl: databaseUrl.describe(
    "`postgres://user:password@host/database`: PostgreSQL is the store of record, of any number of servers; `KNOWLEDGE_DIR` is then each one's mirror of it. Unset: files",
  ),
  maxMirrorAge: integerBetween(1, 31_536_000)
    .optional()
    .describe('seconds; with `DATABASE_URL`: `GET /ready` is 503 if this server did not reach the database for longer; unset: no limit'),
  searchEngine: z
    .enum(['memory', 'postgres'])
    .default('memory')
    .describe('`postgres`: the words of chunks are found by the database (pg_textsearch), for more than a million chunks; experimental'),
  allowedNamespaces: namespaceNames.describe('comma-separated; unset: any valid name `[a-z0-9][a-z0-9._-]{0,62}`, case-insensitive'),
  allowedUrlHosts: hostPatterns
    .optional()
    .describe(
      'comma-separated host patterns (`docs.example.com`, `*.example.com`, `127.0.0.1:8080`); unset: any public host. A listed host may be private',
    ),
  allowedFileRoots: texts.describe('comma-separated folders that file sources may be read from; unset: file sources are refused'),

  publicUrl: httpUrl
    .optional()
    .describe('URL under which this server is reached from outside, e.g. `https://agent.example.com`; unset: as each request says it'),
  pathPrefix: pathPrefix
    .optional()
    .describe(
      'a secret such as `/k/Zm9vYmFy…` for platforms that can send no header: everything is served below it, and nothing outside but `/health` and `/ready`',
    ),
  pathPrefixRights: rightList
    .optional()
    .describe(
      'rights of callers without a key below `PATH_PREFIX`, such as `read+calls` (docs/secure.md); unset: `read` if the server has no keys, otherwise every caller needs a key',
    ),

  // Models.
  llmApiKey: text.describe(
    'model provider key, used by the server only; unset (and no `LLM_BASE_URL`): the built-in extractive model answers',
  ),
  llmBaseUrl: httpUrl
    .default('https://api.openai.com/v1')
    .describe('any OpenAI-compatible endpoint; setting it alone, without a key, is allowed'),
  llmModel: z.string().default('gpt-5.4-mini').describe('model name at that endpoint'),
  embeddingModel: text.describe('set: retrieval by words and by meaning (hybrid), with this embedding model at the same endpoint'),
  llmMaxTokens: integer(0, 1_000_000, 1_000).describe(
    'most tokens of one reply, of every model; raise it for models whose thoughts count too; 0 sends no limit',
  ),
  judgeModel: text.describe(
    'set: a model decides about sentences that the check leaves open (one further model call an answer): `same` (`LLM_MODEL`) or a name (MiniCheck, or any chat model)',
  ),
  judgeBaseUrl: httpUrl.optional().describe('endpoint of that model; unset: `LLM_BASE_URL`'),
  judgeApiKey: text.describe('key of that endpoint; unset: `LLM_API_KEY`, if the endpoint is the same'),
  llmFallbackModel: text.describe('set: the model that is asked where `LLM_MODEL` fails'),
  llmFallbackBaseUrl: httpUrl.optional().describe('endpoint of that model; unset: `LLM_BASE_URL`'),
  llmFallbackApiKey: text.describe('key of that endpoint; unset: `LLM_API_KEY`, where the endpoint is the same'),
  llmFirstTokenSeconds: integer(1, 600, 20).describe(
    'seconds until the first token of a model; beyond it the call counts as failed and the next model is called',
  ),
  llmStallSeconds: integer(1, 600, 10).describe(
    'seconds between two parts of a reply; beyond it the reply ends and the call counts as failed',
  ),
  degradedAnswers: switchedOff.describe(
    '`true`: where no model answers, the built-in extractive one does, and the answer says so (`degraded`); otherwise the question fails',
  ),

  // The agent.
  agentMentions: mentions.describe('comma-separated mention texts that wake the agent, e.g. `@agent,<@uid:knowledge>`'),
  requireMention: truth
    .default(true)
    .describe('`false`: no message needs a mention, as in direct chats with the agent. `true`: the way in decides (docs/clients.md)'),
  answerStyle: z
    .string()
    .max(maxStyleChars, `must be at most ${maxStyleChars} characters`)
    .optional()
    .describe(
      `how the model words its answers, e.g. "friendly, formal address in German"; at most ${maxStyleChars} characters; the rules and the check win`,
    ),
  secondSearch: switchedOff.describe(
    '`true`: where the first search covers a question badly, the model may search once more (a second model call)',
  ),

  // Who may call.
  apiKeys: apiKeys
    .default([])
    .describe(
      'comma-separated keys (`Authorization: Bearer KEY` or `x-api-key: KEY`); `KEY=ns1+ns2` limits a key to namespaces, `KEY=ns1+ns2:read+write` and `KEY=*:read` to rights too (`read`, `write`, `calls`, `admin`; docs/secure.md)',
    ),
  apiKeysFile: text.describe('file of hashed keys that is followed while the server runs; `npm run keys` writes it'),
  jwtJwksUrl: httpUrl
    .optional()
    .describe('verify bearer JWTs with the keys at this URL; the claims `namespaces` and `scope` limit a caller'),
  jwtSecret: jwtSecret.describe('verify bearer JWTs (HS256/384/512) with this secret: 32 or more random bytes'),
  jwtIssuer: text.describe('required `iss` of a JWT'),
  jwtAudience: text.describe('required `aud` of a JWT'),
  allowAnonymous: switchedOff.describe('`true` serves a non-loopback `HOST` without any authentication'),
  allowedHosts: hostPatterns
    .default([])
    .describe(
      'comma-separated names (`docs.example.com`, `*.example.com`) that a server without authentication answers to besides loopback and `HOST`',
    ),
  corsOrigins: origins.default([]).describe('comma-separated origins that browsers may call from'),

  // Limits.
  maxBodyBytes: integer(1024, 1024 * oneMebibyte, oneMebibyte).describe(
    'largest request body; of chats up to 8 times as much, without their oldest messages',
  ),
  workers: integer(1, 64, 1).describe(
    'threads that answer questions without a model; 1: the server itself answers them. Each takes some 150 MB (docs/operate.md#workers)',
  ),
  maxSourceBytes: integer(1024, 1024 * oneMebibyte, 20 * oneMebibyte).describe('largest source after decompression'),
  limits: readable(readLimits, 'medium').describe(
    '`small` (1 GB of memory), `medium` or `large`, and single bounds behind it: `medium,streams=200,answers=0,tokens=1000000` (docs/operate.md#limits)',
  ),
  rateLimitPerMinute: readable(readRates, usualPerMinute).describe(
    'requests per caller per minute (token bucket), 0: no limit; of these for `ask`, `search` and `ingest`, and of an `address` (10 times as many), behind it: `120,ask=20,address=600`',
  ),
  trustedProxies: addressRanges
    .default([])
    .describe(
      'comma-separated addresses and ranges (`127.0.0.1`, `10.0.0.0/8`, `loopback`) of proxies in front, whose `X-Forwarded-For` says where a request comes from',
    ),

  // Calls.
  callsAppId: appId.describe(
    'app of the calling service that `/v3/calls` asks; unset (and no `CALLS_BASE_URL`): the embedded call log answers',
  ),
  callsRegion: z.string().refine(isRegion, 'must be a region such as us, eu or in').optional().describe('region of that app'),
  callsBaseUrl: baseUrl.describe('base URL of the calling service instead of app and region; may end in `/v3`'),
  callsApiKey: platformKey.describe(
    'sent to the calling service as `apikey`, never to a caller; unset: every caller sends an own `apikey`',
  ),
  callsExtraParameters: extraParameters.describe(
    'comma-separated query parameters that `/v3/calls` sends to the calling service unvalidated; unset: unknown parameters are 400',
  ),
  callsFile: z.string().default('./samples/calls.jsonl').describe('JSON Lines of call records that the embedded call log answers from'),
  callsWebhookUser: text.describe('Basic auth that the calling platform sends to `POST /v3/webhooks/calls`'),
  callsWebhookPassword: text.describe('the password of it; without both, call webhooks are refused'),
  callsTools: switchedOff.describe('`true`: the agent may look up the calls of the user who asks'),
  callsTrustedKeys: texts.describe('comma-separated keys of `API_KEYS` that may say for which user they ask, in the header `onBehalfOf`'),

  // The chat platform.
  chatWebhookSecret: webhookSecret.describe(
    'the platform signs what it sends to `POST /api/webhooks/chat` with this secret (Standard Webhooks: `whsec_…`, or any text)',
  ),
  chatWebhookUser: text.describe('or it sends Basic auth; without either, chat webhooks are refused'),
  chatWebhookPassword: text.describe('the password of it'),
  chatAgentUid: uid.default('knowledge').describe('the user that the agent is on the platform: what it says itself is not answered'),
  chatNamespace: namespaceName.default('default').describe('namespace from which messages of the platform are answered'),
  chatCallbackUrl: callbackUrl.describe('where answers to webhooks are sent; a private host has to be in `ALLOWED_URL_HOSTS`'),
  chatCallbackKey: platformKey.describe('sent there as `apikey`, with `CHAT_AGENT_UID` as `onBehalfOf`'),

  // Drift: documents that change under answers.
  driftWebhookUrl: callbackUrl.describe(
    'where kept answers are sent whose documents do not hold any more what they quote; a private host has to be in `ALLOWED_URL_HOSTS`',
  ),
  driftWebhookSecret: webhookSecret.describe(
    'they are signed with this secret (Standard Webhooks: `whsec_…`, or any text); unset: not signed',
  ),
});
export type Values = z.infer<typeof settingSchema>;

export const environmentName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Name in the environment → schema; its description is the text of the README's table. */
export const settings: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(settingSchema.shape).map(([field, form]) => [environmentName(field), form]),
);
