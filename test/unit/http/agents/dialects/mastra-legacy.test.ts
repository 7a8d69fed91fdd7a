import { expect, it } from 'vitest';
import {
  dataStreamLines,
  openDataStream,
} from '../../../../../src/http/agents/dialects/mastra-legacy.ts';
import { testDialect } from '../../../../support/dialect-contract.ts';

const heading = /^([0-9a-k]):/;

testDialect({ open: openDataStream, framing: dataStreamLines }, (lines) => {
  const parts = lines.map((line) => ({
    code: heading.exec(line)?.[1],
    value: JSON.parse(line.slice(2)),
  }));
  const of = (code: string) => parts.flatMap((part) => (part.code === code ? [part.value] : []));
  const annotations = of('8').flat();
  return {
    text: of('0').join(''),
    quotes: of('h').map(({ providerMetadata }) => providerMetadata.knowledge.quote),
    isSilent: annotations.some(({ reason }) => reason === 'not_mentioned'),
    isOver: parts.at(-1)?.code === 'd',
    errorCode: of('3').length > 0 ? annotations.find(({ error }) => error)?.error.code : undefined,
  };
});

it('dataStreamLines sends an empty data part as heartbeat', () =>
  expect(dataStreamLines.heartbeat).toBe('2:[]\n'));
