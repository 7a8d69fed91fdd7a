import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConversationPlace, type Conversations, createConversations } from '../../src/answers/conversations.ts';
import { temporaryFolder } from '../support/workspace.ts';

const place = (thread: string, more: Partial<ConversationPlace> = {}): ConversationPlace => ({
  owner: 'key:1',
  namespace: 'docs',
  resource: 'r',
  thread,
  ...more,
});

async function conversations({ folder, maxThreads = 10_000 }: { folder?: string; maxThreads?: number } = {}) {
  const warnings: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  const opened = createConversations({
    folder: folder ?? (await temporaryFolder()),
    clock: () => {
      now += 1_000;
      return new Date(now);
    },
    onWarning: (message) => warnings.push(message),
    maxThreads,
  });
  onTestFinished(() => opened.close());
  const turn = (thread: ConversationPlace, said: string) => opened.remember(thread, { question: `${said}?`, answer: `${said}.` }, []);
  return { ...opened, turn, warnings };
}

describe('a thread', () => {
  it('gives back its last six turns in the order in which they were said', async () => {
    const { turn, recall, warnings } = await conversations();
    for (let at = 0; at < 20; at++) turn(place('t'), `${at}`);
    const recalled = recall(place('t'));
    expect(recalled).toEqual([14, 15, 16, 17, 18, 19].map((at) => ({ question: `${at}?`, answer: `${at}.` })));
    expect(warnings).toEqual([]);
  });

  it('keeps at most thirty turns, the last ones', async () => {
    const folder = await temporaryFolder();
    const { turn, recall, close } = await conversations({ folder });
    for (let at = 0; at < 35; at++) turn(place('t'), `${at}`);
    expect(recall(place('t')).at(-1)?.answer).toBe('34.');
    await close();
    const database = new DatabaseSync(join(folder, 'threads.db'), { readOnly: true });
    onTestFinished(() => database.close());
    const rows = database.prepare('select question from turns order by id').all();
    expect(rows).toHaveLength(30);
    expect(rows[0]?.['question']).toBe('5?');
  });

  it('is cut where a message is very long', async () => {
    const { turn, recall } = await conversations();
    turn(place('t'), 'x'.repeat(50_000));
    for (const { question, answer } of recall(place('t'))) expect([question.length, answer.length]).toEqual([4_000, 4_000]);
  });

  it('that nobody began is empty', async () => {
    const { recall, warnings } = await conversations();
    expect(recall(place('t'))).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('belongs to its owner, namespace and resource', async () => {
    const { turn, recall } = await conversations();
    turn(place('t'), 'secret');
    for (const other of [{ owner: 'key:2' }, { namespace: 'hr' }, { resource: 's' }, { owner: 'key:1","docs' }])
      expect(recall(place('t', other))).toEqual([]);
    expect(recall(place('t'))).toHaveLength(1);
  });
});

describe('threads', () => {
  const many = 100;

  it('that were silent longest go, above the number that is kept', async () => {
    const { turn, recall } = await conversations({ maxThreads: 3 });
    const said = async (thread: string) => recall(place(thread)).length > 0;
    for (const thread of ['a', 'b', 'c', 'd', 'e']) {
      turn(place(thread), thread);
      recall(place(thread));
    }
    for (let at = 0; at < many; at++) turn(place('a'), `${at}`);
    expect(await said('a')).toBe(true);
    expect((await Promise.all(['b', 'c', 'd', 'e'].map(said))).filter(Boolean)).toHaveLength(2);
    expect(await said('b')).toBe(false);
    expect(await said('e')).toBe(true);
  });

  it('of one owner do not push those of another out', async () => {
    const { turn, recall } = await conversations({ maxThreads: 10 });
    for (let at = 0; at < 3; at++) turn(place(`b${at}`, { owner: 'key:2' }), `${at}`);
    recall(place('b2', { owner: 'key:2' }));
    for (let at = 0; at < many; at++) turn(place(`a${at}`), `${at}`);
    for (let at = 0; at < many; at++) recall(place(`a${at}`));
    for (let at = 0; at < 3; at++) expect(recall(place(`b${at}`, { owner: 'key:2' }))).toHaveLength(1);
    expect(recall(place('a99'))).toHaveLength(1);
    expect(recall(place('a0'))).toEqual([]);
  });

  it('are written side by side without a loss', async () => {
    const { turn, recall, warnings } = await conversations();
    for (let at = 0; at < 40; at++) turn(place(`t${at}`), `${at}`);
    for (let at = 0; at < 40; at++) expect(recall(place(`t${at}`))).toEqual([{ question: `${at}?`, answer: `${at}.` }]);
    expect(warnings).toEqual([]);
  });
});

it('what was said is there after a restart, also what was being written', async () => {
  const folder = await temporaryFolder();
  const first = await conversations({ folder });
  for (let at = 0; at < 3; at++) first.turn(place('t'), `${at}`);
  await first.close();
  const second = await conversations({ folder });
  expect(second.recall(place('t'))).toHaveLength(3);
});

describe('what is deleted', () => {
  const secret = 'wombatsecret';
  /** How often a word stands anywhere in the files, free pages and log included. */
  const traces = (folder: string, word: string) =>
    readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name), 'latin1').split(word).length - 1, 0);
  const say = (opened: Conversations, thread: ConversationPlace, said: string, documents: string[]) =>
    opened.remember(thread, { question: `question of ${said}?`, answer: `${said} `.repeat(40) }, documents);

  it('with a document is every turn that quotes it, in every thread, down to the bytes', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    for (let at = 0; at < 8; at++) {
      say(opened, place(`t${at}`), 'before', ['other']);
      say(opened, place(`t${at}`), secret, ['other', 'doc-1']);
      say(opened, place(`t${at}`), 'after', []);
    }
    say(opened, place('alone'), secret, ['doc-1']);
    await opened.forgetDocument('doc-1');
    expect(traces(folder, secret)).toBe(0);
    expect(opened.recall(place('t3')).map(({ question }) => question)).toEqual(['question of before?', 'question of after?']);
    expect(opened.list({ owner: 'key:1' }, { page: 0, perPage: 50 }).total).toBe(8);
    expect(opened.warnings).toEqual([]);
  });

  it('with a document is also what the thread had already let go of', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, ['doc-1']);
    for (let at = 0; at < 40; at++) say(opened, place('t'), `later${at}`, []);
    opened.recall(place('t'));
    await opened.forgetDocument('doc-1');
    expect(traces(folder, secret)).toBe(0);
  });

  it('with a namespace are its threads, of every owner, and no others', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    for (const owner of ['key:1', 'key:2']) {
      say(opened, place('t', { owner }), secret, []);
      say(opened, place('t', { owner, namespace: 'hr' }), 'other', []);
    }
    await opened.forgetNamespace('docs');
    expect(traces(folder, secret)).toBe(0);
    expect(opened.recall(place('t', { owner: 'key:2', namespace: 'hr' }))).toHaveLength(1);
  });

  it('of an owner is listed and removed for that owner alone, by the names that were given', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, []);
    say(opened, place('u', { resource: 's' }), secret, []);
    say(opened, place('t', { owner: 'key:2' }), 'another', []);
    const named = async (owner: string) =>
      opened
        .list({ owner }, { page: 0, perPage: 10 })
        .threads.map(({ thread, resource }) => `${thread}/${resource}`)
        .sort();
    expect(await named('key:1')).toEqual(['t/r', 'u/s']);
    expect(opened.remove({ owner: 'key:1', thread: 'u', resource: 'r' })).toBe(0);
    expect(opened.remove({ owner: 'key:1' })).toBe(2);
    expect(await named('key:1')).toEqual([]);
    expect(await named('key:2')).toEqual(['t/r']);
    expect(traces(folder, secret)).toBe(0);
  });

  it('is what an earlier version kept in another form', async () => {
    const folder = await temporaryFolder();
    for (const name of ['conversations.db', 'conversations.db-wal']) writeFileSync(join(folder, name), secret);
    const opened = await conversations({ folder });
    await opened.open();
    expect(traces(folder, secret)).toBe(0);
  });
});

it('nobody else may read the files', async () => {
  const folder = join(await temporaryFolder(), 'conversations');
  const { turn } = await conversations({ folder });
  turn(place('t'), 'secret');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
});
