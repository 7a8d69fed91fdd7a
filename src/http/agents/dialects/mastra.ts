/**
 * The chunk form of Mastra's agent streams, which its clients read: `start`, the search as `tool-call` and `tool-result`, checked text,
 * `finish` with the citations; `tripwire` where the agent stays silent, `error` with a code where something fails; then `[DONE]`.
 */
import { randomUUID } from 'node:crypto';
import type { AskResult } from '../../../app/ask/ask.ts';
import type { SseEvent } from '../../sse.ts';
import type { Dialect } from './dialect.ts';

const finishPayload = ({ answered, reason, namespace, model, citations, dropped, usage, text }: AskResult) => ({
  stepResult: { reason: 'stop', warnings: [], isContinued: false },
  output: { text, usage },
  metadata: {},
  messages: { all: [], user: [], nonUser: [] },
  answered,
  reason,
  namespace,
  model,
  citations,
  dropped,
});

export const mastraDialect: Dialect = {
  open({ agentId, runId }) {
    const chunk = (type: string, payload: unknown): SseEvent => ({ data: JSON.stringify({ type, runId, from: 'AGENT', payload }) });
    const id = randomUUID();
    let hasText = false;

    function text(delta: string): SseEvent[] {
      const begin = hasText ? [] : [chunk('text-start', { id })];
      hasText = true;
      return [...begin, chunk('text-delta', { id, text: delta })];
    }

    function finish(result: AskResult): SseEvent[] {
      if (result.reason === 'not_mentioned') return [chunk('tripwire', { reason: 'not_mentioned' })];
      return [...(hasText ? [chunk('text-end', { id })] : []), chunk('finish', finishPayload(result))];
    }

    return {
      start: () => [chunk('start', { id: agentId, messageId: randomUUID() })],
      write(event) {
        if (event.type === 'text') return text(event.text);
        if (event.type === 'finished') return finish(event.result);
        return [chunk('tool-call', event.call), chunk('tool-result', { ...event.result, args: event.call.args })];
      },
      fail: (error) => [chunk('error', error)],
      end: () => [{ data: '[DONE]' }],
    };
  },
};
