/**
 * All settings; `maxBodyBytes` is `MAX_BODY_BYTES` in the environment. Each setting is checked
 * here, combinations in `config.ts`. `npm run docs` writes `.env.example` and the README's table
 * from the descriptions. Pure.
 */
import { z } from 'zod';
import { isExtraParameter } from '../../packages/calls/src/types.ts';
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { problemOfMessage } from '../documents/messages-file.ts';
import { defaultPerMinute, readLimits, readRates } from './limits.ts';
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
const textList = list.default([]);
/** `parse` returns an error message for invalid text. */
const parsedBy = (parse: (text: string) => unknown, fallback: string) =>
  z
    .string()
    .superRefine((value, context) => {
      const problem = parse(value);
      if (typeof problem === 'string') context.addIssue({ code: 'custom', message: problem });
    })
    .default(fallback);
const boolean = z.stringbool({ error: 'must be true or false' });
const offByDefault = boolean.default(false);
const onOff = z.stringbool({
  truthy: ['on', 'true'],
  falsy: ['off', 'false'],
  error: 'must be on or off',
});
const namespaceNames = list.pipe(z.array(namespaceName)).optional();
const mentions = list
  .pipe(z.array(z.string()).min(1, 'must have at least one mention such as @agent'))
  .default(['@agent']);
const extraParameters = list
  .pipe(
    z.array(
      z
        .string()
        .refine(
          isExtraParameter,
          'must be the name of a query parameter; keys, tokens and onBehalfOf are not allowed',
        ),
    ),
  )
  .default([]);
const appId = z
  .string()
  .refine(isAppId, 'must be 1 to 63 letters and digits, such as 24a1b2c3')
  .optional();
const baseUrl = httpUrl
  .refine(isBaseUrl, 'must not have a user, a query or a fragment: https://example.com/path')
  .optional();
const platformKey = z
  .string()
  .refine(isApiKey, 'must be visible ASCII characters without white space')
  .optional();
