import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../../../src/ask/source-address.ts';
import {
  markIn,
  namespaceOfModel,
  toOpenAiError,
} from '../../../../../src/http/agents/dialects/openai.ts';

const baseUrl = 'https://agent.example.com';
const citation = (more: Partial<Parameters<typeof markIn>[1]>) =>
  ({
    index: 1,
    documentId: 'd1',
    file: 'a.md',
    source: 'a.pdf',
    start: 3,
    end: 9,
    revision: 'r',
    ...more,
  }) as Parameters<typeof markIn>[1];

it.each(['Knowledge', 'knowledges', 'openai/knowledge'])('namespaceOfModel rejects %j', (model) => {
  expect(() => namespaceOfModel(model)).toThrow(
    expect.objectContaining({ code: 'model_not_found' }),
  );
});

const callAt = (file: string) => ({ documentId: `calls:${file}`, file, source: file });

describe('a citation', () => {
  it.each([
    ['a web page', { source: 'https://example.com/a' }, 'https://example.com/a'],
    ['a file', {}, `${baseUrl}/#/documents/docs/d1?start=3&end=9&revision=r`],
    ['a call', callAt('v3/calls/x'), `${baseUrl}/#/calls/docs/x`],
    ['calls added up', callAt('v3/calls?type=audio'), `${baseUrl}/#/calls/docs?type=audio`],
  ])('has the URL of %s', (_, more, address) =>
    expect(addressOf(citation(more), 'docs', baseUrl)).toBe(address),
  );

  it('has the position of its first mark, or of the end of the text', () => {
    const text = '🎉 Yes. [10][1] No. [1]';
    const { start_index, end_index } = markIn(text, citation({}));
    expect([start_index, text.slice(start_index, end_index)]).toEqual([text.indexOf('[1]'), '[1]']);
    expect(markIn('None.', citation({}))).toEqual({ start_index: 5, end_index: 5 });
  });
});

it.each([
  ['invalid_request', 'invalid_request_error'],
  ['rate_limited', 'rate_limit_error'],
  ['model_failed', 'server_error'],
])('toOpenAiError maps %s to the type %s', (code, type) => {
  expect(toOpenAiError({ error: 'It failed.', code, requestId: 'r' })).toEqual({
    message: 'It failed.',
    type,
    param: null,
    code,
  });
});
