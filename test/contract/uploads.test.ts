import { readdir, readFile, utimes } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import {
  foldersIn,
  startService,
  type TestService,
  temporaryFolder,
  useService,
  writeFiles,
} from '../support/workspace.ts';

const path = '/api/namespaces/docs/documents';
const multipart = { 'content-type': 'multipart/form-data; boundary=b' };

type Files = readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[];

function formOf(files: Files): FormData {
  const form = new FormData();
  for (const [name, content] of files) form.append('files', new File([content], name));
  return form;
}

/** Sends a body and returns the answer with the outcome of each file. */
async function send({ request }: TestService, init: RequestInit) {
  const response = await request(path, { method: 'POST', duplex: 'half', ...init } as RequestInit);
  const body = (await response.json()) as any;
  return {
    status: response.status,
    headers: response.headers,
    body,
    refusal: `${response.status} ${body.code}`,
    outcomes: outcomesOf(body),
  };
}
const outcomesOf = ({ results = [] }: any): string[] =>
  results.map(({ status, error }: any) => error?.code ?? status);
const upload = (service: TestService, files: Files, headers: Record<string, string> = {}) =>
  send(service, { body: formOf(files), headers });

const part = (name: string, content: string) =>
  `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}\r\n`;

/** Sends the end of the body only after a promise. */
async function* bodyWaitingFor(over: Promise<void>, start: string) {
  yield Buffer.from(start);
  await over;
  yield Buffer.from('--b--\r\n');
}
const sendSlowly = (
  service: TestService,
  start: string,
  over: Promise<void>,
  headers: Record<string, string> = {},
) =>
  send(service, {
    body: ReadableStream.from(bodyWaitingFor(over, start)),
    headers: { ...multipart, ...headers },
  });

/** Uploads below INDEX_DIR that wait for their run. */
const waitingUploads = (folder: string) => readdir(join(folder, 'index/uploads')).catch(() => []);

describe('uploaded files', () => {
  it('replace only files that were uploaded under the same name', async () => {
    const service = await startService();
    const sendBoth = async (text: string) => {
      const { body, outcomes } = await upload(service, [
        ['a/sla.md', 'One hour.'],
        ['b/sla.md', text],
      ]);
      return { outcomes, files: body.results.map(({ document }: any) => document.file) };
    };
    const { files } = await sendBoth('Two hours.');
    expect(new Set(files).size).toBe(2);
    expect(await sendBoth('Three hours.')).toEqual({ outcomes: ['unchanged', 'updated'], files });
    expect(await waitingUploads(service.folder)).toEqual([]);
  });

  it('are skipped by a refresh and kept by a prune', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'sla.md': 'On the server.' });
    const service = await startService({ ALLOWED_FILE_ROOTS: root });
    await upload(service, [
      ['sla.md', 'Sent.'],
      ['two  blanks\u00a0here.md', 'Sent too.'],
    ]);
    const refreshed = await service.post('/api/namespaces/docs/refresh', { prune: true });
    expect(refreshed.body).toMatchObject({ results: [] });
    await service.ingest({ namespace: 'docs', sources: [{ path: root }], prune: true });
    expect((await service.get(path)).body.total).toBe(3);
  });

  it('fail if their name is not a relative path or is repeated', async () => {
    const service = await startService();
    const { outcomes } = await upload(service, [
      ['../up.md', 'Text.'],
      ['caf\u00e9.md', 'First.'],
      ['cafe\u0301.md', 'Second.'],
    ]);
    expect(outcomes).toEqual(['source_not_allowed', 'added', 'duplicate_source']);
    expect((await service.get(path)).body.documents).toMatchObject([{ source: 'caf\u00e9.md' }]);
  });
});

