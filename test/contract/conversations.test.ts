import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConversationPlace, Conversations } from '../../src/records/conversations.ts';
import { Database } from '../../src/records/postgres/database.ts';
import type { Store } from '../../src/records/store.ts';
import { postgres } from '../support/postgres.ts';
import { engines, placeInDatabase, storeIn } from '../support/state.ts';
import { everythingIn, temporaryFolder } from '../support/workspace.ts';

const place = (thread: string, more: Partial<ConversationPlace> = {}): ConversationPlace => ({
  owner: 'key:1',
  namespace: 'docs',
  resource: 'r',
  thread,
  ...more,
});

const openDatabase = (url: string): Database => {
  const database = new Database({ url, maxConnections: 4 });
  onTestFinished(() => database.close());
  return database;
};
const contents = (messages: readonly { readonly content: string }[]) =>
  messages.map(({ content }) => content);
/** Questions and answers of these turns. */
const turns = (...said: (string | number)[]) => said.flatMap((one) => [`${one}?`, `${one}.`]);

const startTime = Date.UTC(2026, 0, 1);

interface Options {
  readonly maxThreads?: number;
  /** Start of the clock, which advances one second per turn. */
  readonly startsAt?: number;
  readonly recallTimeoutMs?: number;
  readonly pauseMs?: number;
}

/** One server. Its timeouts allow for a busy machine. */
function conversationsIn(store: Store, { startsAt = startTime, ...options }: Options = {}) {
  const warnings: string[] = [];
  const failures: unknown[] = [];
  let now = startsAt;
  const opened = new Conversations({
    store,
    clock: () => {
      now += 1_000;
      return new Date(now);
    },
    onWarning: (message, error) => {
      warnings.push(message);
      failures.push(error);
    },
    maxThreads: 10_000,
    pauseMs: 100,
    recallTimeoutMs: 30_000,
    ...options,
  });
  const turn = (thread: ConversationPlace, said: string, documents: string[] = []) =>
    opened.remember(
      thread,
      [
        { role: 'user', content: `${said}?` },
        { role: 'assistant', content: `${said}.` },
      ],
      documents,
    );
  return Object.assign(opened, { turn, warnings, failures, recall: opened.recall.bind(opened) });
}

