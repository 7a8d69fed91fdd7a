import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChatDeliveryRows } from '../../src/records/chat-delivery-table.ts';
import { engines, placeInDatabase, placeInFile } from '../support/state.ts';

const polling = { timeout: 30_000, interval: 10 };

async function opened(deliveries: ChatDeliveryRows): Promise<ChatDeliveryRows> {
  await deliveries.open();
  onTestFinished(() => deliveries.close());
  return deliveries;
}

describe.each(engines)('deliveries in %s', (_name, createPlace) => {
  async function place() {
    const openStore = await createPlace();
    return () => new ChatDeliveryRows(openStore());
  }
  const open = async () => opened((await place())());

  it('wait after they begin, and begin only once', async () => {
    const deliveries = await open();
    expect(await deliveries.stateOf(['a', 'b'])).toBeUndefined();
    expect(await deliveries.begin(['a', 'b'])).toBe(true);
    expect(await deliveries.stateOf(['b', 'c'])).toBe('waiting');
    expect([await deliveries.begin(['a', 'b']), await deliveries.begin(['c', 'b'])]).toEqual([
      false,
      false,
    ]);
    // A delivery that did not begin locks no keys.
    expect(await deliveries.begin(['c'])).toBe(true);
  });

  it('begin once if ten of them with a common key arrive at the same time', async () => {
    const deliveries = await open();
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        deliveries.begin(['message', `delivery-${number}`]),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('stay settled, also for the next process', async () => {
    const create = await place();
    const deliveries = await opened(create());
    await deliveries.begin(['a', 'b']);
    await deliveries.end(['a', 'b'], true);
    const next = await opened(create());
    for (const one of [deliveries, next]) {
      expect([
        await one.stateOf(['c', 'a']),
        await one.stateOf(['b']),
        await one.begin(['c', 'a']),
      ]).toEqual(['settled', 'settled', false]);
    }
  });

  it('count as new if they end without being settled', async () => {
    const deliveries = await open();
    await deliveries.begin(['a', 'b']);
    await deliveries.end(['a', 'b'], false);
    expect(await deliveries.stateOf(['a', 'b'])).toBeUndefined();
    expect(await deliveries.begin(['a', 'b'])).toBe(true);
  });

  it.each([
    ['once a thousand are settled', 1_000],
    ['by the next process', 1],
  ])('are removed after a week %s', async (_, count) => {
    const store = (await createPlace())();
    const open = () => opened(new ChatDeliveryRows(store));
    const first = await open();
    await first.end(['old'], true);
    const deliveries = count > 1 ? first : await open();
    await store.query(`UPDATE chat_deliveries SET taken_until = ${store.dialect.nowPlus('$1')}`, [
      -8 * 24 * 60 * 60 * 1_000,
    ]);
    const many = Array.from({ length: count }, (_, number) => `key-${number}`);
    await deliveries.end(many, true);
    expect(await deliveries.stateOf(['old'])).toBeUndefined();
    expect(await deliveries.stateOf(['key-0'])).toBe('settled');
  });

  it('are remembered if saving them fails, and saved later', async () => {
    const place = await createPlace();
    const store = place();
    let isAway = true;
    const query: typeof store.query = (sql, values) =>
      isAway && !/^\s*SELECT/.test(sql)
        ? Promise.reject(new Error('full'))
        : store.query(sql, values);
    const deliveries = await opened(
      new ChatDeliveryRows(Object.assign(Object.create(store), { query }), 10),
    );
    await expect(deliveries.end(['a'], true)).rejects.toThrow('full');
    expect([await deliveries.stateOf(['a']), await deliveries.begin(['a', 'b'])]).toEqual([
      'settled',
      false,
    ]);
    isAway = false;
    const next = new ChatDeliveryRows(place());
    await vi.waitFor(async () => expect(await next.stateOf(['a'])).toBe('settled'), polling);
  });
});

it('a message of a killed server begins again in the next process', async () => {
  const place = await placeInFile();
  const killed = new ChatDeliveryRows(place());
  expect(await killed.begin(['a'])).toBe(true);
  expect(await new ChatDeliveryRows(place()).begin(['a'])).toBe(true);
});

it('a delivery in a database begins again minutes after its server crashed, but not while it runs', async () => {
  const place = await placeInDatabase();
  const store = place();
  const crashed = new ChatDeliveryRows(place());
  const working = await opened(new ChatDeliveryRows(store, 10));
  await crashed.begin(['crashed']);
  await working.begin(['working']);
  expect(await working.begin(['crashed'])).toBe(false);
  await store.query("UPDATE chat_deliveries SET taken_until = now() - interval '1 second'");
  await vi.waitFor(async () => expect(await crashed.stateOf(['working'])).toBe('waiting'), polling);
  expect(await crashed.begin(['working'])).toBe(false);
  expect(await working.begin(['crashed'])).toBe(true);
});
