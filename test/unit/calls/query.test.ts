import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallsError } from '../../../packages/calls/src/errors.ts';
import {
  extraNamesOf,
  parseCallsQuery,
  parseQuery,
  toSearchParams,
} from '../../../packages/calls/src/query.ts';
import {
  type CallsFilter,
  callModes,
  callStatuses,
  callTypes,
  receiverTypes,
} from '../../../packages/calls/src/types.ts';
import { summaryParameters } from '../../../src/calls/schemas.ts';
import { listed } from '../../support/listed.ts';

function problemOf(query: string): string {
  try {
    parseCallsQuery(query);
  } catch (error) {
    expect(error).toBeInstanceOf(CallsError);
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', status: 400, retryable: false });
    return (error as CallsError).message;
  }
  throw new Error(`${query} was taken`);
}

describe('a query', () => {
  it.each<[string, CallsFilter]>([
    ['', {}],
    ['statuses[]=ended&statuses[]=busy', { statuses: ['ended', 'busy'] }],
    ['statuses[0]=ended&statuses[1]=busy', { statuses: ['ended', 'busy'] }],
    ['statuses=ended&statuses=ended', { statuses: ['ended'] }],
    [
      'startedAt=1692368194&startedAt[lt]=1692368195',
      { startedAt: { eq: 1692368194, lt: 1692368195 } },
    ],
    ['duration[gte]=1e-7&duration[lt]=1E3', { duration: { gte: 1e-7, lt: 1000 } }],
    [`voiceMinutes[gt]=${'0'.repeat(50)}.${'3'.repeat(400)}`, { voiceMinutes: { gt: 1 / 3 } }],
    ['per_page=5', { perPage: 5 }],
    [
      'uid=caf%C3%A9+1&mode=meet&receiverType=group',
      { uid: 'café 1', mode: 'meet', receiverType: 'group' },
    ],
  ])('%s', (query, filter) => {
    expect(parseCallsQuery(query)).toEqual(filter);
  });

  it.each([
    ['colour=red', 'colour is not a parameter'],
    ['__proto__=x', '__proto__ is not a parameter'],
    ['=x', 'is not a parameter'],
    ['startedAt[gte][lt]=1692368194', 'startedAt[gte][lt] is not a parameter'],
    ['startedAt[__proto__]=1692368194', 'startedAt[__proto__] has an unknown operator'],
    ['startedAt[gte]=1692368194&startedAt[gte]=1692368194', 'startedAt[gte] is given twice'],
    ['status=ended&status=ended', 'status is given twice'],
    ['statuses[a]=ended', 'statuses[a] is not a list'],
    ['status[]=ended', 'status[] takes one value'],
    ['startedAt[gte]=1692368194000', 'startedAt[gte] must be a time in unix seconds, 10 digits'],
    ['duration=1e400', 'duration must be minutes'],
    ['duration=0x10', 'duration must be minutes'],
    ['duration=-1', 'duration must be minutes'],
    ['participantsCount=1.5', 'participantsCount must be a whole number'],
    ['status=done', 'status must be initiated, cancelled'],
    ['statuses=ended,done', 'statuses must be a list of'],
    ['hasRecording=1', 'hasRecording must be true or false'],
    ['uid=', 'uid must be 1 to 100 characters'],
    ['uid=a%0d%0ab', 'uid must be 1 to 100 characters'],
    ['page=0', 'page must be a whole number from 1'],
    ['perPage=101', 'perPage must be a whole number from 1 to 100'],
  ])('rejects %s', (query, sentence) => {
    expect(problemOf(query)).toContain(sentence);
  });

  it('names every problem, but no value and no long name', () => {
    const message = problemOf(
      `page=0&status=s3cret&${'x'.repeat(5_000)}=1&a%0ab=1&startedAt[gte]=s3cret`,
    );
    for (const part of ['page must', 'status must', 'startedAt[gte] must', 'a?b is not'])
      expect(message).toContain(part);
    expect(message).not.toContain('s3cret');
    expect(message.length).toBeLessThan(600);
    expect(
      problemOf(Array.from({ length: 500 }, (_, number) => `x${number}=1`).join('&')),
    ).toContain('and 480 more');
  });
});

it('names a wrong parameter as the caller spells it, and refuses both spellings together', () => {
  expect(problemOf('per_page=0')).toContain('per_page must be a whole number from 1 to 100');
  expect(problemOf('per_page[gte]=1')).toContain('per_page[gte] takes one value');
  expect(problemOf('perPage=1&per_page=2')).toContain('per_page is given twice');
});

