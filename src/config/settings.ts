/**
 * All settings; `maxBodyBytes` is `MAX_BODY_BYTES` in the environment. Their output is the
 * configuration. Each setting is checked here, combinations in `rules.ts`. `npm run docs` writes
 * `.env.example` and docs/settings.md from the descriptions. Pure.
 */
import { z } from 'zod';
import { isExtraParameter } from '../../packages/calls/src/types.ts';
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { handOffReasons, problemOfMessage } from '../documents/messages-file.ts';
import { defaultPerMinute, readLimits, readRates } from './limits.ts';
import {
  addressRanges,
  apiKeys,
  checkedList,
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
  textThat,
} from './setting-types.ts';
import '../issues.ts';

const oneMebibyte = 1024 * 1024;
const maxStyleChars = 500;
const text = z.string().optional();
const textList = list.default([]);
/** `read` returns an error message for invalid text. */
const readBy = <Value extends object>(read: (text: string) => Value | string, fallback: string) =>
  z
    .string()
    .transform((value, context) => {
      const found = read(value);
      if (typeof found !== 'string') return found;
      context.addIssue({ code: 'custom', message: found });
      return z.NEVER;
    })
    .prefault(fallback);
const boolean = z.stringbool({ error: 'must be true or false' });
const onOff = z.stringbool({
  truthy: ['on', 'true'],
  falsy: ['off', 'false'],
  error: 'must be on or off',
});
const namespaceNames = list
  .pipe(z.array(namespaceName).min(1, 'must name a namespace such as docs'))
  .optional();
const mentions = list
  .pipe(z.array(z.string()).min(1, 'must have at least one mention such as @agent'))
  .default(['@agent']);
/** In `LLM_FALLBACK_MODEL`: quotations instead of a model. */
export const quotations = 'extractive';
const fallbacks = list
  .refine(
    (names) => names.filter((name) => name !== quotations).length <= 1,
    `must be a model, ${quotations}, or both`,
  )
  .optional();
const extraParameters = checkedList(
  isExtraParameter,
  'must be the name of a query parameter; keys, tokens and onBehalfOf are not allowed',
).default([]);
const appId = textThat(isAppId, 'must be 1 to 63 letters and digits, such as 24a1b2c3').optional();
const baseUrl = httpUrl
  .refine(isBaseUrl, 'must not have a user, a query or a fragment: https://example.com/path')
  .optional();