const uid = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters without white space');
const callbackUrl = httpUrl
  .refine(
    (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
    'must not have a user or password: https://example.com/path',
  )
  .optional();
const collectorUrl = httpUrl
  .refine(
    (url) => !/[?#@]/.test(url),
    'must not have a user, a query or a fragment: https://example.com/path',
  )
  .optional();
const databaseUrl = z
  .string()
  .refine(
    (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
    'must be a URL such as postgres://user:password@host/database',
  )
  .optional();
/** RFC 7518, section 3.2: an HS256 key has at least 256 bits. */
const jwtSecret = z
  .string()
  .refine(
    (secret) => Buffer.byteLength(secret) >= 32,
    'must have at least 32 bytes: `openssl rand -base64 32` prints such a secret',
  )
  .optional();
const webhookSecret = z
  .string()
  .refine(
    (secret) => readWebhookSecret(secret) !== undefined,
    'must be whsec_ followed by base64, or a text, of at least 16 bytes: `openssl rand -base64 32` prints such a secret',
  )
  .optional();

export const settingSchema = z.object({
  // Server.
  host: z
    .string()
    .default('127.0.0.1')
    .describe(
      'address to listen on; an address other than loopback needs `API_KEYS`, `API_KEYS_FILE`, a JWT setting or `ALLOW_ANONYMOUS=true`',
    ),
  port: integer(0, 65535, 4111).describe('port to listen on; 0 picks a free port'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('lowest level to log; audit lines are logged at every level except `silent`'),
  otelExporterOtlpEndpoint: collectorUrl.describe(
    'base URL of an OpenTelemetry collector (OTLP over HTTP), e.g. `http://127.0.0.1:4318`; headers: `OTEL_EXPORTER_OTLP_HEADERS`; unset: no tracing',
  ),
  shutdownDelay: integer(0, 600, 0).describe(
    'seconds from SIGTERM until requests are refused; `/ready` returns 503 at once',
  ),
  shutdownSeconds: integer(0, 3600, 30).describe(
    'seconds after `SHUTDOWN_DELAY` for running requests; then they fail with 503',
  ),

  // Storage and sources.
  knowledgeDir: z
    .string()
    .default('./knowledge')
    .describe('folder of the documents: `.md` and `.mdx` files in `KNOWLEDGE_DIR/<namespace>/`'),
  stateDir: z
    .string()
    .optional()
    .describe(
      'folder of `state.db`: answers, feedback, gaps and other data that the server cannot rebuild (back it up); unset: `INDEX_DIR` if set, else `./.data`',
    ),
  indexDir: z
    .string()
    .optional()
    .describe(
      'folder of the index and vectors, which the server can rebuild; unset: `STATE_DIR/index`',
    ),
  databaseUrl: databaseUrl.describe(
    '`postgres://user:password@host/database`: store documents and state in PostgreSQL, shared by all servers; `KNOWLEDGE_DIR` becomes a local copy; unset: files',
  ),
  maxMirrorAge: integerBetween(1, 31_536_000)
    .optional()
    .describe(
      'seconds without contact to the database after which `/ready` returns 503; needs `DATABASE_URL`; unset: no limit',
    ),
  searchEngine: z
    .enum(['memory', 'postgres'])
    .default('memory')
    .describe(
      '`postgres`: search words in the database (pg_textsearch) for more than a million chunks (experimental)',
    ),
  allowedNamespaces: namespaceNames.describe(
    'comma-separated namespaces; unset: any name `[a-z0-9][a-z0-9._-]{0,62}`, case-insensitive',
  ),
  allowedUrlHosts: hostPatterns
    .optional()
    .describe(
      'comma-separated hosts that URLs may point to (`docs.example.com`, `*.example.com`, `127.0.0.1:8080`), also private ones; unset: any public host',
    ),
  allowedFileRoots: textList.describe(
    'comma-separated folders that file sources may be in; unset: file sources are refused',
  ),

  publicUrl: httpUrl
    .optional()
    .describe(
      'public URL of this server, e.g. `https://agent.example.com`; unset: taken from each request',
    ),
  pathPrefix: pathPrefix
    .optional()
    .describe(
      'secret path, e.g. `/k/Zm9vYmFy…`, for platforms that cannot send headers; only `/health` and `/ready` are served outside it',
    ),
  pathPrefixRights: rightList
    .optional()
    .describe(
      'rights without a key below `PATH_PREFIX`, e.g. `read+calls`; unset: `read` if the server has no keys, else none',
    ),

  // Models.
  llmApiKey: text.describe(
    'API key of the model provider; unset, with no `LLM_BASE_URL`: the extractive model answers',
  ),
  llmBaseUrl: httpUrl
    .default('https://api.openai.com/v1')
    .describe(
      'URL of an OpenAI-compatible endpoint; enough without a key if the endpoint needs none',
    ),
  llmModel: z
    .string()
    .default('gpt-5.4-mini')
    .describe(
      "model name at `LLM_BASE_URL`; without that, also `provider/model` of Mastra's router, with the provider's own key variable",
    ),
  embeddingModel: text.describe(
    'embedding model for hybrid retrieval (words and vectors), a name as for `LLM_MODEL`; unset: words only',
  ),
  embeddingBaseUrl: httpUrl
    .optional()
    .describe('URL of the endpoint of `EMBEDDING_MODEL`; unset: `LLM_BASE_URL`'),
  embeddingApiKey: text.describe(
    'API key of `EMBEDDING_BASE_URL`; unset: `LLM_API_KEY` if the endpoint is the same',
  ),
  rerankModel: text.describe(
    'model of a `/rerank` endpoint (Cohere, Jina, local runners) that orders the passages found; unset: none',
  ),
  rerankBaseUrl: httpUrl
    .optional()
    .describe('URL of the endpoint of `RERANK_MODEL`, without `/rerank`; unset: `LLM_BASE_URL`'),
  rerankApiKey: text.describe(
    'API key of `RERANK_BASE_URL`; unset: `LLM_API_KEY` if the endpoint is the same',
  ),
  llmMaxTokens: integer(0, 1_000_000, 4_000).describe(
    'maximum tokens per reply, reasoning included; 0: no limit',
  ),
  llmContextTokens: integer(2_048, 1_000_000, 8_192).describe(
    'tokens that the model can read; no prompt is longer. For a local model, what it was started with',
  ),
  llmPurposeHeader: onOff
    .default(true)
    .describe(
      '`off`: requests to models lack the header `x-knowledge-purpose`; a gateway can count and route by it',
    ),
  answerEffort: z
    .enum(['thorough', 'quick'])
    .default('thorough')
    .describe(
      '`thorough`: a model checks each sentence, and failed ones are written again, up to five requests an answer; `quick`: one request, rules check',
    ),
  judgeModel: text
    .default('same')
    .describe(
      'model that checks sentences: `same` (`LLM_MODEL`), a model name, e.g. MiniCheck, or `off`: only rules check',
    ),
  judgeProbe: onOff
    .default(true)
    .describe('`off`: the model checks without sixteen sample sentences that show whether it can'),
  judgeBaseUrl: httpUrl
    .optional()
    .describe('URL of the endpoint of `JUDGE_MODEL`; unset: `LLM_BASE_URL`'),
  judgeApiKey: text.describe(
    'API key of `JUDGE_BASE_URL`; unset: `LLM_API_KEY` if the endpoint is the same',
  ),
  llmFallbackModel: text.describe('model to use if `LLM_MODEL` fails; unset: no fallback'),
  llmFallbackBaseUrl: httpUrl
    .optional()
    .describe('URL of the endpoint of `LLM_FALLBACK_MODEL`; unset: `LLM_BASE_URL`'),
  llmFallbackApiKey: text.describe(
    'API key of `LLM_FALLBACK_BASE_URL`; unset: `LLM_API_KEY` if the endpoint is the same',
  ),
  llmFirstTokenSeconds: integer(1, 600, 20).describe(
    'seconds until the first token; then the call fails',
  ),
  llmStallSeconds: integer(1, 600, 10).describe(
    'seconds between two parts of a reply; then the call fails',
  ),
  degradedAnswers: offByDefault.describe(
    '`true`: if every model fails, the extractive model answers, marked `degraded`',
  ),

  // Agent.
  agentMentions: mentions.describe(
    'comma-separated mentions that address the agent, e.g. `@agent,<@uid:knowledge>`',
  ),
  directAgentId: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'must be 1 to 63 lower-case letters, digits or hyphens, such as knowledge-direct',
    )
    .refine(
      (id) => id !== 'knowledge',
      'must differ from knowledge, the id of the agent that needs a mention',
    )
    .optional()
    .describe(
      'id of a second agent that needs no mention, for one-to-one chats, e.g. `knowledge-direct`; unset: none',
    ),
  requireMention: boolean
    .default(true)
    .describe(
      '`false`: answer messages without a mention too, as in direct chats; `true`: the endpoint decides (docs/clients.md)',
    ),
  answerStyle: z
    .string()
    .max(maxStyleChars, `must be at most ${maxStyleChars} characters`)
    .optional()
    .describe(
      `style of the model's answers, at most ${maxStyleChars} characters, e.g. "friendly, formal address in German"; rules and check take precedence; unset: neutral`,
    ),

  // Access.
  apiKeys: apiKeys
    .default([])
    .describe(
      [
        'comma-separated keys for `Authorization: Bearer KEY` or `x-api-key: KEY`;',
        'limits: `KEY=ns1+ns2` (namespaces), `KEY=ns1+ns2:read+write` or `KEY=*:read`',
        '(rights `read`, `write`, `calls`, `admin`; docs/secure.md)',
      ].join(' '),
    ),
  apiKeysFile: text.describe(
    'file of hashed keys, written by the command `keys`; changes apply while the server runs',
  ),
  jwtJwksUrl: httpUrl
    .optional()
    .describe(
      'URL of the keys (JWKS) that verify bearer JWTs; their claims `namespaces` and `scope` limit a caller',
    ),
  jwtSecret: jwtSecret.describe(
    'secret that verifies bearer JWTs (HS256/384/512), at least 32 random bytes',
  ),
  jwtIssuer: text.describe('required `iss` claim of a JWT; unset: not checked'),
  jwtAudience: text.describe('required `aud` claim of a JWT; unset: not checked'),
  allowAnonymous: z
    .union([z.literal('read'), boolean], 'must be true, false or read')
    .default(false)
    .describe(
      '`true`: serve a non-loopback `HOST` without authentication; `read`: callers without a key may ask and search in `ANONYMOUS_NAMESPACES`, nothing else',
    ),
  anonymousNamespaces: namespaceNames.describe(
    'comma-separated namespaces of callers without a key; required with `ALLOW_ANONYMOUS=read`',
  ),
  anonymousTokensPerDay: integer(0, 1_000_000_000_000, 500_000).describe(
    'model tokens per day (UTC) of all callers without a key and with publishable keys; 0: no limit',
  ),
  allowedHosts: hostPatterns
    .default([])
    .describe(
      'comma-separated host names that a server without authentication accepts in addition to loopback and `HOST` (`docs.example.com`, `*.example.com`)',
    ),
  allowedFrameAncestors: origins
    .default([])
    .describe('comma-separated origins whose pages may show the page in a frame; unset: none'),
  corsOrigins: origins
    .default([])
    .describe(
      'comma-separated origins that browsers may call from, or `*`; unset: same origin only',
    ),

  // Limits.
  maxBodyBytes: integer(1024, 1024 * oneMebibyte, oneMebibyte).describe(
    'maximum bytes of a request body; chat requests may be 8 times as large, but lose their oldest messages',
  ),
  maxSourceBytes: integer(1024, 1024 * oneMebibyte, 20 * oneMebibyte).describe(
    'maximum bytes of a decompressed source',
  ),
  limits: parsedBy(readLimits, 'medium').describe(
    '`small` (for 1 GB of memory), `medium` or `large`, then single limits: `medium,streams=200,answers=0,tokens=1000000` (docs/operate.md#limits)',
  ),
  rateLimitPerMinute: parsedBy(readRates, defaultPerMinute).describe(
    [
      'requests per caller per minute (token bucket), 0 to 10000000, 0: no limit;',
      'then separate limits of `ask`, `search` and `ingest`,',
      'of an `address` (unset: 10 times the first number),',
      'and of a `visitor`: an address without a key (`ALLOW_ANONYMOUS=read`)',
      'or with a publishable one (unset: the first number, or 120 if that is 0):',
      '`120,ask=20,address=600,visitor=10`',
    ].join(' '),
  ),
  trustedProxies: addressRanges
    .default([])
    .describe(
      'comma-separated addresses and ranges of proxies whose `X-Forwarded-For` is trusted (`127.0.0.1`, `10.0.0.0/8`, `loopback`); unset: none',
    ),

  // Calls.
  callsAppId: appId.describe(
    'app id at the calling service; unset, with no `CALLS_BASE_URL`: embedded call log',
  ),
  callsRegion: z
    .string()
    .refine(isRegion, 'must be a region of 2 to 8 letters, such as us, eu or in')
    .optional()
    .describe('region of `CALLS_APP_ID`, e.g. `us`, `eu` or `in`; required with it'),
  callsBaseUrl: baseUrl.describe(
    'base URL of the calling service, instead of `CALLS_APP_ID` and `CALLS_REGION`; may end in `/v3`',
  ),
  callsApiKey: platformKey.describe(
    '`apikey` sent to the calling service, never to callers; unset: each caller sends its own `apikey`',
  ),
  callsExtraParameters: extraParameters.describe(
    'comma-separated parameters that `/v3/calls` forwards unchecked; unset: none',
  ),
  callsFile: z
    .string()
    .default('./samples/calls.jsonl')
    .describe('JSON Lines file of call records for the embedded call log'),
  callsTools: offByDefault.describe(
    '`true`: the agent may look up the calls of the requesting user',
  ),
  callsTrustedKeys: textList.describe(
    'comma-separated keys of `API_KEYS` that may ask for any user (header `onBehalfOf`); unset: none',
  ),

  // Chat platform.
  chatWebhookSecret: webhookSecret.describe(
    'secret that signs `POST /api/webhooks/chat` (Standard Webhooks): `whsec_…` or any text of at least 16 bytes; unset: Basic auth with `CHAT_WEBHOOK_USER`',
  ),
  chatWebhookUser: text.describe(
    'user name (Basic auth) instead of a signature; with neither, chat webhooks are refused',
  ),
  chatWebhookPassword: text.describe('password of `CHAT_WEBHOOK_USER`; required with it'),
  chatAgentUid: uid
    .default('knowledge')
    .describe(
      "the agent's user id on the platform, 1 to 100 visible ASCII characters; its own messages are ignored",
    ),
  chatNamespace: namespaceName
    .default('default')
    .describe('namespace whose documents answer messages of the platform'),
  chatCallbackUrl: callbackUrl.describe(
    'URL that receives answers to chat webhooks; private hosts must be in `ALLOWED_URL_HOSTS`',
  ),
  chatCallbackKey: platformKey.describe(
    '`apikey` sent to `CHAT_CALLBACK_URL`, with `CHAT_AGENT_UID` as `onBehalfOf`; unset: no key',
  ),

  // Hand-off to a person.
  handoffWebhookUrl: callbackUrl.describe(
    'URL that receives questions for a person: after a refusal or on request; a private host must be in `ALLOWED_URL_HOSTS`; unset: none are sent',
  ),
  handoffWebhookSecret: webhookSecret.describe(
    'secret that signs requests to `HANDOFF_WEBHOOK_URL` (Standard Webhooks), as for chat; unset: not signed',
  ),
  handoffText: z
    .string()
    .max(maxStyleChars, `must be at most ${maxStyleChars} characters`)
    .refine((value) => problemOfMessage(value) === undefined, {
      error: ({ input }) => problemOfMessage(String(input)),
    })
    .optional()
    .describe(
      'sentence that tells users how to reach a person, added to refusals; `.messages.yaml` has it per namespace and language',
    ),
});
export type Values = z.infer<typeof settingSchema>;

/**
 * Settings whose texts may be shown: neither a secret, path, address nor free text. Numbers and
 * booleans are harmless too.
 */
export const shownTexts: ReadonlySet<string> = new Set<keyof Values>([
  ...([
    'agentMentions',
    'allowAnonymous',
    'allowedNamespaces',
    'anonymousNamespaces',
    'chatNamespace',
    'directAgentId',
  ] as const),
  ...([
    'embeddingModel',
    'answerEffort',
    'judgeModel',
    'limits',
    'llmFallbackModel',
    'llmModel',
    'logLevel',
    'pathPrefixRights',
  ] as const),
  ...(['rerankModel', 'searchEngine'] as const),
]);

export const environmentName = (field: string) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const settings: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(settingSchema.shape).map(([field, form]) => [environmentName(field), form]),
);
