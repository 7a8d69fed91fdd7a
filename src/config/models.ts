/**
 * Endpoints of the models; a key goes only to its own endpoint. Without a base URL,
 * `provider/model` is a name of Mastra's model router. Mastra's list of providers is read from its
 * package, without a request.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Environment } from './setting-types.ts';
import { environmentName, type Values } from './settings.ts';

export interface ModelEndpoint {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
  /** Provider of Mastra's router that does not speak OpenAI's chat completions, and its wire. */
  readonly routed?: { readonly provider: string; readonly wire: 'anthropic' | 'google' };
}

const routedRoles = ['llm', 'llmFallback', 'judge', 'embedding'] as const;
type RoutedRole = (typeof routedRoles)[number];
type Role = RoutedRole | 'rerank';
/**
 * Without `llm`, the built-in extractive model answers. `judge` is the same object as `llm` if that
 * model judges.
 */
export type ModelEndpoints = Readonly<Record<Role, ModelEndpoint | undefined>>;

/** Non-empty texts of the settings, by field. */
export type GivenTexts = Readonly<Record<string, string>>;

/** Values of JUDGE_MODEL: the answering model, and none. */
export const sameModel = 'same';
export const noJudge = 'off';

const isRouted = (given: GivenTexts, role: Role): boolean =>
  role !== 'rerank' &&
  given[`${role}Model`]?.includes('/') === true &&
  !('llmBaseUrl' in given) &&
  !(`${role}BaseUrl` in given);

export const hasModel = (given: GivenTexts): boolean =>
  'llmApiKey' in given || 'llmBaseUrl' in given || isRouted(given, 'llm');

const namesJudge = ({ judgeModel = sameModel }: GivenTexts): boolean =>
  judgeModel !== sameModel && judgeModel !== noJudge;

function combinationProblems(given: GivenTexts, role: Exclude<Role, 'llm'>): string[] {
  const name = environmentName(role);
  const has = (what: string) => `${role}${what}` in given;
  if (!has('Model')) {
    return has('BaseUrl') || has('ApiKey')
      ? [`${name}_MODEL: is missing; ${name}_BASE_URL and ${name}_API_KEY need it`]
      : [];
  }
  const hasUrl = has('BaseUrl') || 'llmBaseUrl' in given;
  if (role === 'rerank')
    return hasUrl ? [] : ['RERANK_MODEL: needs RERANK_BASE_URL or LLM_BASE_URL; set one of them'];
  const hasEndpoint = hasUrl || has('ApiKey') || 'llmApiKey' in given || isRouted(given, role);
  if (hasEndpoint && (role === 'embedding' || hasModel(given))) return [];
  const own = role === 'embedding' ? 'EMBEDDING_BASE_URL, ' : '';
  return [`${name}_MODEL: needs ${own}LLM_API_KEY or LLM_BASE_URL; set one of them`];
}

type RouterProviders = Readonly<
  Record<string, { url?: string; npm?: string; apiKeyEnvVar: string | readonly string[] }>
>;

function readProviders(): RouterProviders {
  const mastra = dirname(createRequire(import.meta.url).resolve('@mastra/core/package.json'));
  return JSON.parse(readFileSync(join(mastra, 'dist/provider-registry.json'), 'utf8')).providers;
}

const openAiUrl = 'https://api.openai.com/v1';
/** Base URLs that Mastra's list lacks, because they are in its clients. */
const clientUrls = new Map([
  ['openai', openAiUrl],
  ['anthropic', 'https://api.anthropic.com/v1'],
  ['google', 'https://generativelanguage.googleapis.com/v1beta'],
  ['xai', 'https://api.x.ai/v1'],
  ['cerebras', 'https://api.cerebras.ai/v1'],
  ['togetherai', 'https://api.together.xyz/v1'],
  ['deepinfra', 'https://api.deepinfra.com/v1/openai'],
  ['perplexity', 'https://api.perplexity.ai'],
  ['vercel', 'https://ai-gateway.vercel.sh/v1'],
]);

function keyOf(
  given: GivenTexts,
  role: RoutedRole,
  variables: readonly string[],
  environment: Environment,
  baseUrl: string,
) {
  const own = role === 'llm' ? undefined : given[`${role}ApiKey`];
  const shared = baseUrl === openAiUrl ? given['llmApiKey'] : undefined;
  return (
    own ?? (variables.map((variable) => environment[variable]?.trim()).find(Boolean) || shared)
  );
}

