/**
 * Full disks, read-only disks and unreadable folders: refusals have a code, and questions are still
 * answered.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../support/repository.ts';
import { canMount } from '../support/server-process.ts';
import { whenDone } from '../support/when-done.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const patient = { timeout: 300_000, interval: 50 };
const isRoot = process.getuid?.() === 0;
const unprivilegedUid = 65_534;

function canLimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Start {
  readonly settings: Record<string, string>;
  /** Shell command to run before the server, in a new mount namespace. */
  readonly mount?: string;
  readonly uid?: number;
}

/**
 * Starts the server and a shell in the same mount namespace, so that the shell can change its
 * files.
 */
async function start({ settings, mount, uid }: Start) {
  // The shell reads commands: only processes in the mount namespace can fill or clear its file
  // systems.
  const script = `${mount ?? 'true'} && { "$@" >&3 2>&1 3>&- & } ; while read -r line; do eval "$line"; echo "did $?"; done; kill -9 $!`;
  const command = ['sh', '-c', script, 'sh', process.execPath, 'src/main.ts'];
  const [program = '', ...rest] = mount === undefined ? command : ['unshare', '-rm', ...command];
  const shell = spawn(program, rest, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
    },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  whenDone(() => void shell.stdin?.end());
  let [output, did] = ['', ''];
  shell.stdio[3]?.on('data', (part) => (output += part));
  shell.stdout?.on('data', (part) => (did += part));
  await vi.waitFor(() => expect(output).toMatch(/"msg":"ready"|problem/), patient);
  const url = () => /listening on (http:\/\/[^ "]+)/.exec(output)?.[1] ?? '';
  const send = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: any }> => {
    const headers: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url()}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer: any = await response.json();
    // On a busy machine a source may time out: retry.
    return answer.results?.[0]?.error?.code === 'timeout'
      ? send(method, path, body)
      : { status: response.status, body: answer };
  };
  return {
    send,
    output: () => output,
    async run(line: string): Promise<void> {
      did = '';
      shell.stdin?.write(`${line}\n`);
      await vi.waitFor(() => expect(did).toMatch(/did \d+/), patient);
    },
    async restart(): Promise<void> {
      output = '';
      shell.stdin?.write(`kill -9 $!; wait $! 2>/dev/null; { "$@" >&3 2>&1 3>&- & }\n`);
      await vi.waitFor(() => expect(output).toContain('"msg":"ready"'), patient);
    },
  };
}

const padding = 'Filling of a document that takes its room. '.repeat(200);
const document = (name: string) => ({
  namespace: 'docs',
  sources: [{ text: `The ${name} eats leaves. ${padding}`, title: name }],
});
const ingest = ({ send }: Pick<Server, 'send'>, name: string, more = {}) =>
  send('POST', '/api/tools/ingestSources', { ...document(name), ...more });
/** Needs more space than a full disk has. */
const ingestLater = (server: Pick<Server, 'send'>) =>
  ingest(server, '', { sources: [{ text: padding.repeat(100), title: 'bilby' }], wait: false });
const question = { messages: '@agent within how many days are refunds paid?' };

async function folders() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'index/.keep': '',
  });
  return foldersIn(folder);
}

type Server = Awaited<ReturnType<typeof start>>;

async function expectAnswers({ send }: Server): Promise<any> {
  const { status, body } = await send('POST', '/api/agents/knowledge/generate', question);
  expect([status, body.text]).toEqual([200, expect.stringContaining('within 30 days')]);
  expect(
    (await send('POST', '/api/tools/searchDocs', { query: 'refunds' })).body.results,
  ).toHaveLength(1);
  expect((await send('GET', '/ready')).status).toBe(200);
  return body;
}

const threads = '/api/memory/threads?resourceId=me';
/** Asks a question in a thread, which the wombat document answers. */
async function askIn({ send }: Server, namespace: string, thread: string): Promise<any> {
  const messages = '@agent what does the wombat eat?';
  const asked = { messages, toolParams: { namespace }, memory: { thread, resource: 'me' } };
  const { status, body } = await send('POST', '/api/agents/knowledge/generate', asked);
  expect([status, body.text]).toEqual([200, expect.stringContaining('eats leaves')]);
  return body;
}

