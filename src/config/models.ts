/**
 * Endpoints of the models; a key goes only to its own endpoint. Without a base URL,
 * `provider/model` is a name of Mastra's model router. Mastra's list of providers is read from its
 * package, without a request.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import querystring from 'node:querystring';
import type { Environment } from './setting-types.ts';
import { environmentName, quotations, type ValidSettings } from './settings.ts';

export type ModelEndpoint = Readonly<{
  apiKey: string | undefined;
  baseUrl: string;
  model: string;
  /** Provider of Mastra's router that does not speak OpenAI's chat completions, and its wire. */
  routed?: { readonly provider: string; readonly wire: string };
}>;

type Role = 'llm' | 'llmFallback' | 'judge' | 'embedding' | 'rerank';

/** Values of JUDGE_MODEL: the answering model, and none. */
export const sameModel = 'same';
export const noJudge = 'off';

function readProviders(): Readonly<
  Record<string, { url?: string; npm?: string; apiKeyEnvVar: string | readonly string[] }>
> {
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

const urlVariableOf = (id: string) => `${id.toUpperCase().replaceAll('-', '_')}_BASE_URL`;

/** @returns undefined if the address of the provider is unknown, or differs by customer */
function urlOf(id: string, listed: string | undefined, environment: Environment) {
  const url = environment[urlVariableOf(id)]?.trim() || listed || clientUrls.get(id);
  return url?.includes('${') ? undefined : url?.replace(/\/+$/, '');
}

/** @returns the endpoint, or a problem if the name cannot be used */
function routedEndpoint(
  role: Role,
  name: string,
  keys: { readonly own: string | undefined; readonly openAi: string | undefined },
  environment: Environment,
): ModelEndpoint | string {
  const setting = environmentName(`${role}Model`);
  const elsewhere = `set ${environmentName(`${role}BaseUrl`)} for an endpoint with models of such names`;
  const [id = '', ...rest] = name.split('/');
  const model = rest.join('/');
  const provider = model === '' ? undefined : readProviders()[id];
  const unknown = `${setting}: ${JSON.stringify(id)} is not a provider that the server can reach by name; ${elsewhere}`;
  const baseUrl = provider && urlOf(id, provider.url, environment);
  if (!baseUrl) return unknown;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    return `${urlVariableOf(id)}: must be an http or https URL`;
  const variables = [provider.apiKeyEnvVar].flat();
  const found = variables.map((variable) => environment[variable]?.trim()).find(Boolean);
  const apiKey = keys.own ?? found ?? (baseUrl === openAiUrl ? keys.openAi : undefined);
  if (apiKey === undefined)
    return `${setting}: ${name} needs ${variables.join(' or ')}; set it, or ${elsewhere}`;
  const wire = /^@ai-sdk\/(anthropic|google)$/.exec(provider.npm ?? '')?.[1];
  if (role !== 'embedding')
    return { apiKey, baseUrl, model, ...(wire && { routed: { provider: id, wire } }) };
  if (wire === 'anthropic')
    return `${setting}: ${id} has no embeddings in OpenAI's format; ${elsewhere}`;
  // Google also serves embeddings in OpenAI's format.
  return { apiKey, baseUrl: wire === 'google' ? `${baseUrl}/openai` : baseUrl, model };
}

/**
 * The password of a base URL is the key of the endpoint: `fetch` refuses it in the URL. Two
 * spellings of one endpoint become equal.
 */
function splitKey(text: string) {
  const url = new URL(text);
  // Unlike `decodeURIComponent`, it never throws.
  const apiKey = querystring.unescape(url.password || url.username) || undefined;
  url.username = '';
  url.password = '';
  return { baseUrl: url.href.replace(/\/+$/, ''), apiKey };
}

/** What a model of this role needs, if it has no endpoint. */
const neededBy = {
  llmFallback: 'LLM_API_KEY or LLM_BASE_URL',
  judge: 'LLM_API_KEY or LLM_BASE_URL',
  embedding: 'EMBEDDING_BASE_URL, LLM_API_KEY or LLM_BASE_URL',
  rerank: 'RERANK_BASE_URL or LLM_BASE_URL',
};

/**
 * Finds the endpoint of each model. Without `llm`, the built-in extractive model answers. `judge`
 * is the same object as `llm` if that model judges. `LLM_API_KEY` is sent only to `LLM_BASE_URL`.
 * @param value settings that passed their own check
 * @param given fields of the settings that are set
 */
export function readModels(
  value: ValidSettings,
  given: ReadonlySet<string>,
  environment: Environment,
) {
  const { llmApiKey, judgeModel = sameModel } = value;
  const names = {
    llm: value.llmModel,
    llmFallback: value.llmFallbackModel?.find((name) => name !== quotations),
    judge: judgeModel === sameModel || judgeModel === noJudge ? undefined : judgeModel,
    embedding: value.embeddingModel,
    rerank: value.rerankModel,
  };
  const keys: Readonly<Partial<Record<Role, string | undefined>>> = {
    judge: value.judgeApiKey,
    embedding: value.embeddingApiKey,
  };
  const main = splitKey(value.llmBaseUrl ?? openAiUrl);
  const shared = { ...main, apiKey: llmApiKey ?? main.apiKey };
  const hasUrl = (role: Role) => given.has('llmBaseUrl') || given.has(`${role}BaseUrl`);
  const isRouted = (role: Role) =>
    role !== 'rerank' && names[role]?.includes('/') === true && !hasUrl(role);
  const hasModel = given.has('llmApiKey') || hasUrl('llm') || isRouted('llm');

  /** JUDGE_BASE_URL and JUDGE_API_KEY also serve the answering model. */
  function withoutName(role: Role) {
    const isAlone = given.has(`${role}BaseUrl`) || given.has(`${role}ApiKey`);
    if (role === 'judge' || !isAlone) return undefined;
    const name = environmentName(role);
    const need = role in keys ? `and ${name}_API_KEY need` : 'needs';
    return `${name}_MODEL: is missing; ${name}_BASE_URL ${need} it`;
  }

  function problemOf(role: keyof typeof neededBy) {
    if (names[role] === undefined) return withoutName(role);
    const isKeyed = given.has('llmApiKey') || given.has(`${role}ApiKey`) || isRouted(role);
    const isPlaced = hasUrl(role) || (role !== 'rerank' && isKeyed);
    if (isPlaced && (hasModel || role === 'embedding' || role === 'rerank')) return undefined;
    return `${environmentName(role)}_MODEL: needs ${neededBy[role]}; set one of them`;
  }

  /** @param at endpoint of a model without a base URL of its own */
  function placed(role: Role, model: string, at: Omit<ModelEndpoint, 'model'>) {
    const url = role === 'llm' ? undefined : value[`${role}BaseUrl`];
    const { baseUrl, apiKey } = url === undefined ? at : splitKey(url);
    const inherited = baseUrl === at.baseUrl ? at.apiKey : undefined;
    return { apiKey: keys[role] ?? apiKey ?? inherited, baseUrl, model };
  }

  const problems = (['llmFallback', 'judge', 'embedding', 'rerank'] as const).flatMap(
    (role) => problemOf(role) ?? [],
  );

  function endpointOf(role: Role): ModelEndpoint | undefined {
    const name = names[role];
    if (name === undefined || (role === 'llm' && !hasModel)) return undefined;
    if (!isRouted(role)) return placed(role, name, shared);
    const found = routedEndpoint(role, name, { own: keys[role], openAi: llmApiKey }, environment);
    if (typeof found !== 'string') return found;
    problems.push(found);
    return undefined;
  }

  function judgeOf(llm: ModelEndpoint | undefined): ModelEndpoint | undefined {
    if (!llm || judgeModel === noJudge) return undefined;
    if (names.judge !== undefined) return endpointOf('judge');
    const judge = placed('judge', llm.model, llm);
    return judge.baseUrl === llm.baseUrl && judge.apiKey === llm.apiKey ? llm : judge;
  }

  const llm = endpointOf('llm');
  const endpoints = {
    llm,
    llmFallback: endpointOf('llmFallback'),
    judge: judgeOf(llm),
    embedding: endpointOf('embedding'),
    rerank: endpointOf('rerank'),
  };
  return { endpoints, problems };
}
