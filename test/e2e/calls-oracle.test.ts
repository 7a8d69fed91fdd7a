import { expect, it } from 'vitest';
import { callRecords } from '../../scripts/call-records.ts';
import { toSearchParams } from '../../src/calls/query.ts';
import type { CallSource } from '../../src/calls/types.ts';
import { expectAsOracle, pageByOracle } from '../support/calls-oracle.ts';
import { cases } from '../support/depth.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { callsOf, sumOf, trusted, withUsers, writeCalls } from '../support/own-calls.ts';
import { randomAsked } from '../support/random-asked.ts';
import { randomFilters } from '../support/random-filters.ts';
import { startService } from '../support/workspace.ts';

const records = [...callRecords({ count: 2_000, seed: 77, until: Date.UTC(2026, 10, 21) / 1000, days: 120, users: 40 })];
const filters = [...randomFilters(records, cases(200), 6)];

const startServer = async (settings: Record<string, string>): Promise<string> => serveOnLoopback(await startService(settings), settings);

/** As a caller asks over HTTP. */
function sourceAt(url: string): CallSource {
  async function read(path: string, onBehalfOf: string | undefined) {
    const response = await fetch(`${url}${path}`, {
      headers: { apikey: 'callers-own', ...(onBehalfOf === undefined ? {} : { onBehalfOf }) },
    });
    const body: any = await response.json();
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)} for ${path}`);
    return body;
  }
  return {
    list: (filter, { onBehalfOf } = {}) => read(`/v3/calls?${toSearchParams(filter)}`, onBehalfOf),
    get: async (sessionId, { onBehalfOf } = {}) => (await read(`/v3/calls/${encodeURIComponent(sessionId)}`, onBehalfOf)).data,
    listTranscriptions: (sessionId, query = {}, { onBehalfOf } = {}) =>
      read(`/v3/calls/${encodeURIComponent(sessionId)}/transcriptions?${toSearchParams(query)}`, onBehalfOf),
  };
}

it('one server and a second one that asks it answer random filters as the oracle does', async () => {
  const first = await startServer({ CALLS_FILE: await writeCalls(records) });
  const second = await startServer({ CALLS_BASE_URL: first, CALLS_API_KEY: 'between-servers' });
  const [embedded, proxied] = [sourceAt(first), sourceAt(second)];
  await expectAsOracle(embedded, records, filters);
  await expectAsOracle(proxied, records, filters);

  const found = filters.map(({ filter, onBehalfOf }) => pageByOracle(records, filter, onBehalfOf));
  expect(found.filter(({ data }) => data.length > 0).length).toBeGreaterThan(filters.length * 0.3);
  expect(found.filter(({ meta }) => meta.pagination.total === 0).length).toBeGreaterThan(filters.length * 0.02);

  const call = records[1_000]!;
  for (const source of [embedded, proxied]) {
    expect(await source.get(call.sessionId)).toEqual(call);
    expect((await source.listTranscriptions(call.sessionId)).data).toEqual([]);
    await expect(source.listTranscriptions(call.sessionId, {}, { onBehalfOf: 'zoe.none' })).rejects.toThrow('404');
    await expect(source.get('v1.us.none')).rejects.toThrow('404');
    await expect(source.get(call.sessionId, { onBehalfOf: 'nobody' })).rejects.toThrow('404');
    await expect(source.list({ type: 'fax' } as never)).rejects.toThrow('400');
  }
});

it('the chat tools of a second server say what those of the first one say, of the user’s calls alone', async () => {
  const first = await startServer({ CALLS_FILE: await writeCalls(), ...withUsers });
  const second = await startServer({ CALLS_BASE_URL: first, CALLS_API_KEY: 'other-key', ...withUsers });
  // What a period is depends on the day of the test.
  const timeless = [...randomAsked(cases(40), 9)].filter(({ asked: { period, from, to } }) => !period && (!from || to));
  expect(timeless.length).toBeGreaterThan(8);
  for (const { subject, asked } of timeless) {
    const own = callsOf(subject, asked);
    for (const server of [first, second]) {
      const ask = async (tool: string, body: object): Promise<any> => {
        const headers = { 'content-type': 'application/json', ...trusted(subject) };
        const response = await fetch(`${server}/api/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(body) });
        expect(response.status, JSON.stringify({ subject, asked })).toBe(200);
        return response.json();
      };
      const { total } = await ask('summarizeCalls', asked);
      expect(total.calls, JSON.stringify({ subject, asked })).toBe(own.length);
      expect(total.durationMinutes).toBeCloseTo(sumOf(own, 'totalDurationInMinutes'), 3);
      expect((await ask('listCalls', { ...asked, perPage: 20 })).data).toEqual(own.slice(0, 20));
    }
  }
});