describe('the limits', () => {
  it('reject only files larger than MAX_SOURCE_BYTES, packed or unpacked', async () => {
    const service = await startService({ MAX_SOURCE_BYTES: '20000' });
    const { outcomes } = await upload(service, [
      ['small.md', 'Small.'],
      ['large.md', 'x '.repeat(20_000)],
      ['bomb.md.gz', new Uint8Array(gzipSync('x '.repeat(50_000)))],
      ['last.md', 'Last.'],
    ]);
    const refused = 'payload_too_large';
    expect(outcomes).toEqual(['added', refused, refused, 'added']);
  });

  it('apply to the whole request, by its declared length or by counting', async () => {
    const service = await startService({ MAX_SOURCE_BYTES: '10000', MAX_BODY_BYTES: '2000' });
    expect((await upload(service, [['a.md', 'x '.repeat(4_000)]])).status).toBe(200);
    const pieces = [part('b.md', 'x '.repeat(30_000)), 'x '.repeat(30_000)];
    const body = ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
    const declared = { headers: { ...multipart, 'content-length': '100001' }, body: 'x' };
    for (const init of [{ headers: multipart, body }, declared])
      expect((await send(service, init)).refusal).toBe('413 payload_too_large');
    expect(await waitingUploads(service.folder)).toEqual([]);
  });

  it('apply to concurrent uploads, and one caller does not take the slots of others', async () => {
    const service = await startService({ API_KEYS: 'one,two' });
    const waiting = Promise.withResolvers<void>();
    const one = { 'x-api-key': 'one' };
    const slow = () => sendSlowly(service, part('a.md', 'Text.'), waiting.promise, one);
    const first = Array.from({ length: 4 }, slow);
    await expect.poll(async () => (await waitingUploads(service.folder)).length).toBe(4);
    const { refusal, headers } = await slow();
    expect([refusal, headers.get('retry-after')]).toEqual(['503 busy', '5']);
    expect((await upload(service, [['b.md', 'Text.']], { 'x-api-key': 'two' })).status).toBe(200);
    waiting.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await upload(service, [['c.md', 'Text.']], one)).status).toBe(200);
  });
});

it('no request can read an upload in progress, even if INDEX_DIR is below an allowed folder', async () => {
  const folder = await temporaryFolder();
  const INDEX_DIR = join(folder, 'index');
  const service = await startService({ INDEX_DIR, ALLOWED_FILE_ROOTS: folder });
  const waiting = Promise.withResolvers<void>();
  const sent = sendSlowly(service, part('a.md', 'Secret.') + part('b.md', 'x'), waiting.promise);
  await expect.poll(async () => (await waitingUploads(folder)).length).toBe(1);
  const [own = ''] = await waitingUploads(folder);
  const uploads = join(INDEX_DIR, 'uploads');
  const folders = [folder, uploads, join(uploads, own)].map((path) => ({ path, glob: '**' }));
  for (const source of [...folders, { path: join(uploads, own, '0') }])
    await service.ingest({ namespace: 'thief', sources: [source] });
  const stolen = await service.get('/api/namespaces/thief/documents');
  waiting.resolve();
  expect(JSON.stringify(stolen.body)).not.toContain('uploads/');
  expect((await sent).status).toBe(200);
});

describe('an invalid upload', () => {
  const shared = useService();
  const good = part('a.md', 'Text.');
  const field = '--b\r\ncontent-disposition: form-data; name="namespace"\r\n\r\nhr\r\n';
  it.each<[string, string, (string | undefined)?, string?]>([
    ['JSON', '{}', 'application/json', '415 unsupported_media_type'],
    ['without a boundary', good, 'multipart/form-data'],
    ['cut off in a file', good.slice(0, -4)],
    ['empty', ''],
    ['with a field', `${good}${field}--b--\r\n`],
    ['with a file without a name', `${part('', 'Text.')}--b--\r\n`],
    ['with headers without end', `--b\r\n${'x-a: b\r\n'.repeat(200_000)}\r\nText.\r\n--b--\r\n`],
    ['with one long header', `--b\r\nx-a: ${'b'.repeat(1_000_000)}\r\n\r\nText.\r\n--b--\r\n`],
    ['of 101 files', `${good.repeat(101)}--b--\r\n`, undefined, '413 payload_too_large'],
  ])('is rejected without storing anything: %s', async (_, body, type, wanted) => {
    const service = shared();
    const headers = type === undefined ? multipart : { 'content-type': type };
    expect((await send(service, { body, headers })).refusal).toBe(wanted ?? '400 invalid_request');
    expect((await service.get(path)).status).toBe(404);
    expect(await waitingUploads(service.folder)).toEqual([]);
  });
});

