import { HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { type CallsClientOptions, createCallsClient } from '../../../packages/calls/src/client.ts';
import { mockHttp } from '../../support/mocked-http.ts';
import { callRecord, callsErrorOf, pageOf } from '../../support/upstream.ts';

const apiKey = 'k3y-of-the-app';
const baseUrl = 'https://calls.example';
const respond = mockHttp(baseUrl);
const { json } = HttpResponse;
const clientOf = (more: Partial<CallsClientOptions> = {}) =>
  createCallsClient({ apiKey, baseUrl, firstPauseMs: 1, ...more } as CallsClientOptions);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index);
const pageNumber = ({ url }: Request) => Number(new URL(url).searchParams.get('page') ?? 1);
const perPageOf = ({ url }: Request) => Number(new URL(url).searchParams.get('perPage') ?? 30);

describe('a request', () => {
  it('contains the filter, the key and the user', async () => {
    const requests = respond(() => json(pageOf([callRecord(1)])));
    const client = clientOf();
    const page = await client.list(
      { statuses: ['ended', 'busy'], startedAt: { gte: 1692368194 } },
      { onBehalfOf: 'alice' },
    );
    expect(page).toEqual(pageOf([callRecord(1)]));
    expect(decodeURIComponent(requests[0]?.url ?? '')).toBe(
      `${baseUrl}/v3/calls?startedAt[gte]=1692368194&statuses=ended,busy`,
    );
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
      apikey: apiKey,
      onbehalfof: 'alice',
      accept: 'application/json',
    });
  });

  it('is rejected before it is sent if the filter is invalid', async () => {
    const requests = respond(() => json(pageOf([])));
    const client = clientOf();
    for (const asked of [
      client.list({ stauts: 'ended' } as object),
      ...['', 'a\r\nx: y', '日本'].map((onBehalfOf) => client.list({}, { onBehalfOf })),
      ...[0, 1.5, 100_001].map((limit) => client.toArray({ limit })),
    ])
      expect(await callsErrorOf(asked)).toMatchObject({ code: 'ERR_BAD_REQUEST', status: 400 });
    expect(requests).toHaveLength(0);
  });

  it('for one call stays below /v3/calls/, whatever its id contains', async () => {
    const requests = respond(() => json({ data: callRecord(1) }));
    const client = clientOf();
    for (const [sessionId, path] of [
      ['v1.us.1', '/v3/calls/v1.us.1'],
      ['a/b?c=d#e', '/v3/calls/a%2Fb%3Fc%3Dd%23e'],
      ['%2e%2e', '/v3/calls/%252e%252e'],
      ['a\r\nHost: b', '/v3/calls/a%0D%0AHost%3A%20b'],
    ] as const) {
      expect((await client.get(sessionId)).sessionId).toBe(callRecord(1).sessionId);
      expect(requests.at(-1)?.url).toBe(`${baseUrl}${path}`);
    }
    const sent = requests.length;
    for (const sessionId of ['', '.', '..', 'x'.repeat(513), '\ud800']) {
      expect(await callsErrorOf(client.get(sessionId))).toMatchObject({ code: 'ERR_BAD_REQUEST' });
    }
    expect(requests).toHaveLength(sent);
  });
});

describe('options of a client', () => {
  it.each(['', '/', '/v3/'])('accept a base URL that ends in %j', async (end) => {
    const requests = respond(() => json(pageOf([])));
    await clientOf({ baseUrl: `${baseUrl}/gateway${end}` }).list();
    expect(requests[0]?.url).toBe(`${baseUrl}/gateway/v3/calls`);
  });

  it('accept an app id and a region', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(pageOf([])));
    await createCallsClient({ appId: '24A1B2', region: 'EU', apiKey, fetch }).list();
    expect(fetch.mock.calls[0]?.[0]).toBe('https://24a1b2.call-eu.cometchat.io/v3/calls');
  });

  type Address = Readonly<{ baseUrl: string } | { appId: string; region: string }>;
  it.each<Address>([
    ...['', 'ftp://x', 'http://user:secret@x', 'http://x/?a=b'].map((url) => ({ baseUrl: url })),
    { appId: 'a@evil.example#', region: 'us' },
    { appId: '', region: 'us' },
    { appId: 'a', region: 'us.evil.example/x' },
    { appId: 'a', region: '' },
  ])('reject the address %j', (address) => {
    expect(() => createCallsClient({ ...address, apiKey })).toThrow(
      expect.objectContaining({ code: 'ERR_BAD_REQUEST' }),
    );
  });

  it.each(['', 'k\r\nx: y', 'schlüssel'])(
    'reject a key that does not fit into a header, without quoting it: %j',
    async (wrong) => {
      const client = createCallsClient({ baseUrl: 'http://127.0.0.1:1', apiKey: wrong });
      const error = await callsErrorOf(client.list());
      expect(error.status).toBe(401);
      expect(error.cause).toBeUndefined();
      if (wrong) expect(`${error.message} ${error.stack}`).not.toContain(wrong);
    },
  );
});

