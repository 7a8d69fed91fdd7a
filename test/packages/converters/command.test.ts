/** The command in a process of its own, the example of the README, and the manifest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cruise } from 'dependency-cruiser';
import readConfig from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { expect, it } from 'vitest';
import manifest from '../../../packages/converters/package.json' with { type: 'json' };
import { formats } from '../../../packages/converters/src/formats.ts';
import { read, root } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const folder = join(root, 'packages/converters');
const readme = read('packages/converters/README.md');

/** @param isCut closes the standard output of the command at once */
async function run(
  args: readonly string[],
  input = '',
  { isCut = false, program = process.execPath } = {},
) {
  const child = spawn(program, [...args], { env: { NO_COLOR: '1' } });
  const ended = once(child, 'exit');
  if (isCut) child.stdout.destroy();
  child.stdin.on('error', () => undefined).end(input);
  const [out, err, [code]] = await Promise.all([
    isCut ? '' : text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { code, out, err };
}
const command = join(folder, 'src/command.ts');
const convert = (args: readonly string[], input?: string, isCut = false) =>
  run([command, ...args], input, { isCut });

it('writes the Markdown of a file', async () => {
  const path = join(await temporaryFolder(), 'page.html');
  await writeFile(path, '<h1>Refunds</h1><p>Paid within <b>30 days</b>.');
  expect(await convert([path])).toEqual({
    code: 0,
    out: '# Refunds\n\nPaid within **30 days**.\n',
    err: '',
  });
});

it('reads standard input, with the type that is named', async () => {
  const table = 'plan,price\nBasic,10\n';
  expect(await convert(['-'], table)).toEqual({ code: 0, out: `${table.trim()}\n`, err: '' });
  expect((await convert(['--type', 'csv', '-'], table)).out).toContain('| Basic | 10 |');
});

it('ends without an error when its reader stops early', async () => {
  expect(await convert(['-'], 'word '.repeat(100_000), true)).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});

it.skipIf(!existsSync('/dev/full'))('fails if the Markdown cannot be written', async () => {
  const path = join(await temporaryFolder(), 'page.md');
  await writeFile(path, '# Refunds\n');
  const toFullDisk = ['-c', '"$@" >/dev/full', 'sh', process.execPath, command, path];
  expect(await run(toFullDisk, '', { program: '/bin/sh' })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The Markdown cannot be written: ENOSPC/),
  });
});

it('shows its help and its version', async () => {
  const { code, out } = await convert(['--help']);
  expect(code).toBe(0);
  for (const type of Object.keys(formats)) expect(out).toContain(type);
  expect(await convert(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
});

it.each([
  [1, ['-'], 'The source contains no text.'],
  [2, [], 'Name one file, not 0. Try --help.'],
  [2, ['--type', 'xlsx', '-'], 'Unknown type xlsx. Try --help.'],
  [2, [folder], 'This is a folder. Name a file. Try --help.'],
  [2, ['--tpye', 'csv'], expect.stringMatching(/^Unknown option '--tpye'.* Try --help\.$/)],
])('ends with %i after %j, and says why in one line', async (code, args, message) => {
  const { err, ...rest } = await convert(args);
  expect(rest).toEqual({ code, out: '' });
  expect(err.trimEnd()).toEqual(message);
});

it('the example of the README prints its documented output', async () => {
  const [, code = '', output] = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(code).toBe(read('packages/converters/example.ts'));
  const path = join(await temporaryFolder(), 'example.ts');
  await writeFile(
    path,
    code.replace(
      manifest.name,
      new URL('../../../packages/converters/src/index.ts', import.meta.url).href,
    ),
  );
  expect(await run([path])).toEqual({ code: 0, out: output, err: '' });
});

it('the README lists the extensions and seconds of each format', () => {
  for (const { extensions, timeoutMs } of Object.values(formats)) {
    const row = readme
      .split('\n')
      .find(
        (line) => line.startsWith('|') && extensions.every((one) => line.includes(`\`${one}\``)),
      );
    expect(row, extensions.join()).toContain(`| ${timeoutMs / 1_000} |`);
  }
});

it('depends on exactly the packages that its modules import, in the versions of the service', async () => {
  const programs = ['index', 'command', 'parser-worker'].map(
    (name) => `packages/converters/src/${name}.ts`,
  );
  const { output } = await cruise(
    programs,
    await readConfig(join(root, '.dependency-cruiser.cjs')),
  );
  if (typeof output === 'string') throw new Error(output);
  const imports = output.modules
    .filter(({ source }) => /^packages\/\w+\/src\//.test(source))
    .flatMap(({ dependencies }) => dependencies)
    .filter(
      ({ coreModule, dependencyTypes, module }) =>
        !coreModule && !module.startsWith('.') && !dependencyTypes.includes('type-only'),
    );
  const names = imports.map(({ module }) => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? '');
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  const service = JSON.parse(read('package.json')).dependencies;
  expect(service).toMatchObject(manifest.dependencies);
});

it('has one program, so that npx runs it without its name', () => {
  // `npx @knowledge-agent/converters` needs names of one file.
  expect(Object.keys(manifest.bin)).toEqual(['convert', 'convert-to-markdown']);
  expect(new Set(Object.values(manifest.bin)).size).toBe(1);
});
