/** A disk that is full, one that may only be read, and folders that cannot be read: refusals have a code, and questions are still answered. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const patient = { timeout: 120_000, interval: 50 };
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** Whether this machine lets its users mount something for themselves. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

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
  /** Run before the server, in a mount namespace of its own. */
  readonly mount?: string;
  readonly uid?: number;
}

/** The server over folders that only its own processes may see; what is done to their files is done by a shell among these. */
async function start({ settings, mount, uid }: Start) {
  // Reads commands beside the server: where the file system is its own, nobody else can fill it or make room.
  const script = `${mount ?? 'true'} && { "$@" >&3 2>&1 3>&- & } ; while read -r line; do eval "$line"; echo "did $?"; done; kill -9 $!`;
  const command = ['sh', '-c', script, 'sh', process.execPath, 'src/main.ts'];
  const [program = '', ...rest] = mount === undefined ? command : ['unshare', '-rm', ...command];
  const shell = spawn(program, rest, {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...settings },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  onTestFinished(() => void shell.stdin?.end());
  let [output, did] = ['', ''];
  shell.stdio[3]?.on('data', (part) => (output += part));
  shell.stdout?.on('data', (part) => (did += part));
  await vi.waitFor(() => expect(output).toMatch(/"msg":"ready"|problem/), patient);
  const url = () => /listening on (http:\/\/[^ "]+)/.exec(output)?.[1] ?? '';
  const send = async (method: string, path: string, body?: unknown) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url()}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as any };
  };
  return {
    send,
    output: () => output,
    /** In the shell beside the server. */
    async run(line: string): Promise<void> {
      did = '';
      shell.stdin?.write(`${line}\n`);
      await vi.waitFor(() => expect(did).toMatch(/did \d+/), patient);
    },
    /** Killed, and started again over what is there. */
    async restart(): Promise<void> {
      output = '';
      shell.stdin?.write(`kill -9 $!; wait $! 2>/dev/null; { "$@" >&3 2>&1 3>&- & }\n`);
      await vi.waitFor(() => expect(output).toContain('"msg":"ready"'), patient);
    },
  };
}

const padding = 'Filling of a document that takes its room. '.repeat(200);
const document = (name: string) => ({ namespace: 'docs', sources: [{ text: `The ${name} eats leaves. ${padding}`, title: name }] });
const question = { messages: '@agent within how many days are refunds paid?' };

