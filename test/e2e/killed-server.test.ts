/**
 * A server that is killed again and again while it is written to: what it acknowledged is there, what was deleted is gone, and what was cut off
 * happened wholly or not at all.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { initiated } from '../support/call-events.ts';
import { cases } from '../support/depth.ts';
import { createRandom, type Entry, Ledger } from '../support/ledger.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const kills = cases(5);
const seed = Number(process.env['KILL_SEED'] ?? 20261123);
const root = fileURLToPath(new URL('../../', import.meta.url));
const credentials = { authorization: `Basic ${btoa('hook:password')}` };

const noAnswer = 'no answer to';

/** Writes of which some have to be acknowledged. */
const kinds = [
  ...['call event', 'document deleted', 'feedback', 'job', 'messages deleted', 'namespace deleted', 'namespace made'],
  ...['quoted document deleted', 'schedule deleted', 'schedule set', 'text v1', 'text v2', 'thread deleted', 'turn', 'upload'],
];

/** Between two kills, of what is done quickly; what is deleted has several clients. */
const limits: Readonly<Record<string, number>> = { uploads: 6, conversations: 4, schedules: 5, jobs: 6, calls: 6 };

/** Work that goes on in rounds, with a name of its own each time, until the server is gone. */
type Work = (name: string) => Promise<boolean>;

interface Reply {
  readonly status: number;
  readonly body: any;
}

class Client {
  server!: ServerProcess;
  readonly #unexpected: string[];

  constructor(unexpected: string[]) {
    this.#unexpected = unexpected;
  }

  /** Undefined where the server was gone before it answered. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply | undefined> {
    const isForm = body instanceof FormData;
    const type: Record<string, string> = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
    try {
      const response = await fetch(`${this.server.url}${path}`, {
        method,
        headers: { ...type, ...headers },
        body: isForm ? body : body === undefined ? null : JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined;
    }
  }

  /** Anything but a 2xx is written down, and ends the test. @returns false where the server was gone */
  async wrote(...asked: Parameters<Client['send']>): Promise<Reply | false> {
    for (;;) {
      const reply = await this.send(...asked);
      if (!reply) return false;
      // A source may take too long on a busy machine: it is sent until it is stored.
      if (reply.body.results?.some(({ error }: any) => error?.code === 'timeout')) continue;
      if (reply.status < 300) return reply;
      this.#unexpected.push(`${asked[0]} ${asked[1]}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`);
      return false;
    }
  }

  async read(path: string): Promise<Reply> {
    const reply = await this.send('GET', path);
    if (!reply) throw new Error(`${noAnswer} GET ${path}`);
    return reply;
  }
}

