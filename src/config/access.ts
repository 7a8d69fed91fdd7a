/** Who may call, according to the settings. Pure. */
import { type Right, rights } from '../rights.ts';
import type { Values } from './settings.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Settings that passed their own check. A missing one is unset or invalid. */
export type ValidValues = { readonly [Name in keyof Values]?: Values[Name] | undefined };
type AccessValues = Omit<ValidValues, 'rateLimitPerMinute'>;

export const usesJwt = ({ jwtJwksUrl, jwtSecret }: AccessValues) =>
  jwtJwksUrl !== undefined || jwtSecret !== undefined;
/** Whether the server accepts keys or tokens. */
export const isAuthenticated = (value: AccessValues) =>
  (value.apiKeys?.length ?? 0) > 0 || value.apiKeysFile !== undefined || usesJwt(value);

interface KeylessAccess {
  readonly rights: readonly Right[];
  /** Undefined: all. */
  readonly namespaces?: readonly string[];
  /** Whether callers without a key are the public, with limits of their own. */
  readonly isVisitor?: boolean;
}

/** What a caller without a key or token may do; undefined: nothing. */
export function keylessAccess(value: AccessValues): KeylessAccess | undefined {
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
export const isOpenToAll = (config: AccessValues): boolean => keylessAccess(config) !== undefined;

/** Only API_KEYS_FILE has publishable keys. */
export const hasVisitors = (value: AccessValues): boolean =>
  value.allowAnonymous === 'read' || value.apiKeysFile !== undefined;