describe.each(engines)('in %s', (_, there) => {
  const conversations = async (options: Options = {}) =>
    conversationsIn((await there())(), options);

  describe('a thread', () => {
    it('returns its last twelve messages in order', async () => {
      const { turn, recall, warnings } = await conversations();
      for (let at = 0; at < 20; at++) turn(place('t'), `${at}`);
      const recalled = await recall(place('t'));
      expect(contents(recalled)).toEqual(turns(14, 15, 16, 17, 18, 19));
      for (const { role, content } of recalled)
        expect(role).toBe(content.endsWith('?') ? 'user' : 'assistant');
      expect(warnings).toEqual([]);
    });

    it('keeps only the last sixty messages', async () => {
      const opened = await conversations();
      for (let at = 0; at < 35; at++) opened.turn(place('t'), `${at}`);
      const kept = contents(await opened.messages(place('t')));
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([60, '5?', '34.']);
    });

    it('truncates a very long message', async () => {
      const { turn, recall } = await conversations();
      turn(place('t'), 'x'.repeat(50_000));
      for (const { content } of await recall(place('t')))
        expect(content.length).toBeLessThanOrEqual(4_000);
    });

    it('belongs to its owner, namespace and resource', async () => {
      const { turn, recall } = await conversations();
      turn(place('t'), 'secret');
      for (const other of [
        { owner: 'key:2' },
        { namespace: 'hr' },
        { resource: 's' },
        { owner: 'key:1","docs' },
      ])
        expect(await recall(place('t', other))).toEqual([]);
      expect(await recall(place('t'))).toHaveLength(2);
    });
  });

  describe('threads', () => {
    /** Threads are pruned once in a hundred writes. */
    const pruneInterval = 100;

    it('are removed above the limit, the longest inactive first', async () => {
      const { turn, recall } = await conversations({ maxThreads: 3 });
      const said = async (thread: string) => (await recall(place(thread))).length > 0;
      for (const thread of ['a', 'b', 'c', 'd', 'e']) {
        turn(place(thread), thread);
        await recall(place(thread));
      }
      for (let at = 0; at < pruneInterval; at++) turn(place('a'), `${at}`);
      expect(await said('a')).toBe(true);
      const kept = await Promise.all(['b', 'c', 'd', 'e'].map(said));
      expect(kept).toEqual([false, false, true, true]);
    });

    it('do not evict threads of another owner', async () => {
      const { turn, recall } = await conversations({ maxThreads: 10 });
      for (let at = 0; at < 3; at++) turn(place(`b${at}`, { owner: 'key:2' }), `${at}`);
      await recall(place('b2', { owner: 'key:2' }));
      for (let at = 0; at < pruneInterval; at++) turn(place(`a${at}`), `${at}`);
      for (let at = 0; at < pruneInterval; at++) await recall(place(`a${at}`));
      for (let at = 0; at < 3; at++)
        expect(await recall(place(`b${at}`, { owner: 'key:2' }))).toHaveLength(2);
      expect(await recall(place('a99'))).toHaveLength(2);
      expect(await recall(place('a0'))).toEqual([]);
    });
  });

  it('messages survive a restart, including those that were being written', async () => {
    const open = await there();
    const first = conversationsIn(open());
    for (let at = 0; at < 3; at++) first.turn(place('t'), `${at}`);
    await first.settled();
    const second = conversationsIn(open());
    expect(await second.recall(place('t'))).toHaveLength(6);
  });

  describe('the store', () => {
    const saidIn = async (opened: Conversations, thread: string) =>
      contents(await opened.recall(place(thread)));

    it('removes the turns that quote a deleted document from every thread', async () => {
      const opened = await conversations();
      for (const thread of ['t', 'u']) {
        opened.turn(place(thread), 'before', ['other']);
        opened.turn(place(thread), 'quote', ['other', 'doc-1']);
        opened.turn(place(thread), 'after');
      }
      opened.turn(place('alone'), 'quote', ['doc-1']);
      for (let times = 0; times < 2; times++)
        await opened.settled().then(() => opened.forgetDocument('doc-1'));
      for (const thread of ['t', 'u'])
        expect(await saidIn(opened, thread)).toEqual(turns('before', 'after'));
      expect((await opened.list({ owner: 'key:1' }, { page: 0, perPage: 50 })).total).toBe(2);
      opened.turn(place('t'), 'again', ['doc-1']);
      await opened.settled();
      await opened.forgetDocument('doc-1');
      expect(await saidIn(opened, 't')).toHaveLength(4);
    });

    it('removes all threads of a deleted namespace, and no others', async () => {
      const opened = await conversations();
      for (const owner of ['key:1', 'key:2']) {
        opened.turn(place('t', { owner }), 'one');
        opened.turn(place('t', { owner, namespace: 'hr' }), 'other');
      }
      await opened.settled();
      await opened.forgetNamespace('docs');
      for (const owner of ['key:1', 'key:2']) {
        expect(await opened.recall(place('t', { owner }))).toEqual([]);
        expect(await opened.recall(place('t', { owner, namespace: 'hr' }))).toHaveLength(2);
      }
    });

    it("removes only the owner's messages and threads", async () => {
      const opened = await conversations();
      opened.turn(place('t'), 'mine');
      opened.turn(place('t', { owner: 'key:2' }), 'yours');
      const ids = async (owner: string) =>
        (await opened.messages(place('t', { owner }))).map(({ id }) => id);
      const [mine, yours] = [await ids('key:1'), await ids('key:2')];
      const named = [mine[0]!, yours[0]!, 'none', '\0', '\uD800', ''];
      expect(await opened.removeMessages('key:1', named)).toBe(1);
      expect(await saidIn(opened, 't')).toEqual(['mine.']);
      expect(await opened.remove({ owner: 'key:2', thread: 'none' })).toBe(0);
      expect(await opened.remove({ owner: 'key:2', thread: 't' })).toBe(1);
      expect(await ids('key:2')).toEqual([]);
      expect(await ids('key:1')).toEqual([mine[1]]);
    });

    it('supports unusual names, which stay unchanged', async () => {
      const opened = await conversations();
      const names = [
        '\0',
        'a\0b',
        '\uD800',
        'x\uDC00',
        '\uE000"a"',
        '\\u0000',
        '"',
        '😀',
        '__proto__',
      ];
      for (const name of names) {
        const own = { thread: name, resource: name };
        for (let at = 0; at < 2; at++) opened.turn(place(name, own), `${name}${at}`, [name]);
        opened.turn(place('a'), 'another');
        const { threads } = await opened.list({ owner: 'key:1', ...own }, { page: 0, perPage: 10 });
        expect(threads).toMatchObject([{ ...own, namespace: 'docs' }]);
        expect(contents(await opened.recall(place(name, own)))).toEqual(
          turns(`${name}0`, `${name}1`),
        );
        expect(opened.warnings).toEqual([]);
        expect(await opened.remove({ owner: 'key:1', thread: name })).toBe(1);
      }
    });

    it('lists the most recently used thread first', async () => {
      const opened = await conversations();
      for (const thread of ['a', 'b', 'c', 'a']) {
        opened.turn(place(thread), thread);
        await opened.recall(place(thread));
        await sleep(2);
      }
      const page = async (at: number) =>
        (await opened.list({ owner: 'key:1' }, { page: at, perPage: 2 })).threads.map(
          ({ thread }) => thread,
        );
      expect([await page(0), await page(1)]).toEqual([['a', 'c'], ['b']]);
    });
  });
});

it('a deleted document leaves no trace in files, even of messages that the thread had dropped', async () => {
  const folder = await temporaryFolder();
  const store = storeIn(folder);
  onTestFinished(() => store.close());
  const opened = conversationsIn(store);
  opened.turn(place('t'), 'secret '.repeat(40), ['doc-1']);
  for (let at = 0; at < 40; at++) opened.turn(place('t'), `later${at}`);
  await opened.settled();
  await opened.forgetDocument('doc-1');
  expect(everythingIn(folder)).not.toContain('secret');
});