const codeOf = ({ body }: { body: any }) => body.code ?? body.results?.[0]?.error?.code;
const outcomeOf = (answer: { status: number; body: any }) => [answer.status, codeOf(answer)];
const refused = { full: 'storage_full', readOnly: 'storage_unavailable' };

describe.skipIf(!canMount())('a full disk', () => {
  /** Shell commands that mount a small file system on a folder and copy its files into it. */
  const mounted = (path: string) =>
    `cp -a ${path} ${path}.was && mount -t tmpfs -o size=4m none ${path} && cp -a ${path}.was/. ${path}`;

  it.each([[['INDEX_DIR']], [['KNOWLEDGE_DIR', 'INDEX_DIR']]])(
    'with %j refuses writes, answers, deletes, and accepts writes when there is space again',
    async (which) => {
      const settings: Record<string, string> = await folders();
      const paths = which.map((setting) => settings[setting] ?? '');
      const server = await start({ settings, mount: paths.map(mounted).join(' && ') });
      const { send } = server;
      const statusOf = async (path: string) => (await send('GET', path)).status;
      const totalOf = async (path: string) => (await send('GET', path)).body.total;
      const documents = '/api/namespaces/docs/documents?query=';
      const first = await ingest(server, 'wombat');
      expect(first).toMatchObject({ status: 200 });
      const { id } = first.body.results[0].document;
      const { runId } = await askIn(server, 'docs', 'quoting');
      await askIn(server, 'docs', 'quoting-too');
      expect((await ingest(server, 'wombat', { namespace: 'other' })).status).toBe(200);
      const { runId: ofOther } = await askIn(server, 'other', 'of-other');
      for (const id of [runId, ofOther]) expect(await statusOf(`/api/answers/${id}`)).toBe(200);
      expect(await totalOf(threads)).toBe(3);

      for (const path of paths) await server.run(`cat /dev/zero > ${path}/.filling 2>/dev/null`);
      const unkept = await expectAnswers(server);
      // After a checkpoint of an idle server, a small write fits into the log.
      const rated = await send('POST', `/api/answers/${unkept.runId}/feedback`, { rating: 'up' });
      expect(rated.status === 200 || codeOf(rated) === refused.full).toBe(true);
      expect(await statusOf(`/api/answers/${unkept.runId}`)).toBe(rated.status);
      const ingested = await ingest(server, 'quokka');
      const job = await ingestLater(server);
      const feedback = await send('POST', `/api/answers/${runId}/feedback`, {
        rating: 'up',
        comment: padding.slice(0, 2_000),
      });
      if (which.includes('KNOWLEDGE_DIR')) expect(outcomeOf(ingested)).toEqual([422, refused.full]);
      else expect(ingested.status).toBe(200);
      expect(outcomeOf(job)).toEqual([507, refused.full]);
      // Either fits into an existing database page or is refused.
      expect(feedback.status === 200 || codeOf(feedback) === refused.full).toBe(true);
      expect(await totalOf(`${documents}quokka`)).toBe(which.includes('KNOWLEDGE_DIR') ? 0 : 1);
      await expect
        .poll(async () => codes((await send('GET', '/health')).body))
        .toContain('storage_full');
      await expectAnswers(server);
      for (const path of [
        '/api/memory/threads/quoting-too?resourceId=me&namespace=docs',
        `/api/namespaces/docs/documents/${id}`,
        '/api/namespaces/other',
      ]) {
        // Fills the space that the previous deletion freed.
        for (const folder of paths)
          await server.run(`cat /dev/zero > ${folder}/.filling-more 2>/dev/null`);
        expect([path, (await send('DELETE', path)).status]).toEqual([path, 200]);
      }
      expect(server.output()).not.toContain('"level":"error"');
      await server.restart();
      for (const id of [runId, ofOther]) expect(await statusOf(`/api/answers/${id}`)).toBe(404);
      expect(await totalOf(threads)).toBe(0);
      expect(await totalOf(`${documents}wombat`)).toBe(0);
      expect(await statusOf('/api/namespaces/other/documents')).toBe(404);

      for (const path of paths) await server.run(`rm -f ${path}/.filling ${path}/.filling-more`);
      expect((await ingest(server, 'quokka')).status).toBe(200);
      expect((await ingest(server, 'numbat', { wait: false })).status).toBe(202);
      const { runId: later } = await expectAnswers(server);
      expect(
        (await send('POST', `/api/answers/${later}/feedback`, { rating: 'down' })).status,
      ).toBe(200);
      expect(await totalOf(`${documents}quokka`)).toBe(1);
      expect((await send('GET', `/api/answers/${later}`)).body.feedback).toMatchObject([
        { rating: 'down' },
      ]);
    },
  );
});

