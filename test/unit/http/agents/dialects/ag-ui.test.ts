import { agUiDialect } from '../../../../../src/http/agents/dialects/ag-ui.ts';
import type { DialectStream } from '../../../../../src/http/agents/dialects/dialect.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';

testDialect(
  agUiDialect.operations[0]?.stream as DialectStream<object>,
  (events) => {
    const parts = events.map((data) => JSON.parse(data));
    const last = parts.at(-1);
    return {
      text: parts
        .flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : []))
        .join(''),
      quotes: parts.flatMap(({ type, value }) =>
        type === 'CUSTOM' ? value.map(({ quote }: { quote: string }) => quote) : [],
      ),
      isSilent: last?.result?.reason === 'not_mentioned',
      isOver: ['RUN_FINISHED', 'RUN_ERROR'].includes(last?.type),
      errorCode: last?.type === 'RUN_ERROR' ? last.code : undefined,
    };
  },
  { threadId: 't', runId: 'r' },
);