/** @returns a problem if the name cannot be used */
function routedEndpoint(
  given: GivenTexts,
  role: RoutedRole,
  environment: Environment,
  providers: RouterProviders,
): ModelEndpoint | string {
  const name = given[`${role}Model`] ?? '';
  const setting = environmentName(`${role}Model`);
  const elsewhere = `set ${environmentName(`${role}BaseUrl`)} for an endpoint with models of such names`;
  const [id = '', ...rest] = name.split('/');
  const model = rest.join('/');
  const provider = model === '' ? undefined : providers[id];
  const unknown = `${setting}: ${JSON.stringify(id)} is not a provider that the server can reach by name; ${elsewhere}`;
  if (!provider) return unknown;
  const urlVariable = `${id.toUpperCase().replaceAll('-', '_')}_BASE_URL`;
  const baseUrl = (environment[urlVariable]?.trim() || provider.url || clientUrls.get(id))?.replace(
    /\/+$/,
    '',
  );
  if (baseUrl === undefined || baseUrl.includes('${')) return unknown;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    return `${urlVariable}: must be an http or https URL`;
  const variables = [provider.apiKeyEnvVar].flat();
  const apiKey = keyOf(given, role, variables, environment, baseUrl);
  if (apiKey === undefined)
    return `${setting}: ${name} needs ${variables.join(' or ')}; set it, or ${elsewhere}`;
  const wire = /^@ai-sdk\/(anthropic|google)$/.exec(provider.npm ?? '')?.[1] as
    | 'anthropic'
    | 'google'
    | undefined;
  if (role !== 'embedding')
    return { apiKey, baseUrl, model, ...(wire && { routed: { provider: id, wire } }) };
  if (wire === 'anthropic')
    return `${setting}: ${id} has no embeddings in OpenAI's format; ${elsewhere}`;
  // Google also serves embeddings in OpenAI's format.
  return { apiKey, baseUrl: wire === 'google' ? `${baseUrl}/openai` : baseUrl, model };
}

export type RoutedModels = Readonly<{
  endpoints: Partial<Record<Role, ModelEndpoint>>;
  problems: readonly string[];
}>;

/** Resolves names of the model router, and checks which settings of models are combined. */
export function readModels(given: GivenTexts, environment: Environment): RoutedModels {
  const roles = routedRoles.filter((role) => isRouted(given, role));
  const providers = roles.length > 0 ? readProviders() : {};
  const found = roles.map(
    (role) => [role, routedEndpoint(given, role, environment, providers)] as const,
  );
  return {
    endpoints: Object.fromEntries(found.filter(([, endpoint]) => typeof endpoint !== 'string')),
    problems: [
      ...(['llmFallback', 'judge', 'embedding', 'rerank'] as const)
        .filter((role) => role !== 'judge' || namesJudge(given))
        .flatMap((role) => combinationProblems(given, role)),
      ...found.flatMap(([, endpoint]) => (typeof endpoint === 'string' ? [endpoint] : [])),
    ],
  };
}

/** Sends `LLM_API_KEY` only to `LLM_BASE_URL`. */
export function modelEndpointsOf(
  value: Values,
  given: GivenTexts,
  { endpoints }: RoutedModels,
): ModelEndpoints {
  const { llmApiKey, llmBaseUrl, llmModel } = value;
  const own = hasModel(given)
    ? { apiKey: llmApiKey, baseUrl: llmBaseUrl, model: llmModel }
    : undefined;
  const llm = endpoints.llm ?? own;
  function other(role: Exclude<Role, 'llm'>): ModelEndpoint | undefined {
    const model = value[`${role}Model` as const];
    if (model === undefined) return undefined;
    const baseUrl = value[`${role}BaseUrl` as const] ?? llmBaseUrl;
    const sharedKey = baseUrl === llmBaseUrl ? llmApiKey : undefined;
    return (
      endpoints[role] ?? { apiKey: value[`${role}ApiKey` as const] ?? sharedKey, baseUrl, model }
    );
  }
  /** Another endpoint than `LLM_BASE_URL` serves the same model too. */
  const judgeOf = (): ModelEndpoint | undefined => {
    if (value.judgeModel === noJudge || !llm) return undefined;
    if (value.judgeModel !== sameModel) return other('judge');
    const { judgeBaseUrl: baseUrl = llm.baseUrl, judgeApiKey } = value;
    if (baseUrl === llm.baseUrl && judgeApiKey === undefined) return llm;
    const apiKey = judgeApiKey ?? (baseUrl === llm.baseUrl ? llm.apiKey : undefined);
    return { apiKey, baseUrl, model: llm.model };
  };
  return {
    llm,
    llmFallback: other('llmFallback'),
    judge: judgeOf(),
    embedding: other('embedding'),
    rerank: other('rerank'),
  };
}