/** Runs the server as another user if the tests run as root, because root may write everywhere. */
const owner = isRoot ? unprivilegedUid : undefined;
const asOwner = owner === undefined ? {} : { uid: owner };

async function ownFolders(
  files: Readonly<Record<string, string>> = {},
): Promise<{ KNOWLEDGE_DIR: string; INDEX_DIR: string }> {
  const settings = await folders();
  const { KNOWLEDGE_DIR, INDEX_DIR } = settings;
  await writeFiles(KNOWLEDGE_DIR, files);
  chmodSync(join(KNOWLEDGE_DIR, '..'), 0o755);
  if (owner !== undefined)
    execFileSync('chown', ['-R', `${owner}:${owner}`, KNOWLEDGE_DIR, INDEX_DIR]);
  return settings;
}

it('reports each read-only folder at startup and exits', async () => {
  const settings = await ownFolders();
  for (const path of Object.values(settings)) chmodSync(path, 0o555);
  const server = await start({ settings, ...asOwner });
  for (const [setting, path] of Object.entries(settings)) {
    expect(server.output()).toContain(
      `${setting}: ${path} cannot be read and written by this process; check its owner and mode\n`,
    );
    chmodSync(path, 0o755);
  }
});

const files = {
  'hr/leave.md': '# Leave\n\nLeave is 30 days a year.\n',
  'docs/limits.md': '# Limits\n\nThe limit of uploads is 5 files.\n',
  'docs/closed.md': '# Closed\n\nThe limit of uploads is secret.\n',
  'docs/below/deep.md': '# Deep\n\nThe limit of downloads is 7 files.\n',
};
const unreadable = ['hr', 'docs/below', 'docs/closed.md'];
const setModes = (folder: string, mode: number) => {
  for (const path of unreadable) chmodSync(join(folder, path), mode);
};
const codes = (body: any) => (body.warnings ?? []).map(({ code }: { code: string }) => code).sort();
const search = async ({ send }: Server, namespace: string, query: string) => {
  const { status, body } = await send('POST', '/api/tools/searchDocs', { namespace, query });
  return {
    status,
    files: body.results?.map(({ file }: { file: string }) => file).sort(),
    code: body.code,
  };
};

const expectFound = async (server: Server, namespace: string, query: string, file: string) =>
  expect(await search(server, namespace, query)).toMatchObject({ status: 200, files: [file] });
const whenWell = ({ send }: Server) =>
  vi.waitFor(async () => expect(codes((await send('GET', '/health')).body)).toEqual([]), patient);

