/** Combinations of settings: invalid ones, and ones that are worth a warning. */
import { createRequire } from 'node:module';
import { optionalPackages } from '../package.ts';
import { isAuthenticated, isLoopback, takesChatWebhooks, usesJwt } from './access.ts';
import { sameModel } from './models.ts';
import { environmentName, type ValidSettings } from './settings.ts';

/**
 * Checks a combination of settings. @param given fields that are set @returns a message or false
 */
type Rule = (value: ValidSettings, given: ReadonlySet<string>) => string | false;

const requireFor =
  (needed: keyof ValidSettings, one: keyof ValidSettings): Rule =>
  (_, given) =>
    given.has(one) &&
    !given.has(needed) &&
    `${environmentName(one)}: needs ${environmentName(needed)}; set it, or remove ${environmentName(one)}`;

const { resolve } = createRequire(import.meta.url);

export function isInstalled(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** @param names matches the names of the optional packages that the setting needs */
const requirePackages =
  (setting: keyof ValidSettings, names: RegExp): Rule =>
  (value) => {
    if (value[setting] === undefined) return false;
    const missing = Object.keys(optionalPackages).filter(
      (name) => names.test(name) && !isInstalled(name),
    );
    const versions = missing.map((name) => `${name}@${optionalPackages[name]}`);
    const what = `${missing.length === 1 ? 'the package' : 'the packages'} ${missing.join(', ')}`;
    return (
      missing.length > 0 &&
      `${environmentName(setting)}: needs ${what}; run npm install ${versions.join(' ')}`
    );
  };

export const rules: readonly Rule[] = [
  requirePackages('databaseUrl', /^pg$/),
  requirePackages('otelExporterOtlpEndpoint', /^@opentelemetry\//),
  requireFor('pathPrefix', 'pathPrefixRights'),
  requireFor('handoffWebhookUrl', 'handoffWebhookSecret'),
  ({ allowAnonymous, anonymousNamespaces: names }) => {
    if (allowAnonymous === 'read')
      return (
        names === undefined &&
        'ANONYMOUS_NAMESPACES: is missing; ALLOW_ANONYMOUS=read needs the namespaces that everyone may ask in'
      );
    return (
      names !== undefined &&
      'ANONYMOUS_NAMESPACES: needs ALLOW_ANONYMOUS=read; set it, or remove ANONYMOUS_NAMESPACES'
    );
  },
  ({ anonymousNamespaces = [], allowedNamespaces }) => {
    const foreign = anonymousNamespaces.find((name) => allowedNamespaces?.includes(name) === false);
    return (
      foreign !== undefined &&
      `ANONYMOUS_NAMESPACES: ${foreign} is not in ALLOWED_NAMESPACES; add it there, or remove it here`
    );
  },
  ({ allowAnonymous, pathPrefixRights }) =>
    allowAnonymous === 'read' &&
    pathPrefixRights !== undefined &&
    'PATH_PREFIX_RIGHTS: cannot be combined with ALLOW_ANONYMOUS=read, because it would give callers without a key more; remove one of them',
  ({ judgeModel }, given) =>
    judgeModel === sameModel &&
    given.has('judgeModel') &&
    (given.has('judgeBaseUrl') || given.has('judgeApiKey')) &&
    `JUDGE_MODEL: "${sameModel}" uses LLM_MODEL at LLM_BASE_URL; name a model, or remove JUDGE_BASE_URL and JUDGE_API_KEY`,
  ({ jwtJwksUrl, jwtSecret }) =>
    jwtJwksUrl !== undefined &&
    jwtSecret !== undefined &&
    'JWT_SECRET: cannot be combined with JWT_JWKS_URL; remove one of them',
  (value) =>
    Boolean(value.jwtIssuer || value.jwtAudience) &&
    !usesJwt(value) &&
    `${value.jwtIssuer ? 'JWT_ISSUER' : 'JWT_AUDIENCE'}: needs JWT_JWKS_URL or JWT_SECRET; set one of them`,
  ({ callsAppId, callsRegion }) =>
    Boolean(callsAppId) !== Boolean(callsRegion) &&
    `${callsAppId ? 'CALLS_REGION' : 'CALLS_APP_ID'}: is missing; CALLS_APP_ID and CALLS_REGION must be set together`,
  (value, given) =>
    takesChatWebhooks(value) &&
    !given.has('chatCallbackUrl') &&
    'CHAT_CALLBACK_URL: is missing; chat webhooks need a URL that receives the answers',
  (value) =>
    takesChatWebhooks(value) &&
    value.allowedNamespaces?.includes(value.chatNamespace ?? '') === false &&
    `CHAT_NAMESPACE: ${value.chatNamespace} is not in ALLOWED_NAMESPACES; add it, or set another namespace`,
  ({ callsBaseUrl, callsAppId }) =>
    Boolean(callsBaseUrl && callsAppId) &&
    'CALLS_BASE_URL: cannot be combined with CALLS_APP_ID and CALLS_REGION; remove it or them',
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

const minPrefixChars = 20;
const minKeyChars = 16;
const easy = 'and easy to guess; `openssl rand -hex 16` prints a safe one';

/** Warnings about valid settings, without secrets. */
export const weaknesses: readonly Rule[] = [
  ({ pathPrefix }) =>
    pathPrefix !== undefined &&
    pathPrefix.length < minPrefixChars &&
    `PATH_PREFIX: shorter than ${minPrefixChars} characters ${easy}`,
  ({ apiKeys: keys = [] }) => {
    const short = keys.filter(({ key }) => key.length < minKeyChars).length;
    const are = short === 1 ? 'is' : 'are';
    return (
      short > 0 &&
      `API_KEYS: ${short} of ${keys.length} keys ${are} shorter than ${minKeyChars} characters ${easy}`
    );
  },
];
