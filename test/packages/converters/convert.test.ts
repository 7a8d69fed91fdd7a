/** The converters as a library: formats, limits, crashes, and the life of child processes. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import {
  type Converter,
  type ConverterInput,
  convertFile,
  createConverter,
  KnowledgeError,
} from '../../../packages/converters/src/index.ts';
import { honestPdfs, rawPage, rawStream } from '../../support/pdf-files.ts';
import { forFile, whenDone } from '../../support/when-done.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const index = new URL('../../../packages/converters/src/index.ts', import.meta.url).href;

function opened(options = {}): Converter {
  const converter = createConverter({ timeoutMs: 120_000, ...options });
  whenDone(() => converter.close());
  return converter;
}
const converter = forFile(opened);
const failureOf = (conversion: Promise<unknown>) =>
  conversion.then(
    () => undefined,
    (error: unknown) => error,
  );
const refused = (code: string, message: RegExp) =>
  expect.objectContaining({
    name: 'KnowledgeError',
    code,
    message: expect.stringMatching(message),
  });
const html = { contentType: 'text/html' };
/** Takes seconds to parse. */
const largePage = Buffer.from(`<p>${'<b>x</b> '.repeat(99_000)}`);

it.each([
  ['html', () => Buffer.from('<p>Paid within <b>30 days</b>.</p>'), 'Paid within **30 days**.'],
  ['pdf', honestPdfs[0]!.make, honestPdfs[0]!.keep[0]!],
])('converts a file and its bytes to the same Markdown: %s', async (extension, make, kept) => {
  const name = `file.${extension}`;
  const path = join(await temporaryFolder(), name);
  const bytes = await make();
  await writeFile(path, bytes);
  const fromFile = await converter.convert({ path });
  expect(fromFile.markdown).toContain(kept);
  expect(await converter.convert(bytes, { name })).toEqual(fromFile);
});

it('converts a file with the default limits', async () => {
  expect((await convertFile('test/fixtures/handbook/refunds.md')).markdown).toContain(
    'within 30 days',
  );
});

it('reads streams and array buffers, and uses the declared type, charset and address', async () => {
  const details = { contentType: 'Text/HTML; charset=windows-1251', url: 'https://example.com/a/' };
  const page = Buffer.from([
    ...Buffer.from('<p><a href="b">'),
    0xc2,
    0xee,
    ...Buffer.from('</a> text'),
  ]);
  const expected = '[Во](https://example.com/a/b) text';
  const inputs: ConverterInput[] = [
    page,
    new Uint8Array(page).buffer,
    Readable.from([page.subarray(0, 9), page.subarray(9)]),
  ];
  for (const input of inputs)
    expect((await converter.convert(input, details)).markdown).toBe(expected);
});

it('converts two files concurrently in two processes', async () => {
  const two = opened({ maxProcesses: 2 });
  const large = failureOf(two.convert(largePage, html));
  const small = two.convert(Buffer.from('small')).then(({ markdown }) => markdown);
  expect(await Promise.race([large, small])).toBe('small');
  two.close();
  await large;
});

it('stops a slow PDF', async () => {
  const slow = rawPage(rawStream(`BT /F1 12 Tf 72 700 Td ${'(a) Tj '.repeat(1_000_000)} ET`));
  expect(await failureOf(opened({ timeoutMs: 20 }).convert(slow))).toEqual(
    refused('timeout', /^Parsing the source took longer than 0\.02 seconds\.$/),
  );
});

it('survives a child process that runs out of memory', async () => {
  const small = opened({ maxHeapMb: 32, maxProcesses: 1 });
  expect(await failureOf(small.convert(largePage, html))).toEqual(
    refused('ingest_failed', /stopped unexpectedly/),
  );
  expect((await small.convert(Buffer.from('fine'))).markdown).toBe('fine');
});

it('refuses input above the limit before it is read completely, and Markdown above it', async () => {
  const small = opened({ maxBytes: 1_000 });
  let chunks = 0;
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(400, ++chunks);
  })();
  expect(await failureOf(small.convert(endless))).toEqual(
    refused('payload_too_large', /^The file is larger than 1000 bytes\.$/),
  );
  expect(chunks).toBe(3);
  const growing = Buffer.from(`<p>${'[*_'.repeat(300)}`);
  expect(await failureOf(small.convert(growing, html))).toEqual(
    refused('payload_too_large', /text of the source/),
  );
});

