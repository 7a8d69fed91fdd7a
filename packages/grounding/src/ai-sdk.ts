/**
 * `@knowledge-agent/grounding/ai-sdk`: a middleware for models of the AI SDK that shows only
 * sentences that passages support.
 */
import type { LanguageModelMiddleware } from 'ai';
import { type CheckedReply, ReplyCheck, type ReplyOptions, type SourcePassage } from './index.ts';
import { insist } from './verify-sentences.ts';

// Types of the host's version of `ai`.
type Wrap<Name extends 'wrapGenerate' | 'wrapStream'> = NonNullable<LanguageModelMiddleware[Name]>;
type Params = Parameters<Wrap<'wrapGenerate'>>[0]['params'];
type Streamed = Awaited<ReturnType<Wrap<'wrapStream'>>>;
type Part = Streamed['stream'] extends ReadableStream<infer One> ? One : never;

export interface GroundingMiddlewareOptions extends ReplyOptions {
  /** Returns the passages that must support the reply. Called before the model. */
  passages(params: Params): readonly SourcePassage[] | PromiseLike<readonly SourcePassage[]>;
  /**
   * Shown instead of a text without a supported sentence, unless the model calls a tool. Default:
   * an English sentence.
   */
  readonly refusal?: string | undefined;
}

const sourcesOf = ({ citations }: CheckedReply, passages: readonly SourcePassage[]) =>
  citations.map(({ index, passage, ...place }) => {
    const { title = `Passage ${passage + 1}`, url } = passages[passage] ?? {};
    const kind = url
      ? { sourceType: 'url' as const, url }
      : { sourceType: 'document' as const, mediaType: 'text/markdown' };
    const providerMetadata = { grounding: { index, passage, ...place } };
    return { type: 'source' as const, id: `citation-${index}`, title, providerMetadata, ...kind };
  });

/** @returns a function that replaces each part of a reply by the parts to show */
async function createGate(
  { passages: find, refusal, ...options }: GroundingMiddlewareOptions,
  params: Params,
) {
  if (params.responseFormat?.type === 'json')
    throw new TypeError('groundingMiddleware cannot check JSON. Use the plain model.');
  const passages = await find(params);
  const check = new ReplyCheck(passages, options);
  const id = 'checked-text';
  let hasText = false;
  let hasCall = false;
  let isOpen = false;
  const shown = (delta: string): Part[] => {
    if (delta === '') return [];
    const start: Part[] = isOpen ? [] : [{ type: 'text-start', id }];
    isOpen = true;
    return [...start, { type: 'text-delta', id, delta }];
  };
  const finished = async (): Promise<Part[]> => {
    const last = shown(await check.judged());
    const isRefused = check.result.text === '' && hasText && !hasCall;
    if (isRefused) last.push(...shown(refusal ?? 'I found no answer to this in the documents.'));
    return [
      ...last,
      ...(isOpen ? [{ type: 'text-end' as const, id }] : []),
      ...sourcesOf(check.result, passages),
    ];
  };
  return async (part: Part): Promise<Part[]> => {
    if (part.type === 'text-start') return shown(await check.judged('\n\n'));
    if (part.type === 'text-end') return shown(await check.judged());
    if (part.type === 'finish') return [...(await finished()), part];
    hasCall ||= part.type === 'tool-call';
    // Raw parts and reasoning would show unchecked text. After a tool call, the next step needs the
    // reasoning.
    if (part.type !== 'text-delta')
      return part.type === 'raw' || (part.type.startsWith('reasoning') && !params.tools?.length)
        ? []
        : [part];
    hasText ||= part.delta.trim() !== '';
    return shown(await check.judged(part.delta));
  };
}

/**
 * @returns a middleware for `wrapLanguageModel`: the supported sentences with `[1]`, then a source
 * part for each citation
 * @throws TypeError if `passages` is no function, and for a call that asks for JSON @throws
 * RangeError if `language` has no word lists
 */
export function groundingMiddleware(options: GroundingMiddlewareOptions): LanguageModelMiddleware {
  insist(typeof options?.passages === 'function', 'passages must be a function.');
  // Throws now instead of with the first answer.
  new ReplyCheck([], options);
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params }) {
      const gate = await createGate(options, params);
      const result = await doGenerate();
      const at = result.content.findIndex(({ type }) => type === 'text');
      const delta = result.content
        .map((part) => (part.type === 'text' ? `${part.text}\n\n` : ''))
        .join('');
      const others = result.content.filter(({ type }) => type !== 'text');
      const given = [...others, { ...result, type: 'finish' }] as Part[];
      given.splice(at, 0, { type: 'text-delta', id: '', delta }, { type: 'text-end', id: '' });
      const parts: Part[] = [];
      for (const part of given) parts.push(...(await gate(part)));
      const content = parts
        .map((part) => (part.type === 'text-delta' ? { type: 'text', text: part.delta } : part))
        .filter(({ type }) => !/^(?:text-|finish)/.test(type)) as typeof result.content;
      return { ...result, content };
    },
    async wrapStream({ doStream, params }) {
      const gate = await createGate(options, params);
      const { stream, ...result } = await doStream();
      const transform = async (part: Part, shown: TransformStreamDefaultController<Part>) => {
        for (const one of await gate(part)) shown.enqueue(one);
      };
      return { ...result, stream: stream.pipeThrough(new TransformStream({ transform })) };
    },
  };
}