describe('an extra parameter', () => {
  const names = ['region', 'constructor'];

  it('passes unchanged if its name is listed, and is rejected otherwise', () => {
    const query = 'region=eu&status=ended&region[in]=a,b&constructor=x&region=us';
    const filter = {
      status: 'ended',
      extra: { region: ['eu', 'us'], 'region[in]': ['a,b'], constructor: ['x'] },
    };
    expect(parseCallsQuery(query, names)).toEqual(filter);
    expect(parseCallsQuery(toSearchParams(filter), names)).toEqual(filter);
    expect(parseQuery(summaryParameters, query, names)).toEqual(filter);
    expect(problemOf(query)).toContain('region is not a parameter');
  });

  it('cannot replace a known parameter or contain control characters', () => {
    expect(() => parseCallsQuery('perPage=1000', ['perPage'])).toThrow('perPage must be');
    expect(() => parseCallsQuery('region=a%0d%0ab', names)).toThrow('region must be');
    expect(() => parseCallsQuery(`region=${'x'.repeat(1_001)}`, names)).toThrow('region must be');
  });

  it('cannot be named like a credential', () => {
    const unsendable = listed(
      'apikey | api_key | onBehalfOf | authorization | clientSecret | __proto__ | a-b',
    );
    for (const name of unsendable)
      expect(extraNamesOf({ extra: { [name]: 'x' } }), name).toEqual([]);
    const extra = { region: 'eu', 'since[gte]': '1' };
    expect(extraNamesOf({ extra })).toEqual(['region', 'since']);
  });
});

const second = fc.integer({ min: 1_000_000_000, max: 9_999_999_999 });
const count = fc.integer({ min: 0, max: 999_999_999 });
const minutes = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const compared = (operand: fc.Arbitrary<number>) =>
  fc
    .record(
      { eq: operand, gt: operand, gte: operand, lt: operand, lte: operand },
      { requiredKeys: [] },
    )
    .filter((comparison) => Object.keys(comparison).length > 0);
const several = <T>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });

const filters = fc.record(
  {
    type: fc.constantFrom(...callTypes),
    types: several(callTypes),
    mode: fc.constantFrom(...callModes),
    status: fc.constantFrom(...callStatuses),
    statuses: several(callStatuses),
    receiverType: fc.constantFrom(...receiverTypes),
    participantsCount: count,
    totalParticipants: compared(count),
    initiatedAt: compared(second),
    startedAt: compared(second),
    endedAt: compared(second),
    duration: compared(minutes),
    voiceMinutes: compared(minutes),
    videoMinutes: compared(minutes),
    hasRecording: fc.boolean(),
    hasTranscription: fc.boolean(),
    hideTranscription: fc.boolean(),
    uid: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => text.length <= 100 && !/\p{Cc}/u.test(text)),
    page: fc.integer({ min: 1, max: 999_999_999 }),
    perPage: fc.integer({ min: 1, max: 100 }),
  } satisfies Record<Exclude<keyof CallsFilter, 'extra'>, unknown>,
  { requiredKeys: [] },
);

describe('for every filter', () => {
  it('writing and parsing returns the same filter, encoded or not', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const query = toSearchParams(filter as CallsFilter);
        expect(parseCallsQuery(query)).toEqual(filter);
        expect(parseCallsQuery(query.toString())).toEqual(filter);
      }),
    );
  });

  it('an unknown field is written, so that it is rejected', () => {
    expect(problemOf(toSearchParams({ stauts: 'ended' } as CallsFilter).toString())).toContain(
      'stauts',
    );
    expect(problemOf(toSearchParams({ statuses: [] }).toString())).toContain('statuses');
    expect(problemOf(toSearchParams({ duration: { gt: Number.NaN } }).toString())).toContain(
      'duration[gt]',
    );
  });
});

const names = ['status', 'statuses', 'startedAt', 'duration', 'page', '__proto__', 'x'];
const pieces = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom('', '[]', '[gte]', '[0]', '[', ']', '%5Bgt%5D'),
      fc.string(),
    )
    .map(([a, b, c]) => `${a}${b}=${c}`),
);

it('any query is either parsed or rejected with 400', () => {
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      try {
        expect(parseCallsQuery(parts.join('&'))).toBeTypeOf('object');
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', status: 400 });
      }
    }),
  );
});
