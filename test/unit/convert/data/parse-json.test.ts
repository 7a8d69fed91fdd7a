import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../../packages/converters/src/data/parse-json.ts';

const read = async (text: string) => (await parseJson(text)).markdown;
const refusal = (text: string) =>
  parseJson(text).then(
    () => 'parsed',
    (error) => `${error.code}: ${error.message}`,
  );

describe('the JSON parser', () => {
  it('converts keys to sections and values to list items', async () => {
    expect(
      await read(
        '{"refundWindowDays":30,"contact":{"mail":"a@b.c","phone_numbers":["1","2"],"office":{"city":"Bonn"}},"none":null,"empty":[]}',
      ),
    ).toBe(
      '- **refundWindowDays**: 30\n- **none**: null\n- **empty**: (empty)\n\n## Contact\n\n- **mail**: a@b.c\n- **phone_numbers**: 1, 2\n\n### Office\n\n- **city**: Bonn',
    );
  });

  it('converts flat objects to a table and nested ones to sections headed by their names', async () => {
    expect(await read('[{"plan":"Free","price":0},{"plan":"Pro","price":12,"x":{"y":true}}]')).toBe(
      '| plan | price | x.y |\n| - | - | - |\n| Free | 0 | |\n| Pro | 12 | true |',
    );
    expect(
      await read(
        '{"products":[{"name":"A","parts":[{"n":1,"m":[{"k":2}]}]},{"name":"B","users":5}]}',
      ),
    ).toContain('### B\n\n- **users**: 5');
  });

  it('reads JSON lines as one list', async () => {
    expect(await read('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n')).toBe(
      '| a | b |\n| - | - |\n| 1 | x |\n| 2 | y |',
    );
  });

  it('keeps every digit and keys such as __proto__', async () => {
    const markdown = await read(
      '{"a":1,"b":12345678901234567890.10,"__proto__":{"polluted":true},"constructor":"c"}',
    );
    expect(markdown).toBe(
      '- **a**: 1\n- **b**: 12345678901234567890.10\n- **constructor**: c\n\n## `__proto__`\n\n- **polluted**: true',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('replaces lone surrogates and removes control and invisible characters', async () => {
    expect(await read('{"a":"\\ud800 x\\u0000\\u200b\\u202ey"}')).toBe('- **a**: � xy');
  });

  it('rejects invalid JSON and reports the place', async () => {
    expect(await refusal('{\n"a": 1,\n"b": oops}\n')).toMatch(
      /^unsupported_media_type: The file is not valid JSON: .*"b": oops/,
    );
    expect(await refusal('{"a":1}\n{"a" 2}')).toContain('line 1 column 6');
    for (const broken of [
      '[1,2,]',
      '{"a":1} x',
      '{"a" 1}',
      '[1 2]',
      '{"a":1',
      '"open',
      '01',
      '{,}',
      '[,1]',
      '{"a":1}{"b":2}',
      'nul',
    ])
      expect(await refusal(broken), broken).toContain('not valid JSON');
    expect(await read(' ')).toBe('');
  });

  it('rejects deep nesting and too many values', async () => {
    expect(await refusal('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toContain(
      'nested deeper than 200',
    );
    expect(await refusal(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)).toContain(
      'nested deeper than 200',
    );
    expect(await refusal(`[${'1,'.repeat(2_500_000)}1]`)).toContain('more than 2000000 values');
  });
});

describe('the OpenAPI parser', () => {
  const document = {
    swagger: '2.0',
    info: { title: 'Old API', version: '1' },
    host: 'api.example.com',
    basePath: '/v1',
    paths: {
      '/pets': {
        parameters: [{ name: 'limit', in: 'query', type: 'integer', default: 10 }],
        get: {
          summary: 'List',
          deprecated: true,
          operationId: 'listPets',
          responses: {
            200: {
              description: 'Pets',
              schema: { type: 'array', items: { $ref: '#/definitions/Pet' } },
            },
          },
        },
        post: {
          parameters: [
            { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
          ],
          responses: { 201: { description: 'Made' } },
        },
      },
    },
    definitions: {
      Pet: {
        type: 'object',
        description: 'A pet',
        required: ['name'],
        properties: { name: { type: 'string' }, self: { $ref: '#/definitions/Pet' } },
      },
    },
  };

  it('writes a section for each operation and schema', async () => {
    const { title, markdown } = await parseJson(JSON.stringify(document));
    expect(title).toBe('Old API');
    for (const kept of [
      '- **host**: api.example.com\n- **basePath**: /v1',
      '## GET /pets: List\n\n- **deprecated**: true\n- **operationId**: listPets',
      '| name | in | type | default |\n| - | - | - | - |\n| limit | query | integer | 10 |',
      '#### 200\n\n- **description**: Pets',
      '## POST /pets',
      '| limit | query | integer | 10 | | |\n| body | body | | | true | #/definitions/Pet |',
      '## Schema Pet\n\n- **type**: object\n- **description**: A pet\n- **required**: name',
    ])
      expect(markdown).toContain(kept);
  });
});
