import { describe } from 'vitest';
import { a2aDialect } from '../../../../../src/http/agents/dialects/a2a.ts';
import type { DialectStream } from '../../../../../src/http/agents/dialects/dialect.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';

const stream = a2aDialect.operations[0]?.stream as DialectStream<object>;

describe.each(['SendStreamingMessage', 'message/stream'])('%s', (method) => {
  testDialect(
    stream,
    (events) => {
      const results = events.map((data) => JSON.parse(data).result);
      const updates = results.map(
        (result) => result.artifactUpdate ?? result.statusUpdate ?? result,
      );
      const last = updates.at(-1);
      return {
        text: updates
          .flatMap(({ artifact }) => (artifact ? [artifact.parts[0].text] : []))
          .join(''),
        quotes: (last.metadata?.knowledge?.citations ?? []).map(
          ({ quote }: { quote: string }) => quote,
        ),
        isSilent: last.metadata?.knowledge?.reason === 'not_mentioned',
        isOver:
          /^(?:TASK_STATE_)?(?:completed|failed)$/i.test(last.status?.state) &&
          (method === 'message/stream' ? last.final : true),
        errorCode: /failed/i.test(last.status?.state) ? last.metadata.code : undefined,
      };
    },
    { jsonrpc: '2.0', id: 1, method },
  );
});