function setUp(folder: string, random: () => number) {
  const unexpected: string[] = [];
  const client = new Client(unexpected);
  const ledger = new Ledger();
  const knowledge = join(folder, 'knowledge');

  /** What the search, the file and the list say of the document of a word: its version in each of them, or "gone". */
  async function documentState(namespace: string, word: string): Promise<string> {
    const found = await client.send('POST', '/api/tools/searchDocs', { namespace, query: word, maxResults: 5 });
    const texts: string[] = (found?.body.results ?? []).map(({ text }: { text: string }) => text);
    const path = join(knowledge, namespace);
    const files = existsSync(path) ? readdirSync(path).filter((name) => name.includes(word) && !name.startsWith('.')) : [];
    const versionIn = (all: readonly string[]) =>
      all
        .filter((text) => text.includes(word))
        .map((text) => /version (\S+)\./.exec(text)?.[1])
        .join('+') || 'gone';
    const listed = (await client.read(`/api/namespaces/${namespace}/documents?query=${word}`)).body.total ?? 0;
    return `${versionIn(texts)} ${versionIn(files.map((name) => readFileSync(join(path, name), 'utf8')))} ${listed}`;
  }
  const isThere = (version: string) => `${version} ${version} 1`;
  const isGone = 'gone gone 0';
  const textOf = (word: string, version: string) => `The ${word} eats leaves of version ${version}. It sleeps by day.`;

  async function ingest(namespace: string, word: string, version: string, more: object = {}) {
    const sources = [{ text: textOf(word, version), title: word }];
    return client.wrote('POST', '/api/tools/ingestSources', { namespace, sources, ...more });
  }
  const answerState = async (runId: string) => {
    const { status, body } = await client.read(`/api/answers/${runId}`);
    return status === 404 ? 'none' : `kept${body.feedback.map(({ rating, comment }: any) => ` ${rating} ${comment}`).join('')}`;
  };
  const ask = (question: string, namespace: string, memory?: object) =>
    client.wrote('POST', '/api/agents/knowledge/generate', { messages: `@agent ${question}`, toolParams: { namespace }, memory });

  /** Made, changed, and every other one deleted. */
  const texts: Work = async (name) => {
    const word = `wombat${name}`;
    const entry = ledger.add('text', word, isGone, () => documentState('texts', word));
    let id = '';
    for (const version of ['v1', 'v2']) {
      const isDone = await ledger.write(`text ${version}`, entry, isThere(version), async () => {
        const reply = await ingest('texts', word, version);
        id = reply ? reply.body.results[0].document.id : '';
        return Boolean(reply);
      });
      if (!isDone) return false;
    }
    if (random() < 0.5) return true;
    return ledger.write('document deleted', entry, isGone, async () =>
      Boolean(await client.wrote('DELETE', `/api/namespaces/texts/documents/${id}`)),
    );
  };

  const uploads: Work = async (name) => {
    const word = `upload${name}`;
    const entry = ledger.add('upload', word, isGone, () => documentState('uploads', word));
    return ledger.write('upload', entry, isThere('v1'), async () => {
      const form = new FormData();
      form.append('files', new Blob([`# ${word}\n\n${textOf(word, 'v1')}\n`]), `${word}.md`);
      return Boolean(await client.wrote('POST', '/api/namespaces/uploads/documents', form));
    });
  };

  /** A namespace of six documents, made and deleted: all of it or nothing. */
  const namespaces: Work = async (name) => {
    const namespace = `pack${name}`;
    const count = async () => {
      const path = join(knowledge, namespace);
      const files = existsSync(path) ? readdirSync(path).filter((file) => file.endsWith('.md') && !file.startsWith('.')).length : 0;
      return `${(await client.read(`/api/namespaces/${namespace}/documents`)).body.total ?? 0} ${files}`;
    };
    const entry = ledger.add('namespace', namespace, '0 0', count);
    const sources = Array.from({ length: 6 }, (_, at) => ({ text: textOf(`${namespace}x${at}`, 'v1'), title: `${namespace}x${at}` }));
    const some = sources.map((_, at) => `${at} ${at}`);
    const isMade = await ledger.write(
      'namespace made',
      entry,
      '6 6',
      async () => Boolean(await client.wrote('POST', '/api/tools/ingestSources', { namespace, sources })),
      some,
    );
    return (
      isMade &&
      ledger.write('namespace deleted', entry, '0 0', async () => Boolean(await client.wrote('DELETE', `/api/namespaces/${namespace}`)))
    );
  };

  /** A document that is asked about; the answer is rated, and goes with the document. Of others in its namespace none is deleted after that. */
  const quotedIn = (namespace: string) => async (name: string) => {
    const word = `quokka${name}`;
    const made = await ingest(namespace, word, 'v1');
    const reply = made && (await ask(`what does the ${word} eat?`, namespace, { thread: word, resource: 'quoting' }));
    if (!made || !reply) return false;
    expect(reply.body.text).toContain(word);
    const { runId } = reply.body;
    const { id } = made.body.results[0].document;
    const threadState = async () => (await client.read(`/api/memory/threads/${word}?resourceId=quoting`)).status;
    // Who has read it may count on it: before that it is written behind the answer.
    if ((await client.send('GET', `/api/answers/${runId}`))?.status !== 200) return false;
    if (!(await client.send('GET', `/api/memory/threads/${word}?resourceId=quoting`))) return false;
    const observe = async () => `${await documentState(namespace, word)} ${await answerState(runId)} ${await threadState()}`;
    const state = (feedback: string) => `${isThere('v1')} kept${feedback} 200`;
    const entry = ledger.add('quoted', word, state(''), observe);
    const rated = await ledger.write('feedback', entry, state(` up because ${word}`), async () =>
      Boolean(await client.wrote('POST', `/api/answers/${runId}/feedback`, { rating: 'up', comment: `because ${word}` })),
    );
    if (!rated || random() < 0.3) return rated;
    // Cut off, what quotes it may be gone and the document still there, to be deleted again; never the other way round.
    const halves = [404, 200].map((status) => `${isThere('v1')} none ${status}`);
    return ledger.write(
      'quoted document deleted',
      entry,
      `${isGone} none 404`,
      async () => Boolean(await client.wrote('DELETE', `/api/namespaces/${namespace}/documents/${id}`)),
      halves,
    );
  };

  /** Two turns, of which the first is cut out; then, of every other one, all of it. */
  const conversations: Work = async (name) => {
    const path = `/api/memory/threads/talk${name}`;
    const messages = async () => (await client.send('GET', `${path}/messages?resourceId=talking`))?.body.messages;
    const count = async () => String((await messages())?.length ?? 'none');
    const entry = ledger.add('conversation', name, 'none', count);
    for (const turn of [1, 2]) {
      const isKept = await ledger.write('turn', entry, String(turn * 2), async () => {
        if (!(await ask('what does the wallaby eat?', 'facts', { thread: `talk${name}`, resource: 'talking' }))) return false;
        // Read: it is written behind the answer.
        return (await messages())?.length === turn * 2;
      });
      if (!isKept) return false;
    }
    const [first, second] = (await messages()) ?? [];
    if (!second) return false;
    const messageIds = [first.id, second.id];
    const isCut = await ledger.write('messages deleted', entry, '2', async () =>
      Boolean(await client.wrote('POST', '/api/memory/messages/delete', { messageIds })),
    );
    if (!isCut || random() < 0.5) return isCut;
    return ledger.write('thread deleted', entry, 'none', async () => Boolean(await client.wrote('DELETE', `${path}?resourceId=talking`)));
  };

  const scheduled = new Map<string, Entry>();
  const schedules: Work = async (name) => {
    const source = `source${Number.parseInt(name, 10) % 8}.md`;
    const find = async () => {
      const reply = await client.send('GET', '/api/namespaces');
      const own = reply?.body.namespaces.find((one: any) => one.name === 'scheduled')?.schedules ?? [];
      return own.find((one: any) => one.source === source);
    };
    const entry = scheduled.get(source) ?? ledger.add('schedule', source, 'none', async () => ((await find()) ? 'set' : 'none'));
    scheduled.set(source, entry);
    const request = { namespace: 'scheduled', sources: [{ path: join(folder, 'files', source), refreshEvery: '7d' }] };
    const isSet = await ledger.write('schedule set', entry, 'set', async () =>
      Boolean(await client.wrote('POST', '/api/tools/ingestSources', request)),
    );
    const id = isSet && (await find())?.id;
    if (!id || random() < 0.3) return Boolean(id);
    return ledger.write('schedule deleted', entry, 'none', async () =>
      Boolean(await client.wrote('DELETE', `/api/namespaces/scheduled/schedules/${id}`)),
    );
  };

  /** Acknowledged before it is done: in the end it is. */
  /** Jobs that were killed at two starts: they are not started again, and their document is stored or is not. */
  const crashed = new Set<string>();
  const jobs: Work = async (name) => {
    const word = `jobword${name}`;
    const reply = await ingest('jobs', word, 'v1', { wait: false });
    if (!reply) return false;
    const isDone = `200 completed ${isThere('v1')}`;
    const done = async () => {
      for (;;) {
        const { status, body } = await client.read(`/api/jobs/${reply.body.id}`);
        if (!['queued', 'running'].includes(body.status)) {
          const state = await documentState('jobs', word);
          const isCrashed = body.error?.code === 'crashed';
          if (isCrashed) crashed.add(word);
          return isCrashed && [isGone, isThere('v1')].includes(state) ? isDone : `${status} ${body.status} ${state}`;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const entry = ledger.add('job', word, isDone, done);
    return ledger.write('job', entry, isDone, async () => true);
  };

  const calls: Work = async (name) => {
    const sessionId = `session${name}`;
    const observe = async () => String((await client.send('GET', `/v3/calls/${sessionId}`, undefined, { apikey: 'x' }))?.status);
    const entry = ledger.add('call', sessionId, '404', observe);
    return ledger.write('call event', entry, '200', async () => {
      const event = initiated({ sessionId, from: `a${name}`, to: `b${name}`, at: 1_700_000_000 + Number.parseInt(name, 10) });
      return Boolean(await client.wrote('POST', '/v3/webhooks/calls', event, credentials));
    });
  };

  const works: Readonly<Record<string, Work>> = {
    ...{ texts, uploads, namespaces, conversations, schedules, jobs, calls },
    ...Object.fromEntries(['one', 'two', 'three'].map((which) => [which, quotedIn(`quoted-${which}`)])),
    moreTexts: texts,
    moreNamespaces: namespaces,
  };
  return { client, ledger, unexpected, works, crashed };
}

/** Started and killed before it is ready. */
async function killInTheStart(settings: Record<string, string>, afterMs: number): Promise<void> {
  const env = { PATH: process.env['PATH'], PORT: '0', ...settings };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await ended;
}

it(`killed ${kills} times while clients write, it loses nothing that it acknowledged, and brings nothing back (KILL_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const folder = await temporaryFolder();
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`files/source${at}.md`, `# Source ${at}\n\nText ${at}.\n`]));
  await writeFiles(folder, { ...files, 'knowledge/facts/wallaby.md': '# Wallaby\n\nThe wallaby eats grass at night.\n' });
  const settings = {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    ALLOWED_FILE_ROOTS: join(folder, 'files'),
    CALLS_FILE: join(folder, 'calls.jsonl'),
    CALLS_WEBHOOK_USER: 'hook',
    CALLS_WEBHOOK_PASSWORD: 'password',
    LIMITS: 'answers=100000,threads=100000',
  };
  const { client, ledger, unexpected, works, crashed } = setUp(folder, random);
  let number = 0;
  for (let kill = 0; kill < kills; kill++) {
    client.server = await startServerProcess(settings);
    await ledger.check('touched');
    let isOver = false;
    const busy = Object.entries(works).map(async ([name, work]) => {
      for (let left = limits[name] ?? Number.POSITIVE_INFINITY; left > 0 && !isOver; left--) if (!(await work(`${number++}x`))) return;
    });
    await Promise.race([ledger.reach(40 + Math.floor(random() * 50)), Promise.allSettled(busy)]);
    const ended = client.server.stop('SIGKILL');
    isOver = true;
    await ended;
    const failures = (await Promise.allSettled(busy)).flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect([...unexpected, ...failures.filter((reason) => !reason.includes(noAnswer))]).toEqual([]);
    if (kill % 4 === 2) await killInTheStart(settings, 200 + random() * 800);
  }
  client.server = await startServerProcess(settings);
  await ledger.check('all');
  // One at most for each time that the server was killed in its start.
  expect(crashed.size).toBeLessThanOrEqual(Math.ceil(kills / 4));
  const counts = [...ledger.acknowledged];
  const sum = (of: RegExp) => counts.reduce((total, [what, count]) => total + (of.test(what) ? count : 0), 0);
  expect(counts.map(([what]) => what).sort()).toEqual(kinds);
  expect([sum(/./) > kills * 40, sum(/deleted/) > kills * 5, sum(/feedback/) > kills * 2], JSON.stringify(counts)).toEqual([
    true,
    true,
    true,
  ]);
  expect(await client.server.stop('SIGTERM')).toBe(0);
});