const platformKey = textThat(
  isApiKey,
  'must be visible ASCII characters without white space',
).optional();
const uid = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters without white space');
const callbackUrl = httpUrl
  .refine(
    (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
    'must not have a user or password: https://example.com/path',
  )
  .optional();
const optionalUrl = httpUrl.optional();
const sentence = z.string().max(maxStyleChars, `must be at most ${maxStyleChars} characters`);
const databaseUrl = textThat(
  (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
  'must be a URL such as postgres://user:password@host/database',
).optional();
/** RFC 7518, section 3.2: an HS256 key has at least 256 bits. */
const jwtSecret = textThat(
  (secret) => Buffer.byteLength(secret) >= 32,
  'must have at least 32 bytes: `openssl rand -base64 32` prints such a secret',
).optional();
const webhookSecret = textThat(
  (secret) => readWebhookSecret(secret) !== undefined,
  'must be whsec_ followed by base64, or a text, of at least 16 bytes: `openssl rand -base64 32` prints such a secret',
).optional();

export const settingSchema = z.object({
  // Server.
  host: z
    .string()
    .default('127.0.0.1')
    .describe(
      'address to listen on; other than loopback it needs keys, a JWT setting or `ALLOW_ANONYMOUS=true`',
    ),
  port: integer(0, 65535, 4111).describe('port to listen on; 0 picks a free port'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe(
      'lowest level to log: `trace`, `debug`, `info`, `warn`, `error` or `silent`, which also omits audit lines',
    ),
  otelExporterOtlpEndpoint: baseUrl.describe(
    'OpenTelemetry collector (OTLP over HTTP), e.g. `http://127.0.0.1:4318`; headers: `OTEL_EXPORTER_OTLP_HEADERS`',
  ),
  shutdownDelay: integer(0, 600, 0).describe('seconds from SIGTERM until requests are refused'),
  shutdownSeconds: integer(0, 3600, 30).describe('seconds that running requests then have'),

  // Storage and sources.
  knowledgeDir: z
    .string()
    .default('./knowledge')
    .describe('folder of the documents, one folder a namespace'),
  stateDir: text.describe(
    'folder of data that the server cannot rebuild: back it up; unset: `INDEX_DIR` if set, else `./.data`',
  ),
  indexDir: text.describe('folder of what the server can rebuild; unset: `STATE_DIR/index`'),
  databaseUrl: databaseUrl.describe(
    '`postgres://user:password@host/database`: documents and state in PostgreSQL, shared by all servers; `KNOWLEDGE_DIR` becomes a copy',
  ),
  maxMirrorAge: integerBetween(1, 31_536_000)
    .optional()
    .describe('seconds without the database after which `/ready` is 503; unset: no limit'),
  searchEngine: z
    .enum(['memory'])
    .default('memory')
    .describe('`memory`: each server searches words in its memory'),
  allowedNamespaces: namespaceNames.describe(
    'the only namespaces; unset: any name `[a-z0-9][a-z0-9._-]{0,62}`, case-insensitive',
  ),
  allowedUrlHosts: hostPatterns
    .optional()
    .describe(
      'hosts that URLs may point to, also private ones (`docs.example.com`, `*.example.com`, `127.0.0.1:8080`); unset: any public host',
    ),
  allowedFileRoots: textList.describe('folders that file sources may be in; unset: none'),

  publicUrl: optionalUrl.describe(
    'public URL, e.g. `https://agent.example.com`; unset: that of each request',
  ),
  pathPrefix: pathPrefix
    .optional()
    .describe('secret path, e.g. `/k/Zm9vYmFy…`, for platforms that cannot send headers'),
  pathPrefixRights: rightList
    .optional()
    .describe(
      'rights without a key below it, e.g. `read+calls`; unset: `read`, or none on a server with keys',
    ),

  // Models.
  llmApiKey: text.describe(
    'key of the model provider; unset, without `LLM_BASE_URL`: answers are quotations',
  ),
  llmBaseUrl: httpUrl
    .default('https://api.openai.com/v1')
    .describe('OpenAI-compatible endpoint; enough without a key if it needs none'),
  llmModel: z
    .string()
    .default('gpt-5.4-mini')
    .describe(
      "model name; without `LLM_BASE_URL` also `provider/model` of Mastra's router, with the provider's own key variable",
    ),
  embeddingModel: text.describe(
    'model for search by meaning, named as `LLM_MODEL`; unset: words only',
  ),
  embeddingBaseUrl: optionalUrl.describe('its endpoint; unset: `LLM_BASE_URL`'),
  embeddingApiKey: text.describe('its key; unset: `LLM_API_KEY` at the same endpoint'),
  rerankModel: text.describe(
    'model of a `/rerank` endpoint (Cohere, Jina, local runners) that orders the passages found',
  ),
  rerankBaseUrl: optionalUrl.describe(
    'its endpoint, without `/rerank`, with its key: `https://:KEY@host/v2`; unset: `LLM_BASE_URL`',
  ),
  llmMaxTokens: integer(0, 1_000_000, 4_000).describe(
    'maximum tokens per reply, reasoning included; 0: no limit',
  ),
  llmContextTokens: integer(2_048, 1_000_000, 8_192).describe(
    'longest prompt; for a local model, what it was started with',
  ),
  llmPurposeHeader: onOff
    .default(true)
    .describe('`off`: requests to models lack the header `x-knowledge-purpose`'),
  answerEffort: z
    .enum(['thorough', 'quick'])
    .default('thorough')
    .describe(
      '`thorough`: a model checks each sentence, up to five requests an answer; `quick`: one request, rules check',
    ),
  judgeModel: text
    .default('same')
    .describe('model that checks: `same` (`LLM_MODEL`), a name, or `off` (only rules)'),
  judgeProbe: onOff.default(true).describe('`off`: the model checks without proving that it can'),
  judgeBaseUrl: optionalUrl.describe('its endpoint; unset: `LLM_BASE_URL`'),
  judgeApiKey: text.describe('its key; unset: `LLM_API_KEY` at the same endpoint'),
  llmFallbackModel: fallbacks.describe(
    'model to use if `LLM_MODEL` fails, then `extractive`: documents are quoted, marked `degraded`',
  ),
  llmFallbackBaseUrl: optionalUrl.describe(
    'its endpoint, with its key: `https://:KEY@host/v1`; unset: `LLM_BASE_URL`',
  ),
  llmFirstTokenSeconds: integer(1, 600, 20).describe('seconds until the first token'),
  llmStallSeconds: integer(1, 600, 10).describe('seconds between two parts of a reply'),

  // Agent.
  agentMentions: mentions.describe(
    'mentions that address the agent, e.g. `@agent,<@uid:knowledge>`',
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
      'id of a second agent that needs no mention, for one-to-one chats, e.g. `knowledge-direct`',
    ),
  requireMention: boolean
    .default(true)
    .describe('`false`: every message is answered; `true`: the endpoint decides (docs/clients.md)'),
  answerStyle: sentence
    .optional()
    .describe(
      `style of the model's answers, at most ${maxStyleChars} characters, e.g. "friendly, formal address in German"`,
    ),

  // Access.
  apiKeys: apiKeys
    .default([])
    .describe(
      [
        'keys for `Authorization: Bearer KEY` or `x-api-key: KEY`; limited to namespaces and rights:',
        '`KEY=ns1+ns2`, `KEY=ns1+ns2:read+write`, `KEY=*:read` (docs/secure.md)',
      ].join(' '),
    ),
  apiKeysFile: text.describe('file of hashed keys, written by the command `keys`'),
  jwtJwksUrl: optionalUrl.describe('keys (JWKS) that verify bearer JWTs'),
  jwtSecret: jwtSecret.describe(
    'secret that verifies them (HS256/384/512), at least 32 random bytes',
  ),
  jwtIssuer: text.describe('required claim `iss`'),
  jwtAudience: text.describe('required claim `aud`'),
  allowAnonymous: z
    .union([z.literal('read'), boolean], 'must be true, false or read')
    .default(false)
    .describe(
      '`true`: serve a public `HOST` without authentication; `read`: callers without a key may ask and search in `ANONYMOUS_NAMESPACES`',
    ),
  anonymousNamespaces: namespaceNames.describe('required with `ALLOW_ANONYMOUS=read`'),
  anonymousTokensPerDay: integer(0, 1_000_000_000_000, 500_000).describe(
    'model tokens per day (UTC) of all callers without a key or with publishable keys; 0: no limit',
  ),
  allowedHosts: hostPatterns
    .default([])
    .describe(
      'host names that a server without authentication accepts besides loopback and `HOST`',
    ),
  allowedFrameAncestors: origins.default([]).describe('origins that may show the page in a frame'),
  corsOrigins: origins.default([]).describe('other origins that browsers may call from, or `*`'),

  // Limits.
  maxBodyBytes: integer(1024, 1024 * oneMebibyte, oneMebibyte).describe(
    'maximum bytes of a request body',
  ),
  maxSourceBytes: integer(1024, 1024 * oneMebibyte, 20 * oneMebibyte).describe(
    'maximum bytes of a decompressed source',
  ),
  limits: readBy(readLimits, 'medium').describe(
    '`small` (for 1 GB of memory), `medium` or `large`, then single ones: `medium,streams=200,answers=0` (docs/operate.md#limits)',
  ),
  rateLimitPerMinute: readBy(readRates, defaultPerMinute).describe(
    [
      'requests per caller per minute, 0: no limit;',
      'then `ask`, `search`, `ingest`, `address` (unset: 10 times the first number) and `visitor`',
      '(unset: the first number, or 120): `120,ask=20,address=600,visitor=10` (docs/operate.md#limits)',
    ].join(' '),
  ),
  trustedProxies: addressRanges
    .default([])
    .describe('proxies whose `X-Forwarded-For` is trusted (`127.0.0.1`, `10.0.0.0/8`, `loopback`)'),

  // Calls.
  callsAppId: appId.describe(
    'app id at the calling service; unset, without `CALLS_BASE_URL`: embedded call log',
  ),
  callsRegion: textThat(isRegion, 'must be a region of 2 to 8 letters, such as us, eu or in')
    .optional()
    .describe('its region, e.g. `us`, `eu` or `in`'),
  callsBaseUrl: baseUrl.describe(
    'base URL of the calling service, instead of both; may end in `/v3`',
  ),
  callsApiKey: platformKey.describe(
    '`apikey` sent to the calling service; unset: that of each caller',
  ),
  callsExtraParameters: extraParameters.describe('parameters that `/v3/calls` forwards unchecked'),
  callsFile: z
    .string()
    .default('./samples/calls.jsonl')
    .describe('JSON Lines file of the embedded call log'),
  callsTools: boolean
    .default(false)
    .describe('`true`: the agent may look up the calls of the requesting user'),
  callsTrustedKeys: textList.describe(
    'keys of `API_KEYS` that may ask for any user (header `onBehalfOf`)',
  ),

  // Chat platform.
  chatWebhookSecret: webhookSecret.describe(
    'secret that signs `POST /api/webhooks/chat` (Standard Webhooks): `whsec_…` or any text of at least 16 bytes',
  ),
  chatWebhookPassword: text.describe(
    'password (Basic auth, any user name) instead of a signature; with neither, webhooks are refused',
  ),
  chatAgentUid: uid
    .default('knowledge')
    .describe("the agent's user id on the platform; its own messages are ignored"),
  chatNamespace: namespaceName.default('default').describe('namespace that answers the platform'),
  chatCallbackUrl: callbackUrl.describe(
    'URL that receives the answers; private hosts must be in `ALLOWED_URL_HOSTS`',
  ),
  chatCallbackKey: platformKey.describe(
    '`apikey` sent to it, with `CHAT_AGENT_UID` as `onBehalfOf`',
  ),

  // Hand-off to a person.
  handoffWebhookUrl: callbackUrl.describe(
    'URL that receives questions for a person; private hosts must be in `ALLOWED_URL_HOSTS`',
  ),
  handoffWebhookSecret: webhookSecret.describe(
    'secret that signs them, as for chat; unset: not signed',
  ),
  handoffOn: list
    .pipe(z.array(z.enum(handOffReasons, { error: `must be among ${handOffReasons.join(', ')}` })))
    .default(['refusal', 'asked'])
    .describe(
      'when they are sent: `refusal`, `closest` (two such answers in a row), `unhelpful` (a rating), `asked` (for a person)',
    ),
  draftHours: integer(0, 720, 24).describe(
    "hours after a hand-off in which a person's reply in its thread becomes a draft answer; 0: never",
  ),
  handoffText: sentence
    .refine((value) => problemOfMessage(value) === undefined, {
      error: ({ input }) => problemOfMessage(String(input)),
    })
    .optional()
    .describe(
      'sentence below refusals that tells how to reach a person (by namespace and language: `.messages.yaml`)',
    ),
});
type Settings = z.output<typeof settingSchema>;

/** Settings that passed their own check. A missing one is unset or invalid. */
export type ValidSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

/**
 * Settings whose texts may be shown: neither a secret, path, address nor free text. Numbers and
 * booleans are harmless too.
 */
export const shownTexts: ReadonlySet<string> = new Set<keyof Settings>([
  'agentMentions',
  'allowAnonymous',
  'allowedNamespaces',
  'anonymousNamespaces',
  'answerEffort',
  'chatNamespace',
  'directAgentId',
  'embeddingModel',
  'handoffOn',
  'judgeModel',
  'limits',
  'llmFallbackModel',
  'llmModel',
  'logLevel',
  'pathPrefixRights',
  'rateLimitPerMinute',
  'rerankModel',
  'searchEngine',
]);

export const environmentName = (field: string) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const settings: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(settingSchema.shape).map(([field, form]) => [environmentName(field), form]),
);
