/**
 * From a hand-off to the answered question, with a kill in each step, of one server with files and
 * of two servers with a database: each step counts once, and nothing is shown before its approval.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Database } from '../../src/records/postgres/database.ts';
import type { Store } from '../../src/records/store.ts';
import { messageEvent } from '../support/chat-platform.ts';
import { cases } from '../support/depth.ts';
import { createRandom } from '../support/ledger.ts';
import { postgres } from '../support/postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startSite } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const polling = { timeout: 180_000, interval: 20 };
const keys = { API_KEYS: 'all,reader=default:read,hr=hr:read+write+admin' };
const basic = { authorization: `Basic ${Buffer.from('hook:password').toString('base64')}` };
const stop = {
  SQLite: [
    "CREATE TRIGGER stop BEFORE UPDATE OF document ON gap_drafts BEGIN SELECT RAISE(ABORT, 'stop'); END",
    'DROP TRIGGER stop',
  ],
  PostgreSQL: [
    `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$;
    CREATE TRIGGER stop BEFORE UPDATE OF document ON gap_drafts EXECUTE FUNCTION stop();`,
    'DROP TRIGGER stop ON gap_drafts',
  ],
} as const;

/** Starts the servers; `kill` kills the one that got the last request, and starts it again. */
async function setUp(engine: keyof typeof stop) {
  const delivered: string[] = [];
  const handedOff = Promise.withResolvers<void>();
  let isDeskAway = true;
  const desk: RequestListener = (request, response) => {
    delivered.push(String(request.headers['webhook-id']));
    handedOff.resolve();
    if (isDeskAway) return;
    response.end();
  };
  const site = await startSite({ '/v3/messages': { body: '{}' }, '/desk': desk });
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    '0/knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    '0/knowledge/hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
  });
  const url = engine === 'SQLite' ? undefined : await postgres.newDatabase();
  const start = (at: number) =>
    startServerProcess({
      ...{ ...keys, CHAT_WEBHOOK_PASSWORD: 'password' },
      ...{ CHAT_CALLBACK_URL: `${site.url}/v3/messages`, ALLOWED_URL_HOSTS: site.host },
      ...{ HANDOFF_WEBHOOK_URL: `${site.url}/desk`, LOG_LEVEL: 'info' },
      KNOWLEDGE_DIR: join(folder, String(at), 'knowledge'),
      INDEX_DIR: join(folder, String(at), 'index'),
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    });
  const servers = [await start(0)];
  if (url !== undefined) servers.push(await start(1));
  let last = 0;
  /** Each request goes to the next server. @returns undefined if it was killed */
  async function send(
    path: string,
    body?: object,
    headers: Record<string, string> = { 'x-api-key': 'all' },
  ) {
    last = (last + 1) % servers.length;
    const reply = servers[last]?.send(body ? 'POST' : 'GET', path, body, { headers });
    return reply?.catch(() => undefined);
  }
  async function kill() {
    const killed = last;
    await servers[killed]?.stop('SIGKILL');
    servers[killed] = await start(killed);
  }
  const openStore = (): Store => {
    if (url === undefined) return storeIn(join(folder, '0/index'));
    return new Database({ url });
  };
  const change = async (sql: string) => {
    const store = openStore();
    await store.query(sql);
    await store.close();
  };
  const answersDir = (at: number) => join(folder, String(at), 'knowledge/default/answers');
  const files = (at = last) =>
    existsSync(answersDir(at))
      ? readdirSync(answersDir(at)).filter((name) => /^[^.].*\.md$/.test(name))
      : [];
  const push = async (event: object) => (await send('/api/webhooks/chat', event, basic))?.body;
  const ask = async (question: string) =>
    (await send('/api/agents/knowledge/generate', { messages: `@agent ${question}` }))?.body;
  const gapOf = async (question: string) =>
    (await send('/api/gaps?state=all'))?.body.gaps.find((one: any) => one.question === question);
  return {
    ...{ servers, send, kill, change, files, push, ask, gapOf, delivered, handedOff, answersDir },
    openDesk: () => {
      isDeskAway = false;
    },
  };
}
type Loop = Awaited<ReturnType<typeof setUp>>;

const question = 'who feeds the office zebra?';
const secret = 'Wilhelmina';

