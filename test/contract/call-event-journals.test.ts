import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EventJournal } from '../../src/calls/call-events.ts';
import { createCallLog } from '../../src/calls/call-log.ts';
import { createEventJournal } from '../../src/state/call-events.ts';
import { ended, initiated, occupant, rung } from '../support/call-events.ts';
import { postgres } from '../support/postgres.ts';
import { engines, type Place, placeInDatabase } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const at = 1_700_000_000;
const polling = { timeout: 30_000, interval: 20 };

/** Opens a new journal of the same store each time, like several servers. */
async function journalsOf(createPlace: () => Promise<Place>) {
  const place = await createPlace();
  const warnings: string[] = [];
  return {
    place,
    open: () => createEventJournal(place(), (message) => warnings.push(message)),
    warnings,
  };
}
const inDatabase = () => journalsOf(() => placeInDatabase());

async function openLog(journal: EventJournal) {
  const log = createCallLog({ file: join(await temporaryFolder(), 'calls.jsonl'), journal });
  await log.open();
  onTestFinished(() => log.close());
  return log;
}

describe.each(engines)('events in %s', (_name, createPlace) => {
  const place = () => journalsOf(createPlace);

  it('are returned exactly once to a later reader', async () => {
    const { open } = await place();
    expect(await open().news()).toEqual([]);
    const journal = open();
    await journal.append(['{"sessionId":"a"}', '{"sessionId":"b\\u0000"}']);
    await journal.append(['{"sessionId":"c"}']);
    expect((await open().news()).toSorted()).toEqual([
      '{"sessionId":"a"}',
      '{"sessionId":"b\\u0000"}',
      '{"sessionId":"c"}',
    ]);
  });

  it('produce the same calls after a restart, in any order and with duplicates', async () => {
    const { open } = await place();
    const before = await openLog(open());
    const endEvent = ended('call', at + 5, at + 65, [occupant('ann A.', at + 5, at + 65)]);
    for (const event of [endEvent, initiated({ at }), endEvent, initiated({ at })])
      await before.apply(event);
    const after = await openLog(open());
    expect((await after.list({})).data).toEqual((await before.list({})).data);
    expect(await after.get('s1')).toMatchObject({ status: 'ended', totalDurationInMinutes: 1 });
    expect(await after.apply(endEvent)).toBe('unchanged');
  });

  it('are skipped with a warning if they were altered', async () => {
    const { place: store, open, warnings } = await place();
    await open().append(['first', 'second']);
    await store().query("UPDATE call_events SET event = '{}' WHERE event = 'first'");
    expect(await open().news()).toEqual(['second']);
    expect(warnings).toEqual(['Damaged call events were skipped: 1.']);
  });

  it('may have a thousand participants', async () => {
    const { open } = await place();
    const log = await openLog(open());
    const occupants = Array.from({ length: 1_000 }, (_, number) =>
      occupant(`user-${number} ${'x'.repeat(100)}`, at, at + 60),
    );
    expect(await log.apply(ended('meeting', at, at + 60, occupants))).toBe('applied');
    const after = await openLog(open());
    expect((await after.list({})).data[0]?.totalParticipants).toBe(1_000);
  });
});

describe('events in a database', () => {
  it('appear in the calls of all servers, including events that waited for their session', async () => {
    const { open } = await inDatabase();
    const [first, second, third] = [
      await openLog(open()),
      await openLog(open()),
      await openLog(open()),
    ];
    // Contains only its conversation and arrives before the call that it belongs to.
    await second.apply(rung('rejected', { at: at + 20 }));
    await first.apply(initiated({ at }));
    for (const log of [first, second, third])
      await vi.waitFor(
        async () =>
          expect((await log.list({})).data).toMatchObject([
            { sessionId: 's1', status: 'rejected' },
          ]),
        polling,
      );
  });

  it('are not missed if they are committed late', async () => {
    const { place, open } = await inDatabase();
    const journal = open();
    const late = Promise.withResolvers<void>();
    const isOpen = Promise.withResolvers<void>();
    const store = place();
    const appending = createEventJournal(
      {
        ...store,
        transact: (work) =>
          store.transact(async (transaction) => {
            const result = await work(transaction);
            isOpen.resolve();
            await late.promise;
            return result;
          }),
      },
      () => undefined,
    ).append(['late']);
    await isOpen.promise;
    await journal.append(['early']);
    expect(await journal.news()).toEqual(['early']);
    late.resolve();
    await appending;
    expect(await journal.news()).toContain('late');
    expect(await journal.news()).toEqual([]);
  });

  it('are not acknowledged while the database is down, and are stored when they are sent again', async () => {
    const { open, warnings } = await inDatabase();
    const [first, second] = [await openLog(open()), await openLog(open())];
    await first.apply(initiated({ at }));
    await postgres.kill();
    const endEvent = ended('call', at + 5, at + 65, []);
    await expect(first.apply(endEvent)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), polling);
    expect((await first.list({})).data).toHaveLength(1);
    const third = await openLog(open());
    await postgres.start();
    await first.apply(endEvent);
    for (const log of [second, third])
      await vi.waitFor(
        async () =>
          expect((await log.list({})).data).toMatchObject([{ sessionId: 's1', status: 'ended' }]),
        polling,
      );
    // Each server warns once.
    expect(warnings.length).toBeLessThanOrEqual(3);
  });
});
