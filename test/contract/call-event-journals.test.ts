import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EventJournal } from '../../src/calls/call-events.ts';
import { createCallLog } from '../../src/calls/call-log.ts';
import { createEventJournal, keepCallEvent } from '../../src/state/call-events.ts';
import { ended, initiated, occupant, rung } from '../support/call-events.ts';
import { postgres } from '../support/postgres.ts';
import { engines, type Place, placeInDatabase } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const at = 1_700_000_000;
const patient = { timeout: 30_000, interval: 20 };

/** Opens the journal of one place each time, as each of several servers does. */
async function journalsOf(createPlace: () => Promise<Place>) {
  const place = await createPlace();
  const warnings: string[] = [];
  return { place, open: () => createEventJournal(place(), (message) => warnings.push(message)), warnings };
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

  it('are there for who comes later, each once', async () => {
    const { open } = await place();
    expect(await open().news()).toEqual([]);
    const journal = open();
    await journal.append(['{"sessionId":"a"}', '{"sessionId":"b\\u0000"}']);
    await journal.append(['{"sessionId":"c"}']);
    expect((await open().news()).toSorted()).toEqual(['{"sessionId":"a"}', '{"sessionId":"b\\u0000"}', '{"sessionId":"c"}']);
  });

  it('make the same calls after a restart, in whatever order and however often they were told', async () => {
    const { open } = await place();
    const before = await openLog(open());
    const over = ended('call', at + 5, at + 65, [occupant('ann A.', at + 5, at + 65)]);
    for (const said of [over, initiated({ at }), over, initiated({ at })]) await before.apply(said);
    const after = await openLog(open());
    expect((await after.list({})).data).toEqual((await before.list({})).data);
    expect(await after.get('s1')).toMatchObject({ status: 'ended', totalDurationInMinutes: 1 });
    expect(await after.apply(over)).toBe('unchanged');
  });

  it('are left out with a warning if they were altered', async () => {
    const { place: store, open, warnings } = await place();
    await open().append(['first', 'second']);
    await store().query("UPDATE call_events SET event = '{}' WHERE event = 'first'");
    expect(await open().news()).toEqual(['second']);
    expect(warnings).toEqual(['Damaged call events were skipped: 1.']);
  });

  it('are as long as an event of a thousand participants', async () => {
    const { open } = await place();
    const log = await openLog(open());
    const all = Array.from({ length: 1_000 }, (_, number) => occupant(`user-${number} ${'x'.repeat(100)}`, at, at + 60));
    expect(await log.apply(ended('meeting', at, at + 60, all))).toBe('applied');
    const after = await openLog(open());
    expect((await after.list({})).data[0]?.totalParticipants).toBe(1_000);
  });
});

describe('events in a database', () => {
  it('that one server is told are in the calls of all, also what waited there for its session', async () => {
    const { open } = await inDatabase();
    const [first, second, third] = [await openLog(open()), await openLog(open()), await openLog(open())];
    // Says its conversation alone, and comes before the call that it belongs to.
    await second.apply(rung('rejected', { at: at + 20 }));
    await first.apply(initiated({ at }));
    for (const log of [first, second, third])
      await vi.waitFor(async () => expect((await log.list({})).data).toMatchObject([{ sessionId: 's1', status: 'rejected' }]), patient);
  });

  it('that were committed late are not missed', async () => {
    const { place, open } = await inDatabase();
    const journal = open();
    const late = Promise.withResolvers<void>();
    const isOpen = Promise.withResolvers<void>();
    const held = place().transact(async ({ query }) => {
      await keepCallEvent(query, 'late');
      isOpen.resolve();
      await late.promise;
    });
    await isOpen.promise;
    await journal.append(['early']);
    expect(await journal.news()).toEqual(['early']);
    late.resolve();
    await held;
    expect(await journal.news()).toContain('late');
    expect(await journal.news()).toEqual([]);
  });

  it('are not acknowledged while the database is away, and are kept when they are sent again', async () => {
    const { open, warnings } = await inDatabase();
    const [first, second] = [await openLog(open()), await openLog(open())];
    await first.apply(initiated({ at }));
    await postgres.kill();
    const over = ended('call', at + 5, at + 65, []);
    await expect(first.apply(over)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), patient);
    expect((await first.list({})).data).toHaveLength(1);
    const third = await openLog(open());
    await postgres.start();
    await first.apply(over);
    for (const log of [second, third])
      await vi.waitFor(async () => expect((await log.list({})).data).toMatchObject([{ sessionId: 's1', status: 'ended' }]), patient);
    // Each server tells it once.
    expect(warnings.length).toBeLessThanOrEqual(3);
  });
});
