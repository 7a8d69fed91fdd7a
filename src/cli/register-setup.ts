/**
 * Arguments and settings of `npm run register`, and which provider of the chat platform fits them.
 */
import { isApiKey, isAppId, isBaseUrl, isRegion } from '../../packages/calls/src/upstream.ts';
import { type Config, isAuthenticated, isLoopback, keylessAccess } from '../config.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { type Given, UsageError } from './command.ts';
import { serverUrlOf, withoutSlash } from './platform-agents.ts';
import { groupAgent, keyCommand, type Provider, type PublicAddress } from './register-check.ts';

export const registerOptions = {
  provider: { type: 'string' },
  url: { type: 'string' },
  namespace: { type: 'string' },
  direct: { type: 'boolean', default: false },
  'app-id': { type: 'string' },
  region: { type: 'string' },
  'api-base': { type: 'string' },
  name: { type: 'string' },
  icon: { type: 'string' },
  greeting: { type: 'string' },
  intro: { type: 'string' },
  suggest: { type: 'string', multiple: true },
  endpoint: { type: 'boolean', default: false },
  apply: { type: 'boolean', default: false },
  unchecked: { type: 'boolean', default: false },
  'show-secrets': { type: 'boolean', default: false },
} as const;
export type RegisterValues = Given<typeof registerOptions>['values'];

export const isLocal = (url: string) => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
export const isPlainHttp = (url: string) => new URL(url).protocol === 'http:';

/** Pasted text may contain white space, which the URL parser ignores but a request would send. */
const isAddress = (text: string) => !/\s/.test(text) && isBaseUrl(text);
const isPicture = (text: string) =>
  !/\s/.test(text) && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function publicUrlOf({ url = '' }: RegisterValues, { publicUrl, pathPrefix = '' }: Config): string {
  const given = url.trim() || (publicUrl === undefined ? '' : publicUrl + pathPrefix);
  if (given === '')
    throw new UsageError('The public URL of this server is missing. Give --url or set PUBLIC_URL.');
  if (!isAddress(given))
    throw new UsageError(
      '--url must be an http:// or https:// URL without user, query or fragment.',
    );
  return serverUrlOf(given);
}

function agentsAddressOf(values: RegisterValues): string | undefined {
  const { 'app-id': appId, region } = values;
  const base = values['api-base']?.trim();
  if (base !== undefined) {
    if (appId !== undefined || region !== undefined)
      throw new UsageError(
        '--api-base cannot be combined with --app-id and --region. Remove it or them.',
      );
    if (!isAddress(base) || (isPlainHttp(base) && !isLocal(base)))
      throw new UsageError(
        '--api-base must be an https:// URL without user, query or fragment, because the key is sent there.',
      );
    return `${withoutSlash(withoutSlash(base).replace(/\/v3$/, ''))}/v3/ai-agents/agents`;
  }
  if (appId === undefined && region === undefined) return undefined;
  if (!isAppId(appId ?? '') || !isRegion(region ?? ''))
    throw new UsageError(
      'Give both --app-id (letters and digits) and --region (such as us, eu or in).',
    );
  return `https://${appId?.toLowerCase()}.api-${region?.toLowerCase()}.cometchat.io/v3/ai-agents/agents`;
}

function agentIdOf(
  { direct }: RegisterValues,
  provider: Provider,
  { directAgentId }: Config,
): string {
  if (!direct) return groupAgent;
  if (provider === 'ag-ui')
    throw new UsageError(
      '--direct is for --provider mastra. The AG-UI provider needs no mention in any chat.',
    );
  if (directAgentId !== undefined) return directAgentId;
  throw new UsageError(
    '--direct needs a second agent. Set DIRECT_AGENT_ID=knowledge-direct and restart the server.',
  );
}

export function chosenNamespace({ namespace = 'default' }: RegisterValues): string {
  const name = toNamespaceName(namespace);
  if (name === undefined)
    throw new UsageError(
      '--namespace is not a namespace name. Use letters, digits, dots, hyphens and underscores.',
    );
  return name;
}

export function readKey(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = environment[name]?.trim() || undefined;
  if (key === undefined || isApiKey(key)) return key;
  throw new UsageError(`${name} must be visible ASCII characters without white space.`);
}

/** Valid arguments and settings of one run. */
export interface RegisterSetup {
  readonly values: RegisterValues;
  readonly config: Config;
  readonly address: PublicAddress;
  readonly agentsAddress: string | undefined;
  /** Key of this server; a Mastra provider does not send it. */
  readonly key: string | undefined;
  /** Replaces PATH_PREFIX in a text for people. */
  readonly hide: (text: string) => string;
}

export function readSetup(
  values: RegisterValues,
  provider: Provider,
  config: Config,
  environment: NodeJS.ProcessEnv,
): RegisterSetup {
  if (values.name?.trim() === '')
    throw new UsageError('--name is empty. Give a name or leave it out.');
  if (values.icon !== undefined && !isPicture(values.icon.trim()))
    throw new UsageError('--icon must be an http:// or https:// URL.');
  if (provider === 'ag-ui' && values.apply)
    throw new UsageError(
      '--apply needs --provider mastra. The fields of an AG-UI agent are not published: paste the printed values.',
    );
  const [url, agentId, namespace] = [
    publicUrlOf(values, config),
    agentIdOf(values, provider, config),
    chosenNamespace(values),
  ];
  const key = readKey(environment, 'KNOWLEDGE_API_KEY');
  const headers: Record<string, string> =
    provider === 'ag-ui' && key !== undefined ? { authorization: `Bearer ${key}` } : {};
  const secret = values['show-secrets'] ? undefined : config.pathPrefix;
  const hide = (text: string) =>
    secret === undefined ? text : text.replaceAll(secret, '<PATH_PREFIX>');
  return {
    values,
    config,
    address: { provider, url, headers, agentId, namespace },
    agentsAddress: agentsAddressOf(values),
    key,
    hide,
  };
}

/** Explains the three ways, and which of them the settings fit. */
export function choiceText(config: Config, namespace: string): string {
  const { apiKeys, apiKeysFile, pathPrefix, allowAnonymous, directAgentId, agentMentions } = config;
  const mayAsk =
    keylessAccess(config)?.rights.some((right) => right === 'ask' || right === 'read') ?? false;
  const mark = (fits: boolean) => (fits ? 'yes' : 'no ');
  const isOpen = !isAuthenticated(config) && pathPrefix === undefined && allowAnonymous !== 'read';
  return `Choose how the chat platform calls this server. "yes": the current settings fit.

  ${mark(apiKeys.length > 0 || apiKeysFile !== undefined)}  --provider ag-ui   Recommended. The platform sends a key of yours in a header. No chat needs a mention.
                          API_KEYS_FILE=./keys.jsonl, and a key: ${keyCommand(namespace)}

  ${mark(pathPrefix !== undefined && mayAsk)}  --provider mastra  The platform sends no key. The address contains a secret path instead.
                          PATH_PREFIX=/k/<random>, PATH_PREFIX_RIGHTS=ask

  ${mark(allowAnonymous === 'read')}  --provider mastra  The platform sends no key. Everyone may ask in these namespaces.
                          ALLOW_ANONYMOUS=read, ANONYMOUS_NAMESPACES=${namespace}

The Mastra provider asks for an agent id:
  groups            ${groupAgent}. It answers messages that mention it (${agentMentions.join(', ')}).
  one-to-one chats  ${directAgentId ?? 'knowledge-direct, after you set DIRECT_AGENT_ID to it'} (--direct). It needs no mention.
${isOpen ? '\nThe current settings protect nothing. Choose one before you make this server public.\n' : ''}`;
}
