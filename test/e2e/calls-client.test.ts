import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parseCallsQuery } from '../../packages/calls/src/query.ts';
import { callLogOf } from '../support/call-log.ts';
import { callRecord, refusal, send, startUpstream } from '../support/upstream.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manual = readFileSync(join(root, 'docs/calls.md'), 'utf8');
const [preamble = ''] = [...manual.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const examples = [...manual.matchAll(/```ts\n((?:(?!```)[\s\S])*)```\n\n```text\n((?:(?!```)[\s\S])*)```/g)].map(
  ([, code = '', output = '']) => ({
    code,
    output,
  }),
);

const log = callLogOf(Array.from({ length: 205 }, (_, index) => callRecord(205 - index, { node: 7 })));

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

it('every example of docs/calls-client.md prints its documented output in a project that links the package', async () => {
  expect(examples.length).toBeGreaterThanOrEqual(8);
  const { baseUrl, requests } = await startService();
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/knowledge-agent'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  // Redirects the host of the examples to loopback.
  await writeFile(
    join(folder, 'to-loopback.mjs'),
    `const real = fetch; globalThis.fetch = (url, init) => real(String(url).replace('https://24a1b2c3.call-us.cometchat.io', '${baseUrl}'), init);`,
  );
  await Promise.all(
    examples.map(async ({ code, output }, number) => {
      const file = join(folder, `example-${number}.ts`);
      await writeFile(file, `${preamble}\n${code}`);
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', './to-loopback.mjs', file], {
        cwd: folder,
        env: { CALLS_API_KEY: 'k', NO_COLOR: '1' },
      });
      expect(stdout).toBe(output);
    }),
  );
  expect(requests.length).toBeGreaterThan(8);
});
