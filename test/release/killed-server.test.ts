/**
 * Kills a server repeatedly during writes. Acknowledged writes and deletions survive; interrupted
 * ones are atomic.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cases } from '../support/depth.ts';
import { createRandom, type Entry, Ledger } from '../support/ledger.ts';
import { root } from '../support/repository.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const kills = cases(5);
const seed = Number(process.env['KILL_SEED'] ?? 20261123);

const noAnswer = 'no answer to';

const kinds = [
  ...[
    'document deleted',
    'feedback',
    'job',
    'messages deleted',
    'namespace deleted',
    'namespace made',
  ],
  ...[
    'quoted document deleted',
    'schedule deleted',
    'schedule set',
    'text v1',
    'text v2',
    'thread deleted',
    'turn',
    'upload',
  ],
];

/** Rounds between two kills for fast tasks, so that slow deletions get their share. */
const limits: Readonly<Record<string, number>> = {
  uploads: 6,
  conversations: 4,
  schedules: 5,
  jobs: 6,
};

/** Task that runs in rounds, with a new name each time, until the server is killed. */
type Task = (name: string) => Promise<boolean>;

type Reply = Awaited<ReturnType<ServerProcess['send']>>;

class Client {
  server!: ServerProcess;
  readonly #unexpected: string[];

  constructor(unexpected: string[]) {
    this.#unexpected = unexpected;
  }

  /** Undefined if the server ended before it responded. */
  send(method: string, path: string, body?: unknown): Promise<Reply | undefined> {
    return this.server.send(method, path, body).catch(() => undefined);
  }

