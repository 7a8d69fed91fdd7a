import type { DialectWriter } from '../../../../../src/http/agents/dialects/dialect.ts';
import { itIsADialect } from '../../../../support/dialect-contract.ts';

type Line = { say: string } | { quotes: string[] } | { silent: true } | { failed: string } | { over: true };
const line = (content: Line) => [{ data: JSON.stringify(content) }];

/** A second dialect, as small as one can be: one JSON object a line. What the port asks is not Mastra's form in disguise. */
const plainDialect = {
  open: (): DialectWriter => ({
    start: () => [],
    write(event) {
      if (event.type === 'text') return line({ say: event.text });
      if (event.type === 'searched') return [];
      return line(
        event.result.reason === 'not_mentioned' ? { silent: true } : { quotes: event.result.citations.map(({ quote }) => quote) },
      );
    },
    fail: ({ code }) => line({ failed: code }),
    end: () => line({ over: true }),
  }),
};

itIsADialect(plainDialect, (events) => {
  const lines = events.map((data): Line => JSON.parse(data));
  return {
    text: lines.flatMap((one) => ('say' in one ? [one.say] : [])).join(''),
    quotes: lines.flatMap((one) => ('quotes' in one ? one.quotes : [])),
    isSilent: lines.some((one) => 'silent' in one),
    isOver: 'over' in (lines.at(-1) ?? {}),
    errorCode: lines.flatMap((one) => ('failed' in one ? [one.failed] : []))[0],
  };
});
