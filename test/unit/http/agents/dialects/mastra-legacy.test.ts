import { expect, it } from 'vitest';
import { dataStreamLines } from '../../../../../src/http/agents/dialects/mastra-legacy.ts';

it('dataStreamLines is plain text and sends an empty data part as heartbeat', () =>
  expect(dataStreamLines).toMatchObject({
    contentType: 'text/plain; charset=utf-8',
    heartbeat: '2:[]\n',
  }));
