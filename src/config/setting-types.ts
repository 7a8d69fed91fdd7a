/**
 * How settings are written: the forms of their values, each refusing with what would be right, and names that are nearly a setting's: a
 * key that was set under a wrong name would leave the server open, and nobody would know. Pure.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { readRights, rights } from '../rights.ts';

export const integerBetween = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

export const integer = (min: number, max: number, fallback: number) => integerBetween(min, max).default(fallback);

export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

const listOf = (isRight: (entry: string) => boolean, problem: string) => list.pipe(z.array(z.string().refine(isRight, problem)));

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** `host`, `*.host`, either with a port; IPv6 in brackets. */
const hostPattern = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
export const hostPatterns = listOf(
  (one) => hostPattern.test(one),
  'must be host patterns such as docs.example.com, *.example.com or 127.0.0.1:8080',
);

/** An address and how many of its bits count: `10.0.0.0/8`. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const loopbackRanges = ['127.0.0.0/8', '::1/128'];

/** Undefined for what is neither an address nor a range of them. */
function readAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined;
  const range = `${address}/${bits ?? (version === 4 ? 32 : 128)}`;
  if (!ipaddr.isValidCIDR(range)) return undefined;
  const [parsed, length] = ipaddr.parseCIDR(range);
  // IPv4 in IPv6 is written as IPv4: it is compared as such.
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? undefined : [parsed, length];
}

export const addressRanges = list.transform((entries, context) =>
  entries.flatMap((entry) =>
    (entry.toLowerCase() === 'loopback' ? loopbackRanges : [entry]).flatMap((text) => {
      const range = readAddressRange(text);
      const message = 'must be addresses and ranges such as 127.0.0.1, 10.0.0.0/8, fd00::/8 or loopback';
      if (!range) context.addIssue({ code: 'custom', message });
      return range ? [range] : [];
    }),
  ),
);

export const origins = listOf((one) => one === '*' || URL.parse(one)?.origin === one, 'must be origins such as https://chat.example.com');

export const namespaceName = z.string().transform((text, context) => {
  const name = toNamespaceName(text);
  if (name === undefined) context.addIssue({ code: 'custom', message: 'must be namespace names: [a-z0-9][a-z0-9._-]{0,62}' });
  return name ?? z.NEVER;
});

/** Rights as `API_KEYS` spells them. */
export const rightList = z.string().transform((text, context) => {
  const given = readRights(text.split(/[+,]/).map((word) => word.trim()));
  if (!given) context.addIssue({ code: 'custom', message: `must be a list of rights: ${rights.join('+')}` });
  return given ?? z.NEVER;
});

/** Behind the last `=` of a key: namespaces, or `*` for every one, and a list of rights. */
const limitOfKey = /^(?<key>.+)=(?:(?<namespaces>[a-z0-9][a-z0-9._+-]*)(?::(?<rights>[a-z+]*))?|\*:(?<anywhere>[a-z+]*))$/i;
/** What is nobody's key: part of a list that was torn by a comma, or one without its namespaces. */
const strayRights = new RegExp(`^(?:.*:)?(?:${rights.join('|')})(?:\\+(?:${rights.join('|')}))*$`, 'i');

const keyForms = 'KEY, KEY=ns1+ns2, KEY=ns1+ns2:read+write or KEY=*:read';

/** What is wrong with an entry of `API_KEYS`, without telling it. */
function problemOfKey(entry: string, limit: RegExpExecArray | null): string | undefined {
  // No header could carry such a key, and a list that is misread would leave the key without a limit.
  if (!/^[\x21-\x7e]*$/.test(entry)) return 'a key and what limits it are printable ASCII without white space';
  if (strayRights.test(limit ? (limit.groups?.['key'] ?? '') : entry)) return `a list of rights is no key: ${keyForms}`;
  if (/=[^=]/.test(entry) && !limit) return `behind the = of a key stands a list of namespaces: ${keyForms}`;
  return undefined;
}

/**
 * `KEY`, `KEY=ns1+ns2`, and either of `KEY=ns1+ns2:read+write` and `KEY=*:read`. A key may itself end in `=` (base64). Whatever else stands
 * behind a `=` was meant to limit the key, so it has to be such a list: read as a part of the key it would leave it without a limit.
 */
export const apiKeys = list.transform((entries, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  const keys = entries.map((entry) => {
    const limit = limitOfKey.exec(entry);
    const problem = problemOfKey(entry, limit);
    if (problem !== undefined) refuse(problem);
    const { key = entry, namespaces: names, rights: named, anywhere = named } = limit?.groups ?? {};
    const namespaces = names?.split('+').map((name) => {
      const known = toNamespaceName(name);
      if (known === undefined) refuse(`"${name}" is not a namespace name`);
      return known ?? '';
    });
    const given = anywhere === undefined ? undefined : readRights(anywhere.split('+'));
    if (anywhere !== undefined && !given) refuse(`behind the : of a key stands a list of rights: ${rights.join(', ')}`);
    return { key, namespaces, rights: given };
  });
  if (new Set(keys.map(({ key }) => key)).size < keys.length) refuse('a key stands here twice, and only one of its limits would count');
  return keys;
});

/** Below which everything is served: segments that no client writes in another way. */
export const pathPrefix = z
  .string()
  .regex(/^(?:\/[\w.~-]+)+\/?$/, 'must be a path such as /k/Zm9vYmFy, of letters, digits and . _ ~ -')
  .refine((path) => !path.split('/').some((segment) => segment === '.' || segment === '..'), 'must be without . and ..')
  .transform((path) => path.replace(/\/$/, ''));

const minSecretBytes = 16;

/**
 * The key that a webhook secret stands for: base64 after `whsec_` (Standard Webhooks), any other text as it is.
 * @returns undefined for one that is no base64, or too short to keep anybody out
 */