describe('an iteration over all calls', () => {
  /** Simulates a service that pages correctly over `count` calls. */
  const respondPaged = (
    count: number,
    pagination: (total: number, perPage: number) => object = (total, per_page) => ({
      total,
      per_page,
      total_pages: Math.ceil(total / per_page),
    }),
    cap = 100,
  ) =>
    respond((request) => {
      const [perPage, page] = [Math.min(cap, perPageOf(request)), pageNumber(request)];
      const rows = numbers(count).slice((page - 1) * perPage, page * perPage);
      return json({
        data: rows.map((number) => callRecord(number)),
        meta: { pagination: pagination(count, perPage) },
      });
    });
  const collect = async (
    client: ReturnType<typeof clientOf>,
    ...parameters: Parameters<typeof client.each>
  ) => {
    const calls: string[] = [];
    for await (const { sessionId } of client.each(...parameters)) calls.push(sessionId);
    return calls;
  };
  const all = (count: number) => numbers(count).map((number) => callRecord(number).sessionId);

  it.each([0, 100, 250])('returns %d calls without an extra request', async (count) => {
    const requests = respondPaged(count);
    expect(await collect(clientOf())).toEqual(all(count));
    expect(requests).toHaveLength(Math.max(1, Math.ceil(count / 100)));
  });

  it.each<[string, (total: number, perPage: number) => object]>([
    ['missing', () => ({})],
    ['too small', (total, per_page) => ({ total, per_page, total_pages: 1 })],
    [
      'a text',
      (total, per_page) => ({
        total: String(total),
        per_page: String(per_page),
        total_pages: 'many',
      }),
    ],
    [
      'per page missing',
      (total, per_page) => ({ total, total_pages: Math.ceil(total / per_page) }),
    ],
  ])('works if total_pages is %s', async (_, pagination) => {
    const requests = respondPaged(205, pagination, 30);
    expect(await collect(clientOf())).toEqual(all(205));
    expect(requests.length).toBeLessThanOrEqual(11);
  });

  it('returns each call once although new calls move rows to later pages', async () => {
    let count = 20;
    respond((request, number) => {
      if (number > 0) count += 2;
      const page = pageNumber(request);
      const rows = numbers(count).slice((page - 1) * 5, page * 5);
      const records = rows.map((row) => callRecord(row));
      return json(
        pageOf(records, { total: count, per_page: 5, total_pages: Math.ceil(count / 5) }),
      );
    });
    expect(await collect(clientOf(), { perPage: 5 })).toEqual(all(20));
  });

  it('stops at a repeated page, and fails at the page limit', async () => {
    const same = respond(() => json(pageOf([callRecord(1)], { total: 1e9, total_pages: 1e9 })));
    expect(await collect(clientOf())).toHaveLength(1);
    expect(same.length).toBeLessThan(10);

    const endless = respond((_, number) =>
      json(pageOf([callRecord(number)], { total: 1e9, total_pages: 1e9 })),
    );
    expect(await callsErrorOf(collect(clientOf(), {}, { maxPages: 20 }))).toMatchObject({
      code: 'ERR_TOO_MANY_PAGES',
    });
    expect(endless).toHaveLength(20);
  });

  it('starts at the page of the filter, and stops requesting when the loop ends', async () => {
    const requests = respondPaged(100);
    const client = clientOf();
    expect(await collect(client, { page: 3, perPage: 40 })).toEqual(all(100).slice(80));
    const sent = requests.length;
    for await (const _ of client.each({ perPage: 10 })) break;
    expect(requests).toHaveLength(sent + 1);
  });

  it('returns an array up to its limit', async () => {
    const requests = respondPaged(500);
    const client = clientOf();
    expect((await client.toArray({ limit: 120 })).map((call) => call.sessionId)).toEqual(
      all(500).slice(0, 120),
    );
    expect(requests).toHaveLength(2);
    expect(await client.toArray({ status: 'ended' }, { limit: 3 })).toHaveLength(3);
    expect(requests.at(-1)?.url).toBe(`${baseUrl}/v3/calls?page=1&perPage=3&status=ended`);
  });
});