async function folders() {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n', 'index/.keep': '' });
  return { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
}

type Server = Awaited<ReturnType<typeof start>>;

/** Reads go on as if nothing were. */
async function expectAnswers({ send }: Server): Promise<any> {
  const { status, body } = await send('POST', '/api/agents/knowledge/generate', question);
  expect([status, body.text]).toEqual([200, expect.stringContaining('within 30 days')]);
  expect((await send('POST', '/api/tools/searchDocs', { query: 'refunds' })).body.results).toHaveLength(1);
  expect((await send('GET', '/ready')).status).toBe(200);
  return body;
}

const threads = '/api/memory/threads?resourceId=me';
/** A question in a thread, answered from the document about the wombat. */
async function askIn({ send }: Server, namespace: string, thread: string): Promise<any> {
  const messages = '@agent what does the wombat eat?';
  const asked = { messages, toolParams: { namespace }, memory: { thread, resource: 'me' } };
  const { status, body } = await send('POST', '/api/agents/knowledge/generate', asked);
  expect([status, body.text]).toEqual([200, expect.stringContaining('eats leaves')]);
  return body;
}

/** What a row or a body says of a write that was refused. */
const codeOf = ({ body }: { body: any }) => body.code ?? body.results?.[0]?.error?.code;
const refused = { full: 'storage_full', readOnly: 'storage_unavailable' };

describe.skipIf(!canMount())('a disk without room', () => {
  /** A file system of its own below a folder, whose files are copied into it first. */
  const mounted = (path: string) => `cp -a ${path} ${path}.was && mount -t tmpfs -o size=4m none ${path} && cp -a ${path}.was/. ${path}`;

  it.each([[['KNOWLEDGE_DIR']], [['INDEX_DIR']], [['KNOWLEDGE_DIR', 'INDEX_DIR']]])(
    'for %j refuses what cannot be kept, answers, deletes, and takes it when there is room again',
    async (which) => {
      const settings: Record<string, string> = await folders();
      const paths = which.map((setting) => settings[setting] ?? '');
      const server = await start({ settings, mount: paths.map(mounted).join(' && ') });
      const { send } = server;
      const first = await send('POST', '/api/tools/ingestSources', document('wombat'));
      expect(first.status).toBe(200);
      const { id } = first.body.results[0].document;
      const { runId } = await askIn(server, 'docs', 'quoting');
      await askIn(server, 'docs', 'quoting-too');
      expect((await send('POST', '/api/tools/ingestSources', { ...document('wombat'), namespace: 'other' })).status).toBe(200);
      const { runId: ofOther } = await askIn(server, 'other', 'of-other');
      for (const id of [runId, ofOther]) expect((await send('GET', `/api/answers/${id}`)).status).toBe(200);
      expect((await send('GET', threads)).body.total).toBe(3);

      for (const path of paths) await server.run(`cat /dev/zero > ${path}/.filling 2>/dev/null`);
      const unkept = await expectAnswers(server);
      if (which.includes('INDEX_DIR')) {
        const rated = await send('POST', `/api/answers/${unkept.runId}/feedback`, { rating: 'up' });
        expect([rated.status, codeOf(rated)]).toEqual([507, refused.full]);
        expect((await send('GET', `/api/answers/${unkept.runId}`)).status).toBe(507);
      }
      const ingested = await send('POST', '/api/tools/ingestSources', document('quokka'));
      const job = await send('POST', '/api/tools/ingestSources', { ...document('bilby'), wait: false });
      const feedback = await send('POST', `/api/answers/${runId}/feedback`, { rating: 'up', comment: padding.slice(0, 2_000) });
      if (which.includes('KNOWLEDGE_DIR')) expect([ingested.status, codeOf(ingested)]).toEqual([422, refused.full]);
      else expect(ingested.status).toBe(200);
      if (which.includes('INDEX_DIR')) {
        expect([job.status, codeOf(job)]).toEqual([507, refused.full]);
        // Small enough for a page that is there already, or refused.
        expect(feedback.status === 200 || codeOf(feedback) === refused.full).toBe(true);
      }
      expect((await send('GET', '/api/namespaces/docs/documents?query=quokka')).body.total).toBe(which.includes('KNOWLEDGE_DIR') ? 0 : 1);
      await expectAnswers(server);
      for (const path of [
        '/api/memory/threads/quoting-too?resourceId=me&namespace=docs',
        `/api/namespaces/docs/documents/${id}`,
        '/api/namespaces/other',
      ]) {
        // What the delete before has freed is filled as well.
        for (const folder of paths) await server.run(`cat /dev/zero > ${folder}/.filling-more 2>/dev/null`);
        expect([path, (await send('DELETE', path)).status]).toEqual([path, 200]);
      }
      expect(server.output()).not.toContain('"level":"error"');
      await server.restart();
      for (const id of [runId, ofOther]) expect((await send('GET', `/api/answers/${id}`)).status).toBe(404);
      expect((await send('GET', threads)).body.total).toBe(0);
      expect((await send('GET', '/api/namespaces/docs/documents?query=wombat')).body.total).toBe(0);
      expect((await send('GET', '/api/namespaces/other/documents')).status).toBe(404);

      for (const path of paths) await server.run(`rm -f ${path}/.filling ${path}/.filling-more`);
      expect((await send('POST', '/api/tools/ingestSources', document('quokka'))).status).toBe(200);
      expect((await send('POST', '/api/tools/ingestSources', { ...document('numbat'), wait: false })).status).toBe(202);
      const { runId: later } = await expectAnswers(server);
      expect((await send('POST', `/api/answers/${later}/feedback`, { rating: 'down' })).status).toBe(200);
      await server.restart();
      await expectAnswers(server);
      expect((await send('GET', '/api/namespaces/docs/documents?query=quokka')).body.total).toBe(1);
      expect((await send('GET', '/api/namespaces/docs/documents?query=wombat')).body.total).toBe(0);
      expect((await send('GET', `/api/answers/${later}`)).body.feedback).toMatchObject([{ rating: 'down' }]);
    },
  );
});

/** A bound on the size of a file is what every user may set: SQLite and Node are refused the write as by a disk, with another code. */
it.skipIf(!canLimit())('a file that may not grow any more is an error with a code, and no half-written document', async () => {
  const settings = await folders();
  const server = await start({ settings });
  await server.run(`prlimit --pid $! --fsize=4096:4096`);
  const { send } = server;
  const { status, body } = await send('POST', '/api/tools/ingestSources', document('quokka'));
  expect([status, body.results[0].error.code]).toEqual([422, refused.full]);
  expect(readdirSync(join(settings.KNOWLEDGE_DIR, 'docs'))).toEqual([]);
  await expectAnswers(server);
});

describe('a folder that may only be read', () => {
  /** Another user than the one who may write, where that can be had: root may write everywhere. */
  const uid = isRoot ? nobody : undefined;

  it.each(['KNOWLEDGE_DIR', 'INDEX_DIR'])('before the start, as %s, is said in one sentence', async (setting) => {
    const settings: Record<string, string> = await folders();
    for (const path of Object.values(settings)) if (uid !== undefined) chownSync(path, uid, uid);
    chmodSync(join(settings['KNOWLEDGE_DIR'] ?? '', '..'), 0o755);
    chmodSync(settings[setting] ?? '', 0o555);
    const server = await start({ settings, ...(uid === undefined ? {} : { uid }) });
    expect(server.output()).toContain(`${setting}: ${settings[setting]} may not be read and written by this process\n`);
    chmodSync(settings[setting] ?? '', 0o755);
  });

  it('after the start refuses every write, answers, and writes at most a line for each request', async () => {
    const settings: Record<string, string> = await folders();
    const { KNOWLEDGE_DIR = '', INDEX_DIR = '' } = settings;
    chmodSync(join(KNOWLEDGE_DIR, '..'), 0o755);
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, KNOWLEDGE_DIR, INDEX_DIR]);
    const server = await start({ settings, ...(uid === undefined ? {} : { uid }) });
    const { send } = server;
    expect((await send('POST', '/api/tools/ingestSources', document('wombat'))).status).toBe(200);
    const { body } = await send('GET', '/api/namespaces/docs/documents');
    execFileSync('chmod', ['-R', 'a-w', KNOWLEDGE_DIR, INDEX_DIR]);
    const from = server.output().length;
    for (let turn = 0; turn < 20; turn++) {
      await expectAnswers(server);
      const ingested = await send('POST', '/api/tools/ingestSources', document('quokka'));
      expect([ingested.status, codeOf(ingested)]).toEqual([422, refused.readOnly]);
      const job = await send('POST', '/api/tools/ingestSources', { ...document('bilby'), wait: false });
      expect([job.status, codeOf(job)]).toEqual([503, refused.readOnly]);
      const removed = await send('DELETE', `/api/namespaces/docs/documents/${body.documents[0].id}`);
      expect([removed.status, codeOf(removed)]).toEqual([503, refused.readOnly]);
    }
    const lines = server
      .output()
      .slice(from)
      .split('\n')
      .filter((line) => !line.includes('"msg":"request"'));
    expect(lines.length).toBeLessThan(20 * 6 + 10);
    execFileSync('chmod', ['-R', 'u+w', KNOWLEDGE_DIR, INDEX_DIR]);
    expect((await send('POST', '/api/tools/ingestSources', document('quokka'))).status).toBe(200);
    expect((await send('DELETE', `/api/namespaces/docs/documents/${body.documents[0].id}`)).status).toBe(200);
  });
});

