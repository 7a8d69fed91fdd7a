import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addRow,
  countRows,
  countsBefore,
  emptySet,
  fullSet,
  hasRow,
  keepCommon,
  removeRow,
  rowsFrom,
} from '../../src/calls/log/row-set.ts';
import { sortRows } from '../../src/calls/log/sort-rows.ts';
import { type CallFacts, joinFacts } from '../../src/calls/webhooks/call-facts.ts';

const rowCount = 200;
const rows = fc.uniqueArray(fc.nat(rowCount - 1)).map((list) => list.sort((a, b) => a - b));
const setOf = (list: readonly number[]) => {
  const set = emptySet(rowCount);
  for (const row of list) addRow(set, row);
  return set;
};

describe('a set of rows', () => {
  it('counts, ranks and pages as a sorted list does', () => {
    fc.assert(
      fc.property(rows, fc.nat(250), fc.nat(120), fc.array(fc.nat(rowCount)), (list, first, count, ends) => {
        const set = setOf(list);
        expect(countRows(set)).toBe(list.length);
        expect(rowsFrom(set, first, count)).toEqual(list.slice(first, first + count));
        ends.sort((a, b) => a - b);
        expect(countsBefore(set, ends)).toEqual(ends.map((end) => list.filter((row) => row < end).length));
      }),
    );
  });

  it('meets, loses and holds what lists do', () => {
    fc.assert(
      fc.property(rows, rows, (one, other) => {
        const common = setOf(one);
        keepCommon(common, setOf(other));
        expect(rowsFrom(common, 0, rowCount)).toEqual(one.filter((row) => other.includes(row)));
        const rest = fullSet(rowCount);
        for (const row of one) removeRow(rest, row);
        expect(countRows(rest)).toBe(rowCount - one.length);
        expect(one.some((row) => hasRow(rest, row))).toBe(false);
      }),
    );
  });
});

it('rows are sorted as numbers are, equal ones in their order, those without a number left out', () => {
  const value = fc.oneof(
    fc.double(),
    fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 5e-324, 0.1, 0.1, 1_790_000_000),
    fc.integer(),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 300 }), (values) => {
      const expected = values.map((_value, row) => row).filter((row) => !Number.isNaN(values[row]));
      expected.sort((a, b) => (values[a]! === values[b]! ? a - b : values[a]! < values[b]! ? -1 : 1));
      expect([...sortRows(Float64Array.from(values))]).toEqual(expected);
    }),
  );
});

describe('facts', () => {
  const time = fc.integer({ min: 1, max: 9 });
  const word = fc.constantFrom('a', 'b', 'c');
  const facts: fc.Arbitrary<CallFacts> = fc.record(
    {
      conversation: word,
      initiatedAt: time,
      startedAt: time,
      endedAt: time,
      isEnded: fc.constant(true),
      hasRecording: fc.constant(true),
      outcome: fc.record({ status: word, at: time }),
      type: word,
      names: fc.dictionary(fc.constantFrom('x', 'y', 'constructor', '__proto__'), word),
      stays: fc.array(
        fc.record({ uid: word, name: word, joinedAt: time, leftAt: fc.option(time, { nil: undefined }), isAudio: fc.boolean() }),
        { maxLength: 4 },
      ),
    },
    { requiredKeys: [] },
  );
  const joined = (...all: CallFacts[]) => JSON.stringify(all.reduce(joinFacts, {}));

  it('join in any order, in any grouping, any number of times', () => {
    fc.assert(
      fc.property(facts, facts, facts, (a, b, c) => {
        expect(joined(a, b, c)).toBe(joined(c, a, b));
        expect(joined(a, joinFacts(b, c))).toBe(joined(joinFacts(a, b), c));
        expect(joined(a, b, a, b)).toBe(joined(a, b));
      }),
      { numRuns: 500 },
    );
  });
});
