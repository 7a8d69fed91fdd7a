/**
 * How settings are written: the forms of their values, each refusing with what would be right, and names that are nearly a setting's: a
 * key that was set under a wrong name would leave the server open, and nobody would know. Pure.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { toNamespaceName } from './documents/namespace-name.ts';
import { readRights, rights } from './rights.ts';

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

/** The key of a webhook secret: base64 after `whsec_` (Standard Webhooks), any other text as it is. @returns undefined if wrong or short */
export function readWebhookSecret(secret: string): Buffer | undefined {
  const encoded = /^whsec_(.*)$/.exec(secret)?.[1];
  if (encoded !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  return key.length < minSecretBytes ? undefined : key;
}

const secretRule = 'must be whsec_ and base64, or a text of 16 or more characters';

/** `user:password` of Basic auth. */
const login = /^([^\s:]+):(.+)$/s;
export const webhookLogin = z.string().transform((text, context) => {
  const [, user = '', password = ''] = login.exec(text) ?? [];
  if (user === '') context.addIssue({ code: 'custom', message: 'must be user:password' });
  return { user, password };
});

/** A secret of signatures, a login of Basic auth, or both with a blank between them. A secret with a `:` or a blank is written as `whsec_…`. */
export const webhookAuth = z.string().transform((text, context) => {
  const [, word, rest] = /^([^\s:]+)(?:\s+(.*))?$/s.exec(text) ?? [undefined, undefined, text];
  const [, user, password = ''] = login.exec(rest ?? '') ?? [];
  const secret = word === undefined ? undefined : readWebhookSecret(word);
  if (word !== undefined && !secret) context.addIssue({ code: 'custom', message: `a secret ${secretRule}` });
  if (rest !== undefined && user === undefined) context.addIssue({ code: 'custom', message: 'must be a secret, user:password, or both' });
  return { secret, basic: user === undefined ? undefined : { user, password }, texts: [word ?? '', password] };
});

const withoutUser = httpUrl.refine((url) => !URL.parse(url)?.username && !URL.parse(url)?.password, 'must be without user and password');
/** An address, and what stands behind a blank. */
const addressed = z.string().transform((text, context) => {
  const [, address = '', behind] = /^(\S+)(?:\s+(.+))?$/s.exec(text) ?? [];
  const url = withoutUser.safeParse(address);
  for (const { message } of url.error?.issues ?? []) context.addIssue({ code: 'custom', message });
  return { url: address, behind };
});
export const callbackWithKey = addressed.transform(({ url, behind: key }, context) => {
  if (key !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(key))
    context.addIssue({ code: 'custom', message: 'a key must be visible ASCII characters' });
  return { url, key };
});
export const signedWebhook = addressed.transform(({ url, behind: text }, context) => {
  const key = text === undefined ? undefined : readWebhookSecret(text);
  if (text !== undefined && !key) context.addIssue({ code: 'custom', message: `a secret ${secretRule}` });
  return { url, key, text };
});

/** In `LLM_FALLBACK_MODEL`. */
const builtIn = 'extractive';

/** `NAME`, `NAME URL`, `NAME KEY` or `NAME URL KEY`; `extractive` alone or last. */
export const fallbackModel = z
  .string()
  .transform((text, context) => {
    const words = text.split(/[\s,]+/);
    const isExtractive = words.at(-1) === builtIn;
    const [model, ...more] = isExtractive ? words.slice(0, -1) : words;
    const baseUrl = more[0] !== undefined && httpUrl.safeParse(more[0]).success ? more.shift() : undefined;
    if (more.length > 1) context.addIssue({ code: 'custom', message: `must be NAME, NAME URL or NAME URL KEY, and ${builtIn} behind it` });
    return { model, baseUrl, apiKey: more[0], isExtractive };
  })
  .optional();

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

/** Earlier names of a part of a setting, which go on for one more release: the setting that replaces them. */
const earlierParts: Readonly<Record<string, string>> = {
  LLM_FALLBACK_BASE_URL: 'LLM_FALLBACK_MODEL=NAME URL KEY',
  LLM_FALLBACK_API_KEY: 'LLM_FALLBACK_MODEL=NAME URL KEY',
  DEGRADED_ANSWERS: 'LLM_FALLBACK_MODEL=extractive',
  CALLS_WEBHOOK_USER: 'CALLS_WEBHOOK_LOGIN=USER:PASSWORD',
  CALLS_WEBHOOK_PASSWORD: 'CALLS_WEBHOOK_LOGIN=USER:PASSWORD',
  CHAT_WEBHOOK_SECRET: 'CHAT_WEBHOOK_AUTH=SECRET',
  CHAT_WEBHOOK_USER: 'CHAT_WEBHOOK_AUTH=USER:PASSWORD',
  CHAT_WEBHOOK_PASSWORD: 'CHAT_WEBHOOK_AUTH=USER:PASSWORD',
  CHAT_CALLBACK_KEY: 'CHAT_CALLBACK_URL=URL KEY',
  CHAT_AGENT_UID: 'AGENT_MENTIONS=@agent,<@uid:UID>',
  DRIFT_WEBHOOK_SECRET: 'DRIFT_WEBHOOK_URL=URL SECRET',
};

type Given = Readonly<Record<string, string | undefined>>;

/** A secret that the forms above would take apart, in the form that they leave whole. */
const wholeSecret = (text: string | undefined) =>
  text !== undefined && /[\s:]/.test(text) ? `whsec_${Buffer.from(text).toString('base64')}` : text;

/** @returns the environment with what earlier names say in the settings that replace them, and what is wrong between earlier names */
export function withEarlier(environment: Given) {
  const all: Record<string, string | undefined> = { ...environment };
  const problems: string[] = [];
  const of = (name: string) => environment[name]?.trim() || undefined;
  for (const [name, [setting, bound]] of Object.entries(earlierBounds)) {
    const now = all[setting]?.trim();
    if (of(name) && !now?.includes(`${bound}=`)) all[setting] = [...(now ? [now] : []), `${bound}=${of(name)}`].join();
  }
  const add = (name: string, ...parts: readonly (string | undefined)[]) => {
    const given = [of(name), ...parts].filter((part) => part !== undefined);
    if (given.length > 0) all[name] = given.join(' ');
  };
  /** Whether the first is there, without which the others say nothing. */
  const needs = (name: string, ...others: readonly string[]) => {
    const alone = of(name) === undefined ? others.filter((other) => of(other) !== undefined) : [];
    problems.push(...alone.map((other) => `${other}: needs ${name}`));
    return alone.length === 0;
  };
  if (needs('LLM_FALLBACK_MODEL', 'LLM_FALLBACK_BASE_URL', 'LLM_FALLBACK_API_KEY'))
    add(
      'LLM_FALLBACK_MODEL',
      of('LLM_FALLBACK_BASE_URL'),
      of('LLM_FALLBACK_API_KEY'),
      /^(?:true|1|yes|on|y|enabled)$/i.test(of('DEGRADED_ANSWERS') ?? '') ? builtIn : undefined,
    );
  const loginOf = (kind: string) => {
    const [user, password] = [`${kind}_WEBHOOK_USER`, `${kind}_WEBHOOK_PASSWORD`];
    return needs(user, password) && needs(password, user) && of(user) ? `${of(user)}:${of(password)}` : undefined;
  };
  if (of('CALLS_WEBHOOK_LOGIN') === undefined) add('CALLS_WEBHOOK_LOGIN', loginOf('CALLS'));
  if (of('CHAT_WEBHOOK_AUTH') === undefined) add('CHAT_WEBHOOK_AUTH', wholeSecret(of('CHAT_WEBHOOK_SECRET')), loginOf('CHAT'));
  if (of('CHAT_CALLBACK_URL') !== undefined) add('CHAT_CALLBACK_URL', of('CHAT_CALLBACK_KEY'));
  if (needs('DRIFT_WEBHOOK_URL', 'DRIFT_WEBHOOK_SECRET')) add('DRIFT_WEBHOOK_URL', of('DRIFT_WEBHOOK_SECRET'));
  return { environment: all, problems };
}

/** @returns a sentence for each earlier name that is set */
export function findEarlier(environment: Given): string[] {
  const given = (name: string) => environment[name]?.trim();
  return [
    ...Object.entries(earlierBounds).flatMap(([name, [setting, bound]]) => {
      const usual = setting === 'LIMITS' ? 'medium' : '120';
      return given(name) ? [`${name}: the next release does not know it; set ${setting}=${usual},${bound}=${given(name)}.`] : [];
    }),
    ...Object.entries(earlierParts).flatMap(([name, now]) =>
      given(name) ? [`${name}: the next release does not know it; set ${now}.`] : [],
    ),
    ...Object.entries(removed).flatMap(([name, [now, usual]]) =>
      given(name) && given(name) !== usual ? [`${name}: was removed; ${now}.`] : [],
    ),
  ];
}

export const isEarlier = (name: string) => [earlierBounds, earlierParts, removed].some((names) => Object.hasOwn(names, name));

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

/** @returns for each a sentence with the right name and never the value, and whether the setting would have protected the server */
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