describe('a folder or file that cannot be read', () => {
  const uid = isRoot ? nobody : undefined;
  const codes = (body: any) => (body.warnings ?? []).map(({ code }: { code: string }) => code).sort();

  async function startWith(files: Record<string, string>, closed: readonly string[]) {
    const settings = await folders();
    const { KNOWLEDGE_DIR, INDEX_DIR } = settings;
    await writeFiles(KNOWLEDGE_DIR, files);
    chmodSync(join(KNOWLEDGE_DIR, '..'), 0o755);
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, KNOWLEDGE_DIR, INDEX_DIR]);
    const setModes = (mode: number) => {
      for (const path of closed) chmodSync(join(KNOWLEDGE_DIR, path), mode);
    };
    const close = () => setModes(0);
    const open = () => setModes(0o755);
    onTestFinished(open);
    return { settings, INDEX_DIR, open, close };
  }

  const files = {
    'hr/leave.md': '# Leave\n\nLeave is 30 days a year.\n',
    'docs/limits.md': '# Limits\n\nThe limit of uploads is 5 files.\n',
    'docs/closed.md': '# Closed\n\nThe limit of uploads is secret.\n',
    'docs/below/deep.md': '# Deep\n\nThe limit of downloads is 7 files.\n',
  };
  const search = async ({ send }: Server, namespace: string, query: string) => {
    const { status, body } = await send('POST', '/api/tools/searchDocs', { namespace, query });
    return { status, files: body.results?.map(({ file }: { file: string }) => file).sort(), code: body.code };
  };

  it('is a warning at the start: all others are served, and it is followed once it can be read', async () => {
    const { settings, open, close } = await startWith(files, ['hr', 'docs/below', 'docs/closed.md']);
    close();
    const server = await start({ settings, ...(uid === undefined ? {} : { uid }) });
    const { send } = server;
    await expectAnswers(server);
    expect((await send('GET', '/health')).body).toMatchObject({
      status: 'ok',
      warnings: expect.arrayContaining([
        { code: 'namespace_unreadable', count: 2, namespaces: ['docs', 'hr'] },
        { code: 'document_unreadable', count: 1, namespaces: ['docs'] },
      ]),
    });
    expect(await search(server, 'docs', 'limit of uploads')).toMatchObject({ status: 200, files: ['limits.md'] });
    const added = await send('POST', '/api/tools/ingestSources', document('wombat'));
    expect([added.status, added.body.added]).toEqual([200, 1]);
    expect((await send('DELETE', `/api/namespaces/docs/documents/${added.body.results[0].document.id}`)).status).toBe(200);
    const created = await send('POST', '/api/tools/ingestSources', { ...document('wombat'), namespace: 'fresh' });
    expect(created.body.added).toBe(1);
    expect((await send('DELETE', '/api/namespaces/fresh')).status).toBe(200);
    const refused = await send('POST', '/api/tools/ingestSources', { ...document('wombat'), namespace: 'hr' });
    expect([refused.status, codeOf(refused)]).toEqual([422, 'storage_unavailable']);

    open();
    await vi.waitFor(async () => expect(codes((await send('GET', '/health')).body)).toEqual([]), patient);
    expect(await search(server, 'hr', 'days of leave')).toMatchObject({ status: 200, files: ['leave.md'] });
    expect(await search(server, 'docs', 'limit of uploads')).toMatchObject({ files: expect.arrayContaining(['closed.md', 'limits.md']) });
    expect(await search(server, 'docs', 'limit of downloads')).toMatchObject({ files: expect.arrayContaining(['below/deep.md']) });
    const lines = server.output().split('\n');
    expect(lines.filter((line) => line.includes('"warning":')).length).toBe(6);
  });

  it('keeps its documents in the index, also over a restart, and fails a search only if nothing else is found', async () => {
    const { settings, INDEX_DIR, open, close } = await startWith(files, ['hr', 'docs/below', 'docs/closed.md']);
    const server = await start({ settings, ...(uid === undefined ? {} : { uid }) });
    const { send } = server;
    await vi.waitFor(() => expect(readdirSync(join(INDEX_DIR, 'index'))).toContain('hr.index'), patient);
    close();
    for (let turn = 0; turn < 2; turn++) {
      if (turn === 1) await server.restart();
      await vi.waitFor(async () => expect(codes((await send('GET', '/health')).body)).toContain('namespace_unreadable'), patient);
      expect(await search(server, 'docs', 'limit of uploads')).toMatchObject({ status: 200, files: ['limits.md'] });
      expect(await search(server, 'hr', 'days of leave')).toMatchObject({ status: 503, code: 'storage_unavailable' });
      expect((await send('GET', '/api/namespaces')).body.namespaces).toMatchObject([
        { name: 'default' },
        { name: 'docs', documents: 3 },
        { name: 'hr', documents: 1 },
      ]);
      await expectAnswers(server);
    }
    open();
    await vi.waitFor(async () => expect(codes((await send('GET', '/health')).body)).toEqual([]), patient);
    expect(await search(server, 'hr', 'days of leave')).toMatchObject({ status: 200, files: ['leave.md'] });
  });
});
