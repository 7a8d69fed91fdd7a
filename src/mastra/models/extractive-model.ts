/**
 * The model that answers without a key: a language model in the AI SDK's sense that picks sentences from the passages in its prompt.
 * The agent does not know the difference. Deterministic, local, free.
 */
import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { splitQuestion } from '../../calls/calls-question.ts';
import { type Extract, extractAnswer, wordsOf } from '../../knowledge/answer/extract.ts';
import { noAnswer, type PromptPassage, parseTurnPrompt } from '../../knowledge/answer/turn-prompt.ts';
import { languageOf } from '../../knowledge/text/languages.ts';
import { units } from '../../knowledge/text/units.ts';
import { contentWords } from '../../knowledge/text/words.ts';
import { hintsKey, readHints } from '../search-hints.ts';

const finishReason: LanguageModelV4FinishReason = { unified: 'stop', raw: undefined };
const calling: LanguageModelV4FinishReason = { unified: 'tool-calls', raw: undefined };
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

/** What tools found was asked for: the first sentence of each record says what it is, and of one alone the second says more. */
function fromRecords(passages: readonly PromptPassage[], records: readonly number[]): string[] {
  const found = passages.filter((_, position) => records.includes(position));
  return found.flatMap(({ number, text }, order) => {
    const sentences = [...units(text)].slice(0, found.length === 1 ? 2 : 1);
    return sentences.map(({ start, end }) => `${order > 0 ? '- ' : ''}${text.slice(start, end)} [${number}]`);
  });
}

function turnOf({ prompt }: LanguageModelV4CallOptions) {
  const last = prompt.findLast((message) => message.role === 'user');
  const turn = parseTurnPrompt(last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') ?? '');
  return turn && { ...turn, hints: readHints(last?.providerOptions?.[hintsKey]) };
}

/** The tool that a question about the asker's own calls needs, where it is offered. */
function callOf(options: LanguageModelV4CallOptions): LanguageModelV4ToolCall | undefined {
  const { ofCalls } = splitQuestion(turnOf(options)?.question ?? '');
  if (!ofCalls || !options.tools?.some(({ name }) => name === ofCalls.tool)) return undefined;
  const { tool, ...args } = ofCalls;
  return { type: 'tool-call', toolCallId: `call_${randomUUID()}`, toolName: tool, input: JSON.stringify(args) };
}

function reply(options: LanguageModelV4CallOptions): string {
  const turn = turnOf(options);
  if (!turn) return noAnswer;
  const { hints } = turn;
  const records = hints?.records ?? [];
  const told = fromRecords(turn.passages, records);
  const question = told.length > 0 ? splitQuestion(turn.question).rest : turn.question;
  const passages = turn.passages.flatMap((passage, position) => {
    if (records.includes(position)) return [];
    const language = hints?.languages[position] ?? languageOf(passage.text);
    return [{ ...passage, language, score: hints?.scores[position] ?? 1 / (position + 1) }];
  });
  const words = new Set([...contentWords(question, languageOf(question))].map(({ term }) => term));
  const known = hints?.asked ?? wordsOf(question, languageOf(question));
  // Of a question with two parts the documents are asked the other one.
  const asked = told.length > 0 ? known.filter(({ forms }) => forms.some(({ term }) => words.has(term))) : known;
  const isAnswerable = question !== '' && hints?.isCovered !== false;
  const sentences = isAnswerable ? extractAnswer({ question, passages, asked }).map(withMarker) : [];
  const all = [...told, ...sentences];
  return all.length === 0 ? noAnswer : all.join('\n\n');
}

export const createExtractiveModel = (): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'knowledge',
  modelId: 'extractive',
  supportedUrls: {},

  async doGenerate(options) {
    const call = callOf(options);
    if (call) return { content: [call], finishReason: calling, usage, warnings: [] };
    return { content: [{ type: 'text', text: reply(options) }], finishReason, usage, warnings: [] };
  },

  async doStream(options) {
    const call = callOf(options);
    const text = call ? '' : reply(options);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        if (call) controller.enqueue(call);
        else {
          controller.enqueue({ type: 'text-start', id: '0' });
          controller.enqueue({ type: 'text-delta', id: '0', delta: text });
          controller.enqueue({ type: 'text-end', id: '0' });
        }
        controller.enqueue({ type: 'finish', finishReason: call ? calling : finishReason, usage });
        controller.close();
      },
    });
    return { stream };
  },
});