it('says in a sentence what is wrong with an input', async () => {
  const folder = await temporaryFolder();
  const pipe = join(folder, 'pipe.md');
  execFileSync('mkfifo', [pipe]);
  const picture = [Buffer.from('\x89PNG', 'latin1'), { name: 'a.pdf' }] as const;
  const broken = Readable.from([]).destroy(new Error('reset'));
  for (const [input, code, message] of [
    [[{ path: join(folder, 'none.pdf') }], 'source_not_found', /does not exist\.$/],
    [[{ path: pipe }], 'invalid_request', /not a regular file/],
    [[{ path: undefined }], 'invalid_request', /^Pass bytes/],
    [[ReadableStream.from(['# Text'])], 'invalid_request', /^Pass bytes/],
    [[{ path: folder }], 'invalid_request', /is a folder/],
    [['a.pdf'], 'invalid_request', /^Pass bytes/],
    [[Buffer.from(' ')], 'empty_source', /no text\.$/],
    [picture, 'unsupported_media_type', /^This is a PNG picture\. Supported/],
    [[broken], 'ingest_failed', /cannot be read\.$/],
  ] as const)
    expect(await failureOf(converter.convert(...(input as [any])))).toEqual(refused(code, message));
});

it.each([
  { maxProcesses: 0 },
  { timeoutMs: Number.POSITIVE_INFINITY },
  { maxHeapMb: 1.5 },
  { maxBytes: 2 ** 31 },
])('refuses the option %o', (options) =>
  expect(() => createConverter(options)).toThrow(KnowledgeError),
);

it('cancels a conversion, and continues with the next', async () => {
  const one = opened({ maxProcesses: 1 });
  const cancelling = new AbortController();
  const running = failureOf(one.convert(largePage, { ...html, signal: cancelling.signal }));
  const waiting = failureOf(one.convert(Buffer.from('x'), { signal: cancelling.signal }));
  cancelling.abort();
  expect([await running, await waiting]).toEqual([
    refused('cancelled', /./),
    refused('cancelled', /./),
  ]);
  expect((await one.convert(Buffer.from('fine'))).markdown).toBe('fine');
});

/** Ids of the child processes of a process that are still running. */
const childrenOf = async (parent: number) => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const rows = stdout.split('\n').map((row) => row.trim().split(/\s+/));
  return rows.flatMap(([pid, ppid, stat]) =>
    Number(ppid) === parent && !stat?.startsWith('Z') ? [Number(pid)] : [],
  );
};
const isRunning = async (id: number) =>
  (await promisify(execFile)('ps', ['-A', '-o', 'pid='])).stdout.split(/\s+/).includes(String(id));

it('close ends running and idle processes', async () => {
  const others = new Set(await childrenOf(process.pid));
  const own = async () => (await childrenOf(process.pid)).filter((id) => !others.has(id));
  const closed = createConverter();
  await closed.convert(Buffer.from('one'));
  const running = failureOf(closed.convert(largePage, html));
  await expect.poll(async () => (await own()).length).toBeGreaterThan(0);
  const started = await own();
  closed.close();
  expect(await running).toEqual(refused('cancelled', /closed\.$/));
  for (const id of started) await expect.poll(() => isRunning(id)).toBe(false);
  expect(await failureOf(closed.convert(Buffer.from('two')))).toEqual(
    refused('cancelled', /closed\.$/),
  );
});

it('a program ends without close, and its child processes end with it', async () => {
  const program = `
    import { execFileSync } from 'node:child_process';
    const { createConverter } = await import(${JSON.stringify(index)});
    await createConverter().convert(Buffer.from('one'));
    process.on('exit', () => console.log(execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString()));
    console.log(process.pid);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    { timeout: 300_000 },
  );
  const [own, ...rows] = stdout.trim().split('\n');
  const children = rows
    .map((row) => row.trim().split(/\s+/))
    .flatMap(([pid, parent]) => (parent === own ? [Number(pid)] : []));
  expect(children.length).toBeGreaterThan(1);
  for (const id of children) await expect.poll(() => isRunning(id)).toBe(false);
});
