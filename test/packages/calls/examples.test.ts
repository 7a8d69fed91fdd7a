import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { parseCallsQuery } from '../../../packages/calls/src/query.ts';
import { callLogOf } from '../../support/call-log.ts';
import * as readme from '../../support/readme-examples.ts';
import { read, root } from '../../support/repository.ts';
import { callRecord, refusal, send, startUpstream } from '../../support/upstream.ts';
import { writeFiles } from '../../support/workspace.ts';

const example = read('packages/calls/example.ts');
/** The import and the client, which all other examples use. */
const preamble = example.slice(0, example.indexOf('const { data }'));

const examplesOf = (path: string) =>
  readme.examplesOf(path).map(({ code, output }) => ({
    code: code.includes('import { createCallsClient }') ? code : preamble + code,
    output,
  }));

const log = callLogOf(
  Array.from({ length: 205 }, (_, index) => callRecord(205 - index, { node: 7 })),
);

const startService = () =>
  startUpstream(async ({ url = '' }, response) => {
    const { pathname, search } = new URL(url, 'http://x');
    const [, , , sessionId, part] = pathname.split('/');
    if (part === 'transcriptions') send(response, 200, { data: [], meta: {} });
    else if (sessionId === undefined) send(response, 200, await log.list(parseCallsQuery(search)));
    else
      await log.get(sessionId).then(
        (data) => send(response, 200, { data }),
        () => send(response, 404, refusal('ERR_CALL_SESSION_NOT_FOUND')),
      );
  });

/** A project that has this package, with the host of the examples on loopback. */
async function createProject() {
  const { baseUrl, requests } = await startService();
  const { folder, run } = await readme.createProject(
    { '@knowledge-agent/calls': { '.': 'packages/calls/src/index.ts' } },
    { CALLS_API_KEY: 'k', NODE_OPTIONS: '--import ./to-loopback.mjs' },
  );
  await writeFiles(folder, {
    'to-loopback.mjs': `const real = fetch; globalThis.fetch = (url, init) => real(String(url).replace('https://24a1b2c3.call-us.cometchat.io', '${baseUrl}'), init);`,
  });
  return { requests, run };
}

it.each([
  ['packages/calls/README.md', 6],
  ['docs/calls.md', 2],
])('every example of %s prints its documented output', async (path, count) => {
  const examples = examplesOf(path);
  expect(examples.length).toBeGreaterThanOrEqual(count);
  const { run, requests } = await createProject();
  const printed = await Promise.all(
    examples.map(({ code }, number) => run(`example-${number}.ts`, code)),
  );
  expect(printed).toEqual(examples.map(({ output }) => output));
  expect(requests.length).toBeGreaterThanOrEqual(count);
});

it('example.ts is the first example of the README', () => {
  expect(examplesOf('packages/calls/README.md')[0]?.code).toBe(example);
});

const node20 = '/usr/bin/node';
const hasNode20 =
  existsSync(node20) &&
  execFileSync(node20, ['--version'], { encoding: 'utf8' }).startsWith('v20.');

it('the example runs on Node 20', async (test) => {
  if (!hasNode20) test.skip(`${node20} is missing or not version 20`);
  const built = await build({
    entryPoints: [join(root, 'packages/calls/example.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
  });
  const { run } = await createProject();
  expect(await run('example.js', built.outputFiles[0]?.text ?? '', node20)).toBe(
    examplesOf('packages/calls/README.md')[0]?.output,
  );
});