it('the permission to upload is checked before the body is read', async () => {
  const { request } = await startService({ API_KEYS: 'docs-key=docs' });
  const never = new ReadableStream(
    { pull: () => Promise.reject(new Error('it was read')) },
    { highWaterMark: 0 },
  );
  const key = { 'x-api-key': 'docs-key' };
  for (const [namespace, own, status] of [
    ['hr', key, 403],
    ['docs', {}, 401],
    ['A%20B', key, 400],
  ] as const) {
    const headers = { ...multipart, ...own };
    const init = { method: 'POST', headers, body: never, duplex: 'half' as const };
    expect((await request(`/api/namespaces/${namespace}/documents`, init)).status).toBe(status);
  }
});

describe('an upload to a server process', () => {
  let folder: string;
  let server: ServerProcess;
  const post = (to: string) =>
    fetch(server.url + to, { method: 'POST', body: formOf([['a.md', 'Text.']]) });
  /** One server for all tests, started with the leftovers of a killed process. */
  beforeAll(async () => {
    folder = await temporaryFolder();
    await writeFiles(folder, { 'index/uploads/old/0': 'x', 'index/uploads/young/0': 'x' });
    const long = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(folder, 'index/uploads/old'), long, long);
    server = await startServerProcess({ ...foldersIn(folder), MAX_SOURCE_BYTES: '10485760' });
    // On a busy machine its parser may need several attempts to start.
    await vi.waitFor(
      async () => expect((await post('/api/namespaces/first/documents')).status).toBe(200),
      60_000,
    );
  });
  const waiting = async () => (await waitingUploads(folder)).filter((name) => name !== 'young');

  it('finds old leftovers removed at startup, but not those that may be in use', async () => {
    expect(await waitingUploads(folder)).toEqual(['young']);
  });

  const open = () => httpRequest(server.url + path, { method: 'POST', headers: multipart });

  it('leaves nothing if its client disconnects, and can be repeated', async () => {
    const request = open();
    request.on('error', () => undefined);
    request.write(part('a.md', 'Text.') + part('b.md', 'x '.repeat(100_000)).slice(0, -10));
    await expect.poll(async () => (await waiting()).length).toBe(1);
    request.destroy();
    await expect.poll(waiting).toEqual([]);
    expect((await fetch(server.url + path)).status).toBe(404);
    expect(server.output()).not.toContain('"level":"error"');
    expect((await post(path)).status).toBe(200);
  });

  it('gets a rejection while the client is still sending', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${multipart['content-type']}\r\n`;
    socket.write(
      `${head}content-length: 5000000000000\r\n\r\n${part('a.md', 'x '.repeat(100_000))}`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [\s\S]*payload_too_large/);
  });

  it('uses little memory, whatever its size', async () => {
    const residentMb = async () => {
      const status = await readFile(`/proc/${server.process.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    };
    const before = await residentMb();
    let most = 0;
    const request = open();
    const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    const chunk = Buffer.alloc(1_048_576, 'x ');
    request.write(part('large.md', '').slice(0, -2));
    for (let mb = 0; mb < 90; mb++) {
      if (!request.write(chunk)) await new Promise((resolve) => request.once('drain', resolve));
      if (mb % 10 === 9) most = Math.max(most, await residentMb());
    }
    request.end('\r\n--b--\r\n');
    expect(outcomesOf(JSON.parse(await text(await answered)))).toEqual(['payload_too_large']);
    expect(most - before).toBeLessThan(125);
    expect(await waiting()).toEqual([]);
  }, 60_000);
});