describe('servers over one database', () => {
  it('lose no message when they write one thread at the same time', async () => {
    const open = await placeInDatabase();
    const servers = [0, 1, 2].map((at) =>
      conversationsIn(open(), { startsAt: startTime - at * 60_000 }),
    );
    for (let at = 0; at < 8; at++)
      for (const [by, server] of servers.entries())
        server.turn(place('t'), `${by}-${at}`, [`doc-${by}-${at}`]);
    for (const server of servers) await server.recall(place('t'));
    const kept = contents(await servers[0]!.messages(place('t')));
    expect(kept).toHaveLength(48);
    for (const [at, content] of kept.entries())
      if (content.endsWith('?')) expect(kept[at + 1]).toBe(content.replace('?', '.'));
    for (const by of servers.keys())
      expect(kept.filter((content) => content.startsWith(`${by}-`))).toEqual(
        turns(...[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `${by}-${at}`)),
      );
    for (const [by, server] of servers.entries())
      await server.settled().then(() => server.forgetDocument(`doc-${(by + 1) % 3}-5`));
    expect(await servers[1]!.messages(place('t'))).toHaveLength(42);
    expect(servers.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('delete and write at the same time without a deadlock', async () => {
    const open = await placeInDatabase();
    const servers = [0, 1, 2].map(() => conversationsIn(open(), { maxThreads: 20 }));
    await Promise.all(
      servers.map(async (server, by) => {
        for (let at = 0; at < 30; at++) {
          server.turn(place(`t${at % 7}`), `${at}`, [`doc-${at % 3}`]);
          if (at % 3 === by) await server.settled().then(() => server.forgetDocument(`doc-${by}`));
        }
        await server.list({ owner: 'key:1' }, { page: 0, perPage: 1 });
      }),
    );
    for (let at = 0; at < 3; at++)
      await servers[0]!.settled().then(() => servers[0]!.forgetDocument(`doc-${at}`));
    expect((await servers[0]!.list({ owner: 'key:1' }, { page: 0, perPage: 1 })).total).toBe(0);
    expect(servers.flatMap(({ failures }) => failures)).toEqual([]);
  });
});

describe('an unreachable database', () => {
  const silent = new Promise<never>(() => undefined);

  it('causes a warning, and an error for requests for threads; both end when it returns', async () => {
    const open = await placeInDatabase();
    const opened = conversationsIn(open());
    opened.turn(place('t'), 'before');
    expect(await opened.recall(place('t'))).toHaveLength(2);
    await postgres.kill();
    expect(await opened.recall(place('t'))).toEqual([]);
    for (let at = 0; at < 3; at++) opened.turn(place('t'), `away ${at}`);
    expect(await opened.recall(place('t'))).toEqual([]);
    const away = { code: 'storage_unavailable', retryAfterSeconds: 5 };
    for (const request of [
      () => opened.list({ owner: 'key:1' }, { page: 0, perPage: 1 }),
      () => opened.messages(place('t')),
      () => opened.remove({ owner: 'key:1' }),
      () => opened.removeMessages('key:1', ['x']),
      () => opened.forgetDocument('doc'),
    ])
      await expect(request()).rejects.toMatchObject(away);
    expect(new Set(opened.warnings)).toEqual(
      new Set(['a conversation could not be recalled', 'a conversation could not be remembered']),
    );
    const late = conversationsIn(open());
    await late.open();
    expect(late.warnings).toEqual(['the conversations could not be opened']);
    await postgres.start();
    await sleep(150);
    for (const server of [opened, late]) {
      server.turn(place('t'), 'after');
      expect(contents(await server.recall(place('t')))).toContain('after.');
    }
  });

  it('is queried rarely and reported once', async () => {
    let queries = 0;
    const database = openDatabase('postgres://u:secret-word@127.0.0.1:1/none');
    const { query: send } = database;
    const query: typeof send = (...statement) => {
      queries++;
      return send(...statement);
    };
    const opened = conversationsIn(Object.assign(database, { query }), { pauseMs: 60_000 });
    for (let at = 0; at < 20; at++) expect(await opened.recall(place(`t${at}`))).toEqual([]);
    expect(queries).toBe(1);
    expect(opened.warnings).toEqual(['a conversation could not be recalled']);
    expect(opened.failures).toEqual([expect.objectContaining({ code: 'storage_unavailable' })]);
    expect(inspect(opened.failures, { depth: 10 })).not.toContain('secret-word');
  });

  it('does not delay an answer if it hangs', async () => {
    const store = openDatabase('postgres://127.0.0.1:1/none');
    const opened = conversationsIn(
      Object.assign(store, { query: () => silent, transact: () => silent }),
      { recallTimeoutMs: 100 },
    );
    opened.turn(place('t'), 'said');
    expect(await opened.recall(place('t'))).toEqual([]);
    expect(opened.warnings).toEqual(['a conversation could not be recalled']);
  });
});
