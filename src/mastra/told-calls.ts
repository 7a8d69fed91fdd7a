/** A model whose calls are told of, and are a stage of the request that they belong to. Nothing of what is asked or said is told. */
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { beginStage, failureName } from '../trace.ts';

export interface ModelCall {
  readonly model: string;
  /** `refused`: it was not asked. */
  readonly outcome: 'answered' | 'failed' | 'refused';
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** @param onModelCall after the end of each call, also of one that is left in the middle, which has failed */
export function withToldCalls(model: LanguageModelV4, onModelCall: (call: ModelCall) => void): LanguageModelV4 {
  const { specificationVersion, provider, modelId, supportedUrls } = model;

  function begin() {
    const stage = beginStage('model');
    const started = performance.now();
    /** @param failure undefined: it has answered */
    const end = (usage: LanguageModelV4Usage | undefined, failure?: string) => {
      const { inputTokens: { total: inputTokens = 0 } = {}, outputTokens: { total: outputTokens = 0 } = {} } = usage ?? {};
      const ms = performance.now() - started;
      onModelCall({ model: modelId, outcome: failure === undefined ? 'answered' : 'failed', ms, inputTokens, outputTokens });
      const asked = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': modelId };
      stage.end({ ...asked, 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens }, failure);
    };
    return { ...stage, end };
  }
  type Begun = ReturnType<typeof begin>;

  async function ended<Result>({ within, end }: Begun, work: () => PromiseLike<Result>): Promise<Result> {
    try {
      return await within(work);
    } catch (error) {
      end(undefined, failureName(error));
      throw error;
    }
  }

  async function* toTheEnd(parts: ReadableStream<LanguageModelV4StreamPart>, { end }: Begun) {
    let usage: LanguageModelV4Usage | undefined;
    let failure: string | undefined = 'left';
    try {
      for await (const part of parts) {
        if (part.type === 'finish') {
          usage = part.usage;
          failure = undefined;
        } else if (part.type === 'error') failure = failureName(part.error);
        yield part;
      }
    } catch (error) {
      failure = failureName(error);
      throw error;
    } finally {
      end(usage, failure);
    }
  }

  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,

    async doGenerate(options) {
      const call = begin();
      const result = await ended(call, () => model.doGenerate(options));
      call.end(result.usage);
      return result;
    },

    async doStream(options) {
      const call = begin();
      const result = await ended(call, () => model.doStream(options));
      return { ...result, stream: ReadableStream.from(toTheEnd(result.stream, call)) };
    },
  };
}
