/**
 * Value types of settings, earlier names, and detection of misspelled names: a misspelled
 * `API_KEYS` would leave the server open. Pure.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { readRights, rights } from '../rights.ts';

export const integerBetween = (min: number, max: number) => {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, problem)
    .transform(Number)
    .pipe(z.number().min(min, problem).max(max, problem));
};

export const integer = (min: number, max: number, fallback: number) =>
  integerBetween(min, max).default(fallback);

export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

export const textThat = (isValid: (text: string) => boolean, problem: string) =>
  z.string().refine(isValid, problem);
export const checkedList = (isValid: (entry: string) => boolean, problem: string) =>
  list.pipe(z.array(textThat(isValid, problem)));

/** A text that `read` understands; otherwise it returns undefined. */
const readAs = <Value extends string | readonly string[]>(
  read: (text: string) => Value | undefined,
  message: string,
) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value === undefined) context.addIssue({ code: 'custom', message });
    return value ?? z.NEVER;
  });

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an http:// or https:// URL, such as https://example.com',
});

/** `host` or `*.host`, optionally with a port; IPv6 in brackets. */
const hostPattern =
  /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
export const hostPatterns = checkedList(
  (one) => hostPattern.test(one),
  'must be a host such as docs.example.com, *.example.com or 127.0.0.1:8080',
);

/** An address and its prefix length in bits: `10.0.0.0/8`. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function readAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined;
  const range = `${address}/${bits ?? (version === 4 ? 32 : 128)}`;
  if (!ipaddr.isValidCIDR(range)) return undefined;
  const [parsed, length] = ipaddr.parseCIDR(range);
  // IPv4-mapped IPv6 is refused: client addresses are compared as IPv4.
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? undefined
    : [parsed, length];
}

export const addressRanges = list.transform((entries, context) =>
  entries.flatMap((entry, index) =>
    (/^loopback$/i.test(entry) ? ['127.0.0.0/8', '::1/128'] : [entry]).flatMap((text) => {
      const range = readAddressRange(text);
      if (range) return [range];
      const message =
        'must be an address or range such as 127.0.0.1, 10.0.0.0/8, fd00::/8 or loopback';
      context.addIssue({ code: 'custom', message, path: [index] });
      return [];
    }),
  ),
);

export const origins = checkedList(
  (one) => one === '*' || URL.parse(one)?.origin === one,
  'must be an origin such as https://chat.example.com, or *',
);

export const namespaceName = readAs(
  toNamespaceName,
  'must be a namespace name such as docs or hr-2026 ([a-z0-9][a-z0-9._-]{0,62})',
);

export const rightList = readAs(
  (text) => readRights(text.split(/[+,]/).map((word) => word.trim())),
  `must be one or more of ${rights.join(', ')}, such as read+calls`,
);

/** `KEY=namespaces:rights`; `*` means all namespaces. */
const keyWithLimit =
  /^(?<key>.+)=(?:(?<namespaces>[a-z0-9][a-z0-9._+-]*)(?::(?<rights>[a-z+]*))?|\*:(?<anywhere>[a-z+]*))$/i;
/**
 * Matches entries without a key: part of a rights list that was split at a comma, or a list without
 * namespaces.
 */
const strayRights = new RegExp(
  `^(?:.*:)?(?:${rights.join('|')})(?:\\+(?:${rights.join('|')}))*$`,
  'i',
);

const keyForms = 'KEY, KEY=ns1+ns2, KEY=ns1+ns2:read+write or KEY=*:read';

/** Returns the problem of an `API_KEYS` entry without repeating the entry. */
function findKeyProblem(entry: string, limit: RegExpExecArray | null) {
  // HTTP headers cannot carry other characters, and a misread limit would give the key every right.
  if (!/^[\x21-\x7e]*$/.test(entry))
    return 'keys and limits must be visible ASCII characters without white space';
  if (strayRights.test(limit ? (limit.groups?.['key'] ?? '') : entry))
    return `an entry has rights but no key; write ${keyForms}`;
  if (/=[^=]/.test(entry) && !limit)
    return `the limit after the = of a key is invalid; write ${keyForms}`;
  return undefined;
}

/**
 * `KEY`, `KEY=ns1+ns2`, `KEY=ns1+ns2:read+write` or `KEY=*:read`. A key may end in `=` (base64).
 * Any other text after `=` must be a valid limit: as part of the key it would leave the key
 * unlimited.
 */
export const apiKeys = list.transform((entries, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  if (entries.length === 0) refuse(`has no key; write ${keyForms}`);
  const keys = entries.map((entry) => {
    const limit = keyWithLimit.exec(entry);
    const problem = findKeyProblem(entry, limit);
    if (problem !== undefined) refuse(problem);
    const { key = entry, namespaces: names, rights: named, anywhere = named } = limit?.groups ?? {};
    const namespaces = names?.split('+').map((name) => {
      const known = toNamespaceName(name);
      if (known === undefined)
        refuse(
          `"${name}" in the limit of a key is not a namespace name; write a name such as docs`,
        );
      return known ?? '';
    });
    const given = anywhere === undefined ? undefined : readRights(anywhere.split('+'));
    if (anywhere !== undefined && !given)
      refuse(`the rights of a key must be one or more of ${rights.join(', ')}, such as read+write`);
    return { key, namespaces, rights: given };
  });
  if (new Set(keys.map(({ key }) => key)).size < keys.length)
    refuse('a key is listed twice; remove one of the entries');
  return keys;
});