  /**
   * Records any status but 2xx, which fails the test. @returns false if the server ended before it
   * responded
   */
  async write(...request: Parameters<Client['send']>): Promise<Reply | false> {
    for (;;) {
      const reply = await this.send(...request);
      if (!reply) return false;
      // On a busy machine a source may time out: retry.
      if (reply.body.results?.some(({ error }: any) => error?.code === 'timeout')) continue;
      if (reply.status < 300) return reply;
      this.#unexpected.push(
        `${request[0]} ${request[1]}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`,
      );
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

  /** Version of a word's document in the search, its file and the list, or "gone". */
  async function documentState(namespace: string, word: string): Promise<string> {
    const found = await client.send('POST', '/api/tools/searchDocs', {
      namespace,
      query: word,
      maxResults: 5,
    });
    const texts: string[] = (found?.body.results ?? []).map(({ text }: { text: string }) => text);
    const path = join(knowledge, namespace);
    const files = existsSync(path)
      ? readdirSync(path).filter((name) => name.includes(word) && !name.startsWith('.'))
      : [];
    const versionIn = (all: readonly string[]) =>
      all
        .filter((text) => text.includes(word))
        .map((text) => /version (\S+)\./.exec(text)?.[1])
        .join('+') || 'gone';
    const listed =
      (await client.read(`/api/namespaces/${namespace}/documents?query=${word}`)).body.total ?? 0;
    return `${versionIn(texts)} ${versionIn(files.map((name) => readFileSync(join(path, name), 'utf8')))} ${listed}`;
  }
  const storedState = (version: string) => `${version} ${version} 1`;
  const deletedState = 'gone gone 0';
  const textOf = (word: string, version: string) =>
    `The ${word} eats leaves of version ${version}. It sleeps by day.`;

  async function ingest(namespace: string, word: string, version: string, more: object = {}) {
    const sources = [{ text: textOf(word, version), title: word }];
    return client.write('POST', '/api/tools/ingestSources', { namespace, sources, ...more });
  }
  const answerState = async (runId: string) => {
    const { status, body } = await client.read(`/api/answers/${runId}`);
    return status === 404
      ? 'none'
      : `kept${body.feedback.map(({ rating, comment }: any) => ` ${rating} ${comment}`).join('')}`;
  };
  const ask = (question: string, namespace: string, memory?: object) =>
    client.write('POST', '/api/agents/knowledge/generate', {
      messages: `@agent ${question}`,
      toolParams: { namespace },
      memory,
    });

  const texts: Task = async (name) => {
    const word = `wombat${name}`;
    const entry = ledger.add('text', word, deletedState, () => documentState('texts', word));
    let id = '';
    for (const version of ['v1', 'v2']) {
      const isDone = await ledger.write(
        `text ${version}`,
        entry,
        storedState(version),
        async () => {
          const reply = await ingest('texts', word, version);
          id = reply ? reply.body.results[0].document.id : '';
          return Boolean(reply);
        },
      );
      if (!isDone) return false;
    }
    if (random() < 0.5) return true;
    return ledger.write('document deleted', entry, deletedState, async () =>
      Boolean(await client.write('DELETE', `/api/namespaces/texts/documents/${id}`)),
    );
  };

  const uploads: Task = async (name) => {
    const word = `upload${name}`;
    const entry = ledger.add('upload', word, deletedState, () => documentState('uploads', word));
    return ledger.write('upload', entry, storedState('v1'), async () => {
      const form = new FormData();
      form.append('files', new Blob([`# ${word}\n\n${textOf(word, 'v1')}\n`]), `${word}.md`);
      return Boolean(await client.write('POST', '/api/namespaces/uploads/documents', form));
    });
  };

  const namespaces: Task = async (name) => {
    const namespace = `pack${name}`;
    const count = async () => {
      const path = join(knowledge, namespace);
      const files = existsSync(path)
        ? readdirSync(path).filter((file) => file.endsWith('.md') && !file.startsWith('.')).length
        : 0;
      return `${(await client.read(`/api/namespaces/${namespace}/documents`)).body.total ?? 0} ${files}`;
    };
    const entry = ledger.add('namespace', namespace, '0 0', count);
    const sources = Array.from({ length: 6 }, (_, at) => ({
      text: textOf(`${namespace}x${at}`, 'v1'),
      title: `${namespace}x${at}`,
    }));
    const some = sources.map((_, at) => `${at} ${at}`);
    const isMade = await ledger.write(
      'namespace made',
      entry,
      '6 6',
      async () =>
        Boolean(await client.write('POST', '/api/tools/ingestSources', { namespace, sources })),
      some,
    );
    return (
      isMade &&
      ledger.write('namespace deleted', entry, '0 0', async () =>
        Boolean(await client.write('DELETE', `/api/namespaces/${namespace}`)),
      )
    );
  };

  /** Asks about a document and rates the answer, which is deleted with the document. */
  const quotedIn = (namespace: string) => async (name: string) => {
    const word = `quokka${name}`;
    const made = await ingest(namespace, word, 'v1');
    const reply =
      made &&
      (await ask(`what does the ${word} eat?`, namespace, { thread: word, resource: 'quoting' }));
    if (!made || !reply) return false;
    expect(reply.body.text).toContain(word);
    const { runId } = reply.body;
    const { id } = made.body.results[0].document;
    const threadState = async () =>
      (await client.read(`/api/memory/threads/${word}?resourceId=quoting`)).status;
    // The answer is saved after the response: reading it proves that it was saved.
    if ((await client.send('GET', `/api/answers/${runId}`))?.status !== 200) return false;
    if (!(await client.send('GET', `/api/memory/threads/${word}?resourceId=quoting`))) return false;
    const observe = async () =>
      `${await documentState(namespace, word)} ${await answerState(runId)} ${await threadState()}`;
    const state = (feedback: string) => `${storedState('v1')} kept${feedback} 200`;
    const entry = ledger.add('quoted', word, state(''), observe);
    const rated = await ledger.write('feedback', entry, state(` up because ${word}`), async () =>
      Boolean(
        await client.write('POST', `/api/answers/${runId}/feedback`, {
          rating: 'up',
          comment: `because ${word}`,
        }),
      ),
    );
    if (!rated || random() < 0.3) return rated;
    // An interrupted deletion may remove the answers before the document, never the document first.
    const partialStates = [404, 200].map((status) => `${storedState('v1')} none ${status}`);
    return ledger.write(
      'quoted document deleted',
      entry,
      `${deletedState} none 404`,
      async () =>
        Boolean(await client.write('DELETE', `/api/namespaces/${namespace}/documents/${id}`)),
      partialStates,
    );
  };

  /** Two turns: deletes the first, then every other conversation completely. */
  const conversations: Task = async (name) => {
    const path = `/api/memory/threads/talk${name}`;
    const messages = async () =>
      (await client.send('GET', `${path}/messages?resourceId=talking`))?.body.messages;
    const count = async () => String((await messages())?.length ?? 'none');
    const entry = ledger.add('conversation', name, 'none', count);
    for (const turn of [1, 2]) {
      const isKept = await ledger.write('turn', entry, String(turn * 2), async () => {
        if (
          !(await ask('what does the wallaby eat?', 'facts', {
            thread: `talk${name}`,
            resource: 'talking',
          }))
        )
          return false;
        // The turn is saved after the response.
        return (await messages())?.length === turn * 2;
      });
      if (!isKept) return false;
    }
    const [first, second] = (await messages()) ?? [];
    if (!second) return false;
    const messageIds = [first.id, second.id];
    const isCut = await ledger.write('messages deleted', entry, '2', async () =>
      Boolean(await client.write('POST', '/api/memory/messages/delete', { messageIds })),
    );
    if (!isCut || random() < 0.5) return isCut;
    return ledger.write('thread deleted', entry, 'none', async () =>
      Boolean(await client.write('DELETE', `${path}?resourceId=talking`)),
    );
  };

  const scheduled = new Map<string, Entry>();
  const schedules: Task = async (name) => {
    const source = `source${Number.parseInt(name, 10) % 8}.md`;
    const find = async () => {
      const reply = await client.send('GET', '/api/namespaces');
      const own =
        reply?.body.namespaces.find((one: any) => one.name === 'scheduled')?.schedules ?? [];
      return own.find((one: any) => one.source === source);
    };
    const entry =
      scheduled.get(source) ??
      ledger.add('schedule', source, 'none', async () => ((await find()) ? 'set' : 'none'));
    scheduled.set(source, entry);
    const request = {
      namespace: 'scheduled',
      sources: [{ path: join(folder, 'files', source), refreshEvery: '7d' }],
    };
    const isSet = await ledger.write('schedule set', entry, 'set', async () =>
      Boolean(await client.write('POST', '/api/tools/ingestSources', request)),
    );
    const id = isSet && (await find())?.id;
    if (!id || random() < 0.3) return Boolean(id);
    return ledger.write('schedule deleted', entry, 'none', async () =>
      Boolean(await client.write('DELETE', `/api/namespaces/scheduled/schedules/${id}`)),
    );
  };

  /**
   * A source that was read at two kills is not read again. Its document may or may not be stored.
   */
  const crashed = new Set<string>();
  const jobs: Task = async (name) => {
    const word = `jobword${name}`;
    const reply = await ingest('jobs', word, 'v1', { wait: false });
    if (!reply) return false;
    const isDone = `200 completed ${storedState('v1')}`;
    const done = async () => {
      for (;;) {
        const { status, body } = await client.read(`/api/jobs/${reply.body.id}`);
        if (!['queued', 'running'].includes(body.status)) {
          const state = await documentState('jobs', word);
          const isCrashed = body.results?.[0]?.error?.code === 'crashed';
          if (isCrashed) crashed.add(word);
          return isCrashed && [deletedState, storedState('v1')].includes(state)
            ? isDone
            : `${status} ${body.status} ${state}`;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const entry = ledger.add('job', word, isDone, done);
    return ledger.write('job', entry, isDone, async () => true);
  };

  const tasks: Readonly<Record<string, Task>> = {
    ...{ texts, uploads, namespaces, conversations, schedules, jobs },
    ...Object.fromEntries(
      ['one', 'two', 'three'].map((which) => [which, quotedIn(`quoted-${which}`)]),
    ),
    moreTexts: texts,
    moreNamespaces: namespaces,
  };
  return { client, ledger, unexpected, tasks, crashed };
}

async function killDuringStartup(settings: Record<string, string>, afterMs: number): Promise<void> {
  const env = { PATH: process.env['PATH'], PORT: '0', ...settings };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await ended;
}

it(`keeps acknowledged writes and deletions when killed ${kills} times during writes (KILL_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const folder = await temporaryFolder();
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `files/source${at}.md`,
      `# Source ${at}\n\nText ${at}.\n`,
    ]),
  );
  await writeFiles(folder, {
    ...files,
    'knowledge/facts/wallaby.md': '# Wallaby\n\nThe wallaby eats grass at night.\n',
  });
  const settings = {
    ...foldersIn(folder),
    ALLOWED_FILE_ROOTS: join(folder, 'files'),
    LIMITS: 'answers=100000,threads=100000',
  };
  const { client, ledger, unexpected, tasks, crashed } = setUp(folder, random);
  let number = 0;
  for (let kill = 0; kill < kills; kill++) {
    client.server = await startServerProcess(settings);
    await ledger.check('touched');
    let isOver = false;
    const busy = Object.entries(tasks).map(async ([name, task]) => {
      for (let left = limits[name] ?? Number.POSITIVE_INFINITY; left > 0 && !isOver; left--)
        if (!(await task(`${number++}x`))) return;
    });
    await Promise.race([ledger.reach(40 + Math.floor(random() * 50)), Promise.allSettled(busy)]);
    const ended = client.server.stop('SIGKILL');
    isOver = true;
    await ended;
    const failures = (await Promise.allSettled(busy)).flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    expect([...unexpected, ...failures.filter((reason) => !reason.includes(noAnswer))]).toEqual([]);
    if (kill % 4 === 2) await killDuringStartup(settings, 200 + random() * 800);
  }
  client.server = await startServerProcess(settings);
  await ledger.check('all');
  // At most one for each kill during startup.
  expect(crashed.size).toBeLessThanOrEqual(Math.ceil(kills / 4));
  const counts = [...ledger.acknowledged];
  const sum = (of: RegExp) =>
    counts.reduce((total, [what, count]) => total + (of.test(what) ? count : 0), 0);
  expect(counts.map(([what]) => what).sort()).toEqual(kinds);
  expect(
    [sum(/./) > kills * 40, sum(/deleted/) > kills * 5, sum(/feedback/) > kills * 2],
    JSON.stringify(counts),
  ).toEqual([true, true, true]);
  expect(await client.server.stop('SIGTERM')).toBe(0);
});
