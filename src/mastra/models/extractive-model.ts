/**
 * The model that answers without a key: a language model in the AI SDK's sense that picks sentences from the passages in its prompt.
 * The agent does not know the difference. Deterministic, local, free.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Extract, extractAnswer, wordsOf } from '../../knowledge/answer/extract.ts';
import { noAnswer, parseTurnPrompt } from '../../knowledge/answer/turn-prompt.ts';
import { languageOf } from '../../knowledge/text/languages.ts';
import { hintsKey, readHints } from '../search-hints.ts';

const finishReason: LanguageModelV4FinishReason = { unified: 'stop', raw: undefined };
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** In a table row the marker stands inside the last cell, so that the line stays a row; after code below its fence. */
function withMarker({ text, number, kind, marker }: Extract): string {
  if (kind === 'row') return `${text.replace(/\|\s*$/, '').trimEnd()} [${number}] |`;
  if (kind === 'code') return `\`\`\`\n${text}\n\`\`\`\n[${number}]`;
  return kind === 'item' ? `${marker ?? '-'} ${text} [${number}]` : `${text} [${number}]`;
}

function reply({ prompt }: LanguageModelV4CallOptions): string {
  const last = prompt.findLast((message) => message.role === 'user');
  const turn = parseTurnPrompt(last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') ?? '');
  if (!turn) return noAnswer;
  const hints = readHints(last?.providerOptions?.[hintsKey]);
  const passages = turn.passages.map((passage, position) => {
    const language = hints?.languages[position] ?? languageOf(passage.text);
    return { ...passage, language, score: hints?.scores[position] ?? 1 / (position + 1) };
  });
  const asked = hints?.asked ?? wordsOf(turn.question, languageOf(turn.question));
  const sentences = extractAnswer({ question: turn.question, passages, asked });
  return sentences.length === 0 ? noAnswer : sentences.map(withMarker).join('\n\n');
}

export const createExtractiveModel = (): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'knowledge',
  modelId: 'extractive',
  supportedUrls: {},

  async doGenerate(options) {
    return { content: [{ type: 'text', text: reply(options) }], finishReason, usage, warnings: [] };
  },

  async doStream(options) {
    const text = reply(options);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        controller.enqueue({ type: 'text-start', id: '0' });
        controller.enqueue({ type: 'text-delta', id: '0', delta: text });
        controller.enqueue({ type: 'text-end', id: '0' });
        controller.enqueue({ type: 'finish', finishReason, usage });
        controller.close();
      },
    });
    return { stream };
  },
});
