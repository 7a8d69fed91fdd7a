/** Invalid combinations of valid settings, and settings whose packages are not installed. */
import { createRequire } from 'node:module';
import { optionalPackages } from '../package.ts';
import { isAuthenticated, isLoopback, usesJwt, type ValidValues } from './access.ts';
import { type GivenTexts, sameModel } from './models.ts';
import { environmentName, type Values } from './settings.ts';

export const takesChatWebhooks = ({ chatWebhookSecret, chatWebhookUser }: ValidValues) =>
  chatWebhookSecret !== undefined || chatWebhookUser !== undefined;

/** Checks a combination of settings. Returns a message or false. */
type Rule = (value: ValidValues, given: GivenTexts) => string | false;

const requireBoth =
  (one: keyof Values, other: keyof Values): Rule =>
  (value) => {
    const missing = environmentName(value[one] ? other : one);
    const both = `${environmentName(one)} and ${environmentName(other)}`;
    return (
      Boolean(value[one]) !== Boolean(value[other]) &&
      `${missing}: is missing; ${both} must be set together`
    );
  };

const requireFor =
  (needed: keyof Values, one: keyof Values): Rule =>
  (_, given) =>
    one in given &&
    !(needed in given) &&
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
  (setting: keyof Values, names: RegExp): Rule =>
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
  ({ searchEngine }, given) =>
    searchEngine === 'postgres' &&
    !('databaseUrl' in given) &&
    'SEARCH_ENGINE: postgres needs DATABASE_URL; set it, or set SEARCH_ENGINE=memory',
  ({ judgeModel }, given) =>
    judgeModel === sameModel &&
    'judgeModel' in given &&
    ('judgeBaseUrl' in given || 'judgeApiKey' in given) &&
    `JUDGE_MODEL: "${sameModel}" uses LLM_MODEL at LLM_BASE_URL; name a model, or remove JUDGE_BASE_URL and JUDGE_API_KEY`,
  ({ jwtJwksUrl, jwtSecret }) =>
    jwtJwksUrl !== undefined &&
    jwtSecret !== undefined &&
    'JWT_SECRET: cannot be combined with JWT_JWKS_URL; remove one of them',
  (value) =>
    Boolean(value.jwtIssuer || value.jwtAudience) &&
    !usesJwt(value) &&
    `${value.jwtIssuer ? 'JWT_ISSUER' : 'JWT_AUDIENCE'}: needs JWT_JWKS_URL or JWT_SECRET; set one of them`,
  requireBoth('callsAppId', 'callsRegion'),
  requireBoth('chatWebhookUser', 'chatWebhookPassword'),
  (value, given) =>
    takesChatWebhooks(value) &&
    !('chatCallbackUrl' in given) &&
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