describe('a response', () => {
  it('keeps and counts unknown fields and values', async () => {
    const participant = { uid: 'a', state: 'left', platform: { os: 'x' } };
    respond(() =>
      json(
        pageOf([
          callRecord(1, { node: 7, status: 'missed', participants: [participant] }),
          callRecord(2, {
            ...{ node: {}, totalParticipants: '2', totalDurationInMinutes: '1.50' },
            ...{ hasRecording: 1, startedAt: null },
          }),
          { initiator: 'zoe' },
          'no record',
          null,
          { sessionId: '' },
        ]),
      ),
    );
    const client = clientOf();
    const { data } = await client.list();
    expect(data).toHaveLength(2);
    const noMinutes = { totalAudioMinutes: 0, totalVideoMinutes: 0, totalDuration: 0 };
    expect(data[0]).toEqual({
      ...callRecord(1, { node: 7, status: 'missed' }),
      participants: [{ ...participant, ...noMinutes, isJoined: false }],
    });
    expect(data[1]).toMatchObject({
      node: {},
      totalParticipants: 2,
      totalDurationInMinutes: 1.5,
      hasRecording: true,
    });
    expect(data[1]).not.toHaveProperty('startedAt');
    expect(client.drift()).toEqual({
      records: 2,
      withoutSessionId: 4,
      unknownFields: { node: 2, 'participants[].platform': 1 },
      unknownValues: { 'status=missed': 1, 'participants[].state=left': 1 },
      otherTypes: { totalParticipants: 1, totalDurationInMinutes: 1, hasRecording: 1 },
      missingFields: {
        'participants[].totalAudioMinutes': 1,
        'participants[].totalVideoMinutes': 1,
        'participants[].totalDuration': 1,
        'participants[].isJoined': 1,
      },
      uncounted: 0,
    });
  });

  it('requires only the id of a record', async () => {
    respond(
      () =>
        new Response(
          '{"data":[{"sessionId":"a","__proto__":{"polluted":true},"participants":"x","initiatedAt":{}}]}',
        ),
    );
    const client = clientOf();
    const { data, meta } = await client.list();
    expect(data[0]).toMatchObject({
      sessionId: 'a',
      participants: [],
      initiatedAt: 0,
      status: '',
      hasRecording: false,
    });
    expect(data[0]).not.toHaveProperty('startedAt');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(meta).toEqual(pageOf([{}]).meta);
    expect(client.drift().unknownFields).toEqual(Object.fromEntries([['__proto__', 1]]));
  });

  it('stores a bounded number of unknown names', async () => {
    const fields = Object.fromEntries(
      numbers(5_000).map((number) => [`field${number}\n${'x'.repeat(200)}`, 1]),
    );
    respond(() => json(pageOf([callRecord(1, fields)])));
    const client = clientOf();
    await client.list();
    const { unknownFields, uncounted } = client.drift();
    expect(Object.keys(unknownFields)).toHaveLength(200);
    expect(uncounted).toBe(4_800);
    for (const name of Object.keys(unknownFields)) expect(name).toMatch(/^[\x20-\x7e]{1,80}$/);
  });

  it('updates the rate limit of the client', async () => {
    const headersOf = (remaining: number, reset: number) => ({
      ...{ 'x-rate-limit': '10000', 'x-rate-limit-remaining': String(remaining) },
      ...{ 'x-rate-limit-reset': String(reset), 'retry-after': '86400' },
    });
    const answers = [
      json(pageOf([]), { headers: headersOf(9_999, 1_795_000_000) }),
      new Response('', { status: 429, headers: headersOf(0, 20) }),
    ];
    respond((_, number) => answers[number]!);
    const client = clientOf({ now: () => 1_794_999_000_500 });
    expect(client.rateLimit()).toBeUndefined();
    await client.list();
    expect(client.rateLimit()).toEqual({
      limit: 10_000,
      remaining: 9_999,
      resetAt: 1_795_000_000,
      observedAt: 1_794_999_000,
    });
    await callsErrorOf(client.list());
    expect(client.rateLimit()).toMatchObject({ remaining: 0, resetAt: 1_794_999_020 });
  });
});
