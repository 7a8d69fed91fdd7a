/** A language model behind any OpenAI-compatible endpoint (OpenAI, a gateway, Ollama, vLLM), by its chat completions. */
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';

export interface ProviderOptions {
  /** Undefined where the endpoint asks for none. */
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
}

export const createProviderModel = ({ apiKey, baseUrl, model }: ProviderOptions): LanguageModelV4 =>
  createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none' }).chat(model);