/** Only reviewers of the namespace may see the draft, on any server. */
async function expectHidden({ servers, send, ask, files }: Loop) {
  for (const [at] of servers.entries()) {
    const search = { query: 'the office zebra is fed by', namespace: 'default' };
    const reader = { 'x-api-key': 'reader' };
    const hr = { 'x-api-key': 'hr' };
    const seen = JSON.stringify([
      await ask(question),
      await send('/api/tools/searchDocs', search, reader),
      await send('/api/answers', undefined, reader),
      await send('/api/gaps?state=all', undefined, reader),
      await send('/api/gaps?state=all', undefined, hr),
      await send('/api/insights', undefined, hr),
      await send('/api/namespaces/default/documents', undefined, reader),
      await send('/api/namespaces/default/suggestions', undefined, reader),
    ]);
    expect([seen.includes(secret), seen.includes('answers/'), files(at)]).toEqual([
      ...[false, false, []],
    ]);
  }
}

/** One document, which each server has and answers from. */
async function expectAnswered({ servers, files, gapOf, ask, answersDir }: Loop, asked: string) {
  const { state, drafts } = await gapOf(asked);
  expect([state, drafts.length]).toEqual(['answered', 1]);
  for (const [at] of servers.entries()) {
    const own = () =>
      files(at).filter((name) =>
        readFileSync(join(answersDir(at), name), 'utf8').includes(`question: ${asked}\n`),
      );
    await vi.waitFor(() => expect(own()).toHaveLength(1), polling);
    expect(readFileSync(join(answersDir(at), own()[0] ?? ''), 'utf8')).toContain(drafts[0].text);
    await vi.waitFor(async () => expect((await ask(asked)).answered).toBe(true), polling);
  }
}

it.each(['SQLite', 'PostgreSQL'] as const)(
  'a hand-off becomes one answer after a kill in each step, with %s',
  async (engine) => {
    const loop = await setUp(engine);
    const { push, kill, handedOff, gapOf, send, change, files, delivered, openDesk } = loop;
    // While the receiver has the question but has not confirmed it.
    expect(await push(messageEvent(`@agent ${question}`, { id: '17' }))).toEqual({
      status: 'accepted',
    });
    await handedOff.promise;
    await kill();
    openDesk();
    await expectHidden(loop);

    const text = `The office zebra is fed by ${secret}.`;
    const reply = messageEvent(text, { sender: 'bob', parentId: '17' });
    const answered = push(reply);
    await sleep(createRandom(3)() * 5);
    await kill();
    await answered;
    expect(await push(reply)).toEqual({ status: 'drafted' });
    await kill();
    expect(await push(reply)).toEqual({ status: 'drafted' });
    const { id, state, drafts } = await gapOf(question);
    expect([state, drafts.map((draft: any) => draft.text)]).toEqual(['drafted', [text]]);
    await expectHidden(loop);

    // After the document was written, and before the gap is marked.
    await change(stop[engine][0]);
    const approving = send(`/api/gaps/${id}/approve`, {});
    await vi.waitFor(() => expect(files()).toHaveLength(1), { ...polling, interval: 1 });
    const killed = kill();
    await approving;
    await change(stop[engine][1]);
    await killed;
    if (engine === 'PostgreSQL') await send(`/api/gaps/${id}/approve`, {});
    await expectAnswered(loop, question);
    const again = await send(`/api/gaps/${id}/approve`, {});
    await kill();
    expect([again?.status, `answers/${files(0)[0]}`]).toEqual([200, again?.body.document.file]);
    await expectAnswered(loop, question);
    // The receiver gets the unconfirmed question again, as the same message.
    const first = () => delivered.filter((one) => one === delivered[0]);
    await vi.waitFor(() => expect(first()).toHaveLength(2), polling);
  },
);

it('an approval that is killed at any time ends as one document', async () => {
  const loop = await setUp('SQLite');
  const random = createRandom(5);
  loop.openDesk();
  for (const animal of ['ostrich', 'wombat', 'iguana', 'tapir', 'lemur'].slice(0, cases(2))) {
    const asked = `where does the ${animal} sleep?`;
    await loop.ask(asked);
    const { id } = await loop.gapOf(asked);
    const text = `The ${animal} sleeps in the boiler room.`;
    await loop.send(`/api/gaps/${id}/draft`, { text, author: 'Bob' });
    const approving = loop.send(`/api/gaps/${id}/approve`, {});
    await sleep(random() * 30);
    await loop.kill();
    await approving;
    expect((await loop.send(`/api/gaps/${id}/approve`, {}))?.status).toBe(200);
    await expectAnswered(loop, asked);
  }
});