/** Only characters that clients do not percent-encode. */
export const pathPrefix = z
  .string()
  .regex(
    /^(?:\/[\w.~-]+)+\/?$/,
    'must be a path such as /k/Zm9vYmFy with letters, digits and . _ ~ - only',
  )
  .refine(
    (path) => !path.split('/').some((segment) => segment === '.' || segment === '..'),
    'must be a path without the segments . and ..',
  )
  .transform((path) => path.replace(/\/$/, ''));

const minSecretBytes = 16;

/**
 * Returns the signing key: decoded base64 after `whsec_` (Standard Webhooks), or the text itself.
 * @returns undefined if the base64 is invalid or the key has less than 16 bytes
 */
export function readWebhookSecret(secret = ''): Buffer | undefined {
  const encoded = /^whsec_(.*)$/.exec(secret)?.[1];
  if (encoded !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  return key.length < minSecretBytes ? undefined : key;
}

/** What replaces removed settings. */
const replacements = {
  LIMITS: [
    ...['MAX_NAMESPACES', 'MAX_DOCUMENTS_PER_NAMESPACE', 'MAX_NAMESPACE_BYTES', 'MAX_MODEL_CALLS'],
    ...['MAX_STREAMS', 'MAX_RUNNING_JOBS', 'MAX_WAITING_JOBS', 'MAX_THREADS', 'KEEP_ANSWERS'],
    ...['MODEL_TOKENS_PER_DAY', 'MODEL_TOKENS_PER_CALLER_PER_DAY'],
  ],
  RATE_LIMIT_PER_MINUTE: ['ASK', 'SEARCH', 'INGEST', 'ADDRESS'].map(
    (work) => `${work}_LIMIT_PER_MINUTE`,
  ),
  'a gateway for a shared limit': ['SHARED_RATE_LIMITS'],
  'MAX_SOURCE_BYTES (an upload may have ten times that)': ['MAX_UPLOAD_BYTES'],
  'a maximum of 5 sentences': ['MAX_ANSWER_SENTENCES'],
  ANSWER_EFFORT: ['SECOND_SEARCH'],
  'exp in every token': ['JWT_REQUIRE_EXP'],
  'several servers (docs/operate.md#several-servers)': ['WORKERS'],
  'the calling service or CALLS_FILE': ['CALLS_WEBHOOK_USER', 'CALLS_WEBHOOK_PASSWORD'],
  'any user name with CHAT_WEBHOOK_PASSWORD': ['CHAT_WEBHOOK_USER'],
  'LLM_FALLBACK_MODEL=extractive': ['DEGRADED_ANSWERS'],
  'LLM_FALLBACK_BASE_URL=https://:KEY@host/v1': ['LLM_FALLBACK_API_KEY'],
  'RERANK_BASE_URL=https://:KEY@host/v2': ['RERANK_API_KEY'],
  'GET /api/answers?state=stale': ['DRIFT_WEBHOOK_URL', 'DRIFT_WEBHOOK_SECRET'],
};
const removed = new Map(
  Object.entries(replacements).flatMap(([now, names]) => names.map((name) => [name, now] as const)),
);

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a warning for each removed setting in the environment. */
export const findRemoved = (environment: Environment): string[] =>
  [...removed].flatMap(([name, now]) =>
    environment[name]?.trim() ? `${name}: no longer has an effect; use ${now}.` : [],
  );

export const isRemoved = (name: string) => removed.has(name);

/** Prefixes that other programs are unlikely to use. */
const ourPrefix =
  /^(?:API_KEY|JWT_|ALLOWED_|CALLS_|CORS_|EMBEDDING_|KNOWLEDGE_|LLM_|RATE_LIMIT_|TRUSTED_PROX)/;
const protectivePrefix = /^(?:API_KEY|JWT_|ALLOWED_|PATH_PREFIX)/;

/** Bag distance: a lower bound of the edit distance that ignores the order of letters. */
export function bagDistance(a: string, b: string): number {
  const rest = [...a].reduce((left, letter) => left.replace(letter, ''), b);
  return Math.max(a.length, b.length) - (b.length - rest.length);
}

/** `isProtective`: the setting would have restricted access. `problem` never contains the value. */
export function findMisspelt(names: readonly string[], known: readonly string[]) {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const upper = name.toUpperCase();
    const guesses = known
      .map((one) => ({ name: one, distance: bagDistance(upper, one) }))
      .sort((a, b) => a.distance - b.distance);
    const best = guesses[0] ?? { name: '', distance: Number.POSITIVE_INFINITY };
    // `HOME` and `HOST` have distance 2, so short names allow only 1.
    const isNear = best.distance <= (best.name.length < 6 ? 1 : 2);
    const prefix = ourPrefix.exec(upper)?.[0];
    if (!isNear && prefix === undefined) return [];
    const meant = isNear ? [best.name, upper] : [upper];
    const alike = known.filter((one) => prefix !== undefined && one.startsWith(prefix));
    const advice = isNear ? `did you mean ${best.name}?` : `similar settings: ${alike.join(', ')}.`;
    const isProtective = meant.some((one) => protectivePrefix.test(one));
    return { name, problem: `${name}: unknown setting; ${advice}`, isProtective };
  });
}