export function readWebhookSecret(secret: string): Buffer | undefined {
  const encoded = /^whsec_(.*)$/.exec(secret)?.[1];
  if (encoded !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  return key.length < minSecretBytes ? undefined : key;
}

/** Earlier names of a bound, which go on: what they stand for now. */
const earlierBounds: Readonly<Record<string, readonly [setting: 'LIMITS' | 'RATE_LIMIT_PER_MINUTE', name: string]>> = {
  MAX_NAMESPACES: ['LIMITS', 'namespaces'],
  MAX_DOCUMENTS_PER_NAMESPACE: ['LIMITS', 'documents'],
  MAX_NAMESPACE_BYTES: ['LIMITS', 'bytes'],
  MAX_MODEL_CALLS: ['LIMITS', 'models'],
  MAX_STREAMS: ['LIMITS', 'streams'],
  MAX_RUNNING_JOBS: ['LIMITS', 'jobs'],
  MAX_WAITING_JOBS: ['LIMITS', 'waiting'],
  MAX_THREADS: ['LIMITS', 'threads'],
  KEEP_ANSWERS: ['LIMITS', 'answers'],
  MODEL_TOKENS_PER_DAY: ['LIMITS', 'tokens'],
  MODEL_TOKENS_PER_CALLER_PER_DAY: ['LIMITS', 'callerTokens'],
  ASK_LIMIT_PER_MINUTE: ['RATE_LIMIT_PER_MINUTE', 'ask'],
  SEARCH_LIMIT_PER_MINUTE: ['RATE_LIMIT_PER_MINUTE', 'search'],
  INGEST_LIMIT_PER_MINUTE: ['RATE_LIMIT_PER_MINUTE', 'ingest'],
  ADDRESS_LIMIT_PER_MINUTE: ['RATE_LIMIT_PER_MINUTE', 'address'],
};

/** What became of a setting that there was, and the value that it had by default. */
const removed: Readonly<Record<string, readonly [now: string, usual: string]>> = {
  SHARED_RATE_LIMITS: ['each server counts for itself; a gateway in front counts over all', 'false'],
  MAX_UPLOAD_BYTES: ['it is 10 times MAX_SOURCE_BYTES', '209715200'],
  MAX_ANSWER_SENTENCES: ['it is 5', '5'],
  JWT_REQUIRE_EXP: ['every token needs exp', 'true'],
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** @returns the environment with what earlier names bound in the settings that replace them, unless these name the bound themselves */
export function withEarlierBounds(environment: Environment): Environment {
  const all: Record<string, string | undefined> = { ...environment };
  for (const [name, [setting, bound]] of Object.entries(earlierBounds)) {
    const value = environment[name]?.trim();
    const now = all[setting]?.trim();
    if (value && !now?.includes(`${bound}=`)) all[setting] = [...(now ? [now] : []), `${bound}=${value}`].join();
  }
  return all;
}

/** @returns a sentence for each earlier name that is set */
export function findEarlier(environment: Environment): string[] {
  const given = (name: string) => environment[name]?.trim();
  return [
    ...Object.entries(earlierBounds).flatMap(([name, [setting, bound]]) => {
      const usual = setting === 'LIMITS' ? 'medium' : '120';
      return given(name) ? [`${name}: the next release does not know it; set ${setting}=${usual},${bound}=${given(name)}.`] : [];
    }),
    ...Object.entries(removed).flatMap(([name, [now, usual]]) =>
      given(name) && given(name) !== usual ? [`${name}: was removed; ${now}.`] : [],
    ),
  ];
}

/** Whether it is an earlier name. */
export const isEarlier = (name: string) => Object.hasOwn(earlierBounds, name) || Object.hasOwn(removed, name);

/** Nobody else's settings are likely to begin so. */
const ourPrefixes = ['API_KEY', 'JWT_', 'ALLOWED_', 'CALLS_', 'CORS_', 'EMBEDDING_', 'KNOWLEDGE_', 'LLM_', 'RATE_LIMIT_', 'TRUSTED_PROX'];
const protectivePrefixes = ['API_KEY', 'JWT_', 'ALLOWED_', 'PATH_PREFIX'];

/** Two slips in a name of four letters make any other: `HOME` is no `HOST`. */
const maxSlips = (name: string) => (name.length < 6 ? 1 : 2);

/** Letters that one has and the other has not: at most as many as were left out, put in or replaced, none where they were swapped (bag distance). */
export function slipsBetween(a: string, b: string): number {
  const rest = [...a].reduce((left, letter) => left.replace(letter, ''), b);
  return Math.max(a.length, b.length) - (b.length - rest.length);
}

/**
 * @param known names of the settings that there are
 * @returns of each a sentence for an operator, with the right name and never the value, and whether it would have kept somebody out
 */
export function findMisspelt(names: readonly string[], known: readonly string[]) {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const upper = name.toUpperCase();
    const guesses = known.map((one) => ({ name: one, slips: slipsBetween(upper, one) })).sort((a, b) => a.slips - b.slips);
    const best = guesses[0] ?? { name: '', slips: Number.POSITIVE_INFINITY };
    const isNear = best.slips <= maxSlips(best.name);
    const prefix = ourPrefixes.find((one) => upper.startsWith(one));
    if (!isNear && prefix === undefined) return [];
    const meant = isNear ? [best.name, upper] : [upper];
    const alike = known.filter((one) => prefix !== undefined && one.startsWith(prefix));
    const advice = isNear ? `did you mean ${best.name}?` : `there are ${alike.join(', ')}.`;
    const isProtective = meant.some((one) => protectivePrefixes.some((start) => one.startsWith(start)));
    return { name, problem: `${name}: is no setting of this server; ${advice}`, isProtective };
  });
}