describe('folders and files that change under a running server', () => {
  let settings: { KNOWLEDGE_DIR: string; INDEX_DIR: string };
  let server: Server;
  beforeAll(async () => {
    settings = await ownFolders(files);
    server = await start({ settings, ...asOwner });
  });

  // Runs first: an open state file stays writable whatever its folder allows.
  it('refuse every write while read-only, answer, and log at most one line per request', async () => {
    const { KNOWLEDGE_DIR, INDEX_DIR } = settings;
    const { send } = server;
    const added = await ingest(server, 'wombat', { namespace: 'fresh' });
    expect(added.status).toBe(200);
    const path = `/api/namespaces/fresh/documents/${added.body.results[0].document.id}`;
    execFileSync('chmod', ['-R', 'a-w', KNOWLEDGE_DIR, INDEX_DIR]);
    const from = server.output().length;
    for (let turn = 0; turn < 5; turn++) {
      await expectAnswers(server);
      const ingested = await ingest(server, 'quokka');
      expect(outcomeOf(ingested)).toEqual([422, refused.readOnly]);
      const job = await ingestLater(server);
      expect(outcomeOf(job)).toEqual([503, refused.readOnly]);
      const removed = await send('DELETE', path);
      expect(outcomeOf(removed)).toEqual([503, refused.readOnly]);
    }
    const lines = server
      .output()
      .slice(from)
      .split('\n')
      .filter((line) => !line.includes('"msg":"request"'));
    expect(lines.length).toBeLessThan(5 * 6 + 10);
    execFileSync('chmod', ['-R', 'u+w', KNOWLEDGE_DIR, INDEX_DIR]);
    expect((await ingest(server, 'quokka', { namespace: 'fresh' })).status).toBe(200);
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('DELETE', '/api/namespaces/fresh')).status).toBe(200);
  });

  /** A file size limit makes SQLite and Node fail like a full disk, with another error code. */
  it.skipIf(!canLimit())(
    'refuse a document beyond the file size limit and leave no partial file',
    async () => {
      await server.run(`prlimit --pid $! --fsize=4096:`);
      const { status, body } = await ingest(server, 'quokka', { namespace: 'bounded' });
      expect([status, body.results[0].error.code]).toEqual([422, refused.full]);
      expect(readdirSync(join(settings.KNOWLEDGE_DIR, 'bounded'))).toEqual([]);
      await expectAnswers(server);
      await server.run(`prlimit --pid $! --fsize=unlimited:`);
      expect((await server.send('DELETE', '/api/namespaces/bounded')).status).toBe(200);
    },
  );

  it('keep unreadable documents indexed across a restart and fail a search only if nothing else matches', async () => {
    const { send } = server;
    const saved = () => readdirSync(join(settings.INDEX_DIR, 'index'));
    await vi.waitFor(
      () => expect(saved()).toEqual(expect.arrayContaining(['docs', 'hr'])),
      patient,
    );
    setModes(settings.KNOWLEDGE_DIR, 0);
    for (let turn = 0; turn < 2; turn++) {
      if (turn === 1) await server.restart();
      await vi.waitFor(
        async () =>
          expect(codes((await send('GET', '/health')).body)).toContain('namespace_unreadable'),
        patient,
      );
      await expectFound(server, 'docs', 'limit of uploads', 'limits.md');
      expect(await search(server, 'hr', 'days of leave')).toMatchObject({
        status: 503,
        code: 'storage_unavailable',
      });
      expect((await send('GET', '/api/namespaces')).body.namespaces).toMatchObject([
        { name: 'default' },
        { name: 'docs', documents: 3 },
        { name: 'hr', documents: 1 },
      ]);
      await expectAnswers(server);
    }
    setModes(settings.KNOWLEDGE_DIR, 0o755);
    await whenWell(server);
    await expectFound(server, 'hr', 'days of leave', 'leave.md');
  });
});

it('serves readable documents, warns about unreadable ones, and indexes them once they are readable', async () => {
  const settings = await ownFolders(files);
  setModes(settings.KNOWLEDGE_DIR, 0);
  const server = await start({ settings, ...asOwner });
  const { send } = server;
  await expectAnswers(server);
  expect((await send('GET', '/health')).body).toMatchObject({
    status: 'ok',
    warnings: expect.arrayContaining([
      { code: 'namespace_unreadable', count: 2, namespaces: ['docs', 'hr'] },
      { code: 'document_unreadable', count: 1, namespaces: ['docs'] },
    ]),
  });
  await expectFound(server, 'docs', 'limit of uploads', 'limits.md');
  const added = await ingest(server, 'wombat');
  expect([added.status, added.body.added]).toEqual([200, 1]);
  expect(
    (await send('DELETE', `/api/namespaces/docs/documents/${added.body.results[0].document.id}`))
      .status,
  ).toBe(200);
  const created = await ingest(server, 'wombat', { namespace: 'fresh' });
  expect(created.body.added).toBe(1);
  expect((await send('DELETE', '/api/namespaces/fresh')).status).toBe(200);
  const refused = await ingest(server, 'wombat', { namespace: 'hr' });
  expect(outcomeOf(refused)).toEqual([422, 'storage_unavailable']);

  setModes(settings.KNOWLEDGE_DIR, 0o755);
  await whenWell(server);
  await expectFound(server, 'hr', 'days of leave', 'leave.md');
  expect(await search(server, 'docs', 'limit of uploads')).toMatchObject({
    files: expect.arrayContaining(['closed.md', 'limits.md']),
  });
  const deep = { files: expect.arrayContaining(['below/deep.md']) };
  await vi.waitFor(
    async () => expect(await search(server, 'docs', 'limit of downloads')).toMatchObject(deep),
    patient,
  );
  const lines = server.output().split('\n');
  expect(lines.filter((line) => line.includes('"warning":')).length).toBe(6);
});
