import { openMastraStream } from '../../../../../src/http/agents/dialects/mastra.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';
import type { Chunk } from '../../../../support/event-stream.ts';

testDialect({ open: openMastraStream }, (events) => {
  const chunks: Chunk[] = events
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data));
  const failed = chunks.find(({ type }) => type === 'error');
  const last = chunks.at(-1);
  return {
    text: chunks
      .flatMap(({ type, payload }) => (type === 'text-delta' ? [payload.text] : []))
      .join(''),
    quotes:
      last?.type === 'finish' && !failed
        ? last.payload.citations.map(({ quote }: { quote: string }) => quote)
        : [],
    isSilent: chunks.at(-2)?.type === 'tripwire',
    isOver: events.at(-1) === '[DONE]' && last?.type === 'finish',
    errorCode: failed?.payload.code,
  };
});
