/** Who may call, according to the settings. Pure. */
import { type Right, rights } from '../rights.ts';
import type { ValidSettings } from './settings.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

export const usesJwt = ({ jwtJwksUrl, jwtSecret }: ValidSettings) =>
  jwtJwksUrl !== undefined || jwtSecret !== undefined;
/** Whether the server accepts keys or tokens. */
export const isAuthenticated = (value: ValidSettings) =>
  (value.apiKeys?.length ?? 0) > 0 || value.apiKeysFile !== undefined || usesJwt(value);

type KeylessAccess = Readonly<{
  rights: readonly Right[];
  /** Undefined: all. */
  namespaces?: readonly string[];
  /** Whether callers without a key are the public, with limits of their own. */
  isVisitor?: boolean;
}>;

/** What a caller without a key or token may do; undefined: nothing. */
export function keylessAccess(value: ValidSettings): KeylessAccess | undefined {
  if (value.allowAnonymous === 'read')
    return {
      rights: ['ask', 'search'],
      namespaces: value.anonymousNamespaces ?? [],
      isVisitor: true,
    };
  if (value.pathPrefixRights !== undefined) return { rights: value.pathPrefixRights };
  if (isAuthenticated(value)) return undefined;
  return { rights: value.pathPrefix === undefined ? rights : ['read'] };
}
export const isOpenToAll = (config: ValidSettings): boolean => keylessAccess(config) !== undefined;

/** Without a credential of their sender, chat webhooks are refused. */
export const takesChatWebhooks = ({ chatWebhookSecret, chatWebhookPassword }: ValidSettings) =>
  chatWebhookSecret !== undefined || chatWebhookPassword !== undefined;

/** Only API_KEYS_FILE has publishable keys. */
export const hasVisitors = (value: ValidSettings): boolean =>
  value.allowAnonymous === 'read' || value.apiKeysFile !== undefined;
