import { aiSdkDialect } from '../../../../../src/http/agents/dialects/ai-sdk.ts';
import type { DialectStream } from '../../../../../src/http/agents/dialects/dialect.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';

testDialect(aiSdkDialect.operations[0]?.stream as DialectStream<object>, (events) => {
  const parts = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data));
  return {
    text: parts.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta] : [])).join(''),
    quotes: parts.flatMap(({ type, providerMetadata }) =>
      type.startsWith('source-') ? [providerMetadata.knowledge.quote] : [],
    ),
    isSilent: parts.at(-1)?.messageMetadata?.reason === 'not_mentioned',
    isOver: events.at(-1) === '[DONE]',
    // The protocol has no field for a code.
    errorCode:
      parts.at(-1)?.type === 'error' && /server failed/.test(parts.at(-1).errorText)
        ? 'internal'
        : undefined,
  };
});
