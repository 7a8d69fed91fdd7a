import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConversationPlace, type ConversationsOptions, createConversations } from '../../src/mastra/conversations.ts';
import { temporaryFolder } from '../support/workspace.ts';

const place = (thread: string, more: Partial<ConversationPlace> = {}): ConversationPlace => ({
  owner: 'key:1',
  namespace: 'docs',
  resource: 'r',
  thread,
  ...more,
});

async function conversations(options: Partial<ConversationsOptions> = {}) {
  const warnings: string[] = [];
  let now = Date.UTC(2026, 0, 1);
  const opened = createConversations({
    folder: options.folder ?? (await temporaryFolder()),
    clock: () => {
      now += 1_000;
      return new Date(now);
    },
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  onTestFinished(() => opened.close());
  const turn = (thread: ConversationPlace, said: string) =>
    opened.remember(thread, [
      { role: 'user', content: `${said}?` },
      { role: 'assistant', content: `${said}.` },
    ]);
  return { ...opened, turn, warnings };
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
