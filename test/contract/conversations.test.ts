import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConversationPlace, Conversations } from '../../src/app/ask/ask.ts';
import { ConversationStore } from '../../src/mastra/conversations.ts';
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
  const opened = new ConversationStore({
    folder: folder ?? (await temporaryFolder()),
    clock: () => {
      now += 1_000;
      return new Date(now);
    },
    onWarning: (message) => warnings.push(message),
    maxThreads,
  });
  onTestFinished(() => opened.close());
  const turn = (thread: ConversationPlace, said: string) =>
    opened.remember(
      thread,
      [
        { role: 'user', content: `${said}?` },
        { role: 'assistant', content: `${said}.` },
      ],
      [],
    );
  return Object.assign(opened, { turn, warnings, recall: opened.recall.bind(opened), close: opened.close.bind(opened) });
}

describe('a thread', () => {
  it('gives back its last twelve messages in the order in which they were said', async () => {
    const { turn, recall, warnings } = await conversations();
    for (let at = 0; at < 20; at++) turn(place('t'), `${at}`);
    const recalled = await recall(place('t'));
    expect(recalled.map(({ content }) => content)).toEqual([14, 15, 16, 17, 18, 19].flatMap((at) => [`${at}?`, `${at}.`]));
    expect(recalled.map(({ role }) => role)).toEqual(Array.from({ length: 6 }, () => ['user', 'assistant']).flat());
    expect(warnings).toEqual([]);
  });

  it('keeps at most sixty messages, the last ones', async () => {
    const folder = await temporaryFolder();
    const { turn, recall, close } = await conversations({ folder });
    for (let at = 0; at < 35; at++) turn(place('t'), `${at}`);
    expect((await recall(place('t'))).at(-1)?.content).toBe('34.');
    await close();
    const database = new DatabaseSync(join(folder, 'conversations.db'), { readOnly: true });
    onTestFinished(() => database.close());
    const rows = database.prepare('select content from mastra_messages order by "createdAt"').all();
    expect(rows).toHaveLength(60);
    expect(String(rows[0]?.['content'])).toContain('"5?"');
  });

  it('is cut where a message is very long', async () => {
    const { turn, recall } = await conversations();
    turn(place('t'), 'x'.repeat(50_000));
    for (const { content } of await recall(place('t'))) expect(content.length).toBeLessThanOrEqual(4_000);
  });

  it('that nobody began is empty', async () => {
    const { recall, warnings } = await conversations();
    expect(await recall(place('t'))).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('belongs to its owner, namespace and resource', async () => {
    const { turn, recall } = await conversations();
    turn(place('t'), 'secret');
    for (const other of [{ owner: 'key:2' }, { namespace: 'hr' }, { resource: 's' }, { owner: 'key:1","docs' }])
      expect(await recall(place('t', other))).toEqual([]);
    expect(await recall(place('t'))).toHaveLength(2);
  });
});

describe('threads', () => {
  /** Pruned once in a hundred writes. */
  const untilPruned = 100;

  it('that were silent longest go, above the number that is kept', async () => {
    const { turn, recall } = await conversations({ maxThreads: 3 });
    const said = async (thread: string) => (await recall(place(thread))).length > 0;
    for (const thread of ['a', 'b', 'c', 'd', 'e']) {
      turn(place(thread), thread);
      await recall(place(thread));
    }
    for (let at = 0; at < untilPruned; at++) turn(place('a'), `${at}`);
    expect(await said('a')).toBe(true);
    expect((await Promise.all(['b', 'c', 'd', 'e'].map(said))).filter(Boolean)).toHaveLength(2);
    expect(await said('b')).toBe(false);
    expect(await said('e')).toBe(true);
  });

  it('of one owner do not push those of another out', async () => {
    const { turn, recall } = await conversations({ maxThreads: 10 });
    for (let at = 0; at < 3; at++) turn(place(`b${at}`, { owner: 'key:2' }), `${at}`);
    await recall(place('b2', { owner: 'key:2' }));
    for (let at = 0; at < untilPruned; at++) turn(place(`a${at}`), `${at}`);
    for (let at = 0; at < untilPruned; at++) await recall(place(`a${at}`));
    for (let at = 0; at < 3; at++) expect(await recall(place(`b${at}`, { owner: 'key:2' }))).toHaveLength(2);
    expect(await recall(place('a99'))).toHaveLength(2);
    expect(await recall(place('a0'))).toEqual([]);
  });

  it('are written side by side without a loss', async () => {
    const { turn, recall, warnings } = await conversations();
    for (let at = 0; at < 40; at++) turn(place(`t${at}`), `${at}`);
    for (let at = 0; at < 40; at++) expect((await recall(place(`t${at}`))).map(({ content }) => content)).toEqual([`${at}?`, `${at}.`]);
    expect(warnings).toEqual([]);
  });
});

it('what was said is there after a restart, also what was being written', async () => {
  const folder = await temporaryFolder();
  const first = await conversations({ folder });
  for (let at = 0; at < 3; at++) first.turn(place('t'), `${at}`);
  await first.close();
  const second = await conversations({ folder });
  expect(await second.recall(place('t'))).toHaveLength(6);
});

describe('what is deleted', () => {
  const secret = 'wombatsecret';
  /** How often a word stands anywhere in the files, free pages and log included. */
  const traces = (folder: string, word: string) =>
    readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name), 'latin1').split(word).length - 1, 0);
  const say = (opened: Conversations, thread: ConversationPlace, said: string, documents: string[]) =>
    opened.remember(
      thread,
      [
        { role: 'user', content: `question of ${said}?` },
        { role: 'assistant', content: `${said} `.repeat(40) },
      ],
      documents,
    );

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
    const kept = (await opened.recall(place('t3'))).map(({ content }) => content.split(' ')[0]);
    expect(kept).toEqual(['question', 'before', 'question', 'after']);
    expect((await opened.list({ owner: 'key:1' }, { page: 0, perPage: 50 })).total).toBe(8);
    expect(opened.warnings).toEqual([]);
  });

  it('with a document is also what the thread had already let go of', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, ['doc-1']);
    for (let at = 0; at < 40; at++) say(opened, place('t'), `later${at}`, []);
    await opened.recall(place('t'));
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
    expect(await opened.recall(place('t', { owner: 'key:2', namespace: 'hr' }))).toHaveLength(2);
  });

  it('of an owner is listed and removed for that owner alone, by the names that were given', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, []);
    say(opened, place('u', { resource: 's' }), secret, []);
    say(opened, place('t', { owner: 'key:2' }), 'another', []);
    const named = async (owner: string) =>
      (await opened.list({ owner }, { page: 0, perPage: 10 })).threads.map(({ thread, resource }) => `${thread}/${resource}`).sort();
    expect(await named('key:1')).toEqual(['t/r', 'u/s']);
    expect(await opened.remove({ owner: 'key:1', thread: 'u', resource: 'r' })).toBe(0);
    expect(await opened.remove({ owner: 'key:1' })).toBe(2);
    expect(await named('key:1')).toEqual([]);
    expect(await named('key:2')).toEqual(['t/r']);
    expect(traces(folder, secret)).toBe(0);
  });

  it('is what an earlier version kept without saying whose it was', async () => {
    const folder = await temporaryFolder();
    const first = await conversations({ folder });
    say(first, place('t'), secret, []);
    await first.close();
    const database = new DatabaseSync(join(folder, 'conversations.db'));
    database.exec('update mastra_threads set metadata = null');
    database.close();
    const second = await conversations({ folder });
    expect(await second.recall(place('t'))).toEqual([]);
    expect(traces(folder, secret)).toBe(0);
  });
});
