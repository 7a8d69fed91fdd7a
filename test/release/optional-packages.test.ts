/** Runs the service in a copy of the project whose node_modules lacks the optional peers. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../support/repository.ts';
import { startProgram } from '../support/run-command.ts';
import { temporaryFolder } from '../support/workspace.ts';

const peers = Object.keys(manifest.peerDependencies);
let project = '';

/** Links the entries of a folder of packages, except the optional peers. */
async function linkPackages(from: string, to: string, scope = ''): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from)) {
    const name = `${scope}${entry}`;
    if (peers.some((peer) => peer.startsWith(`${name}/`)))
      await linkPackages(join(from, entry), join(to, entry), `${name}/`);
    else if (!peers.includes(name)) await symlink(join(from, entry), join(to, entry));
  }
}

beforeAll(async () => {
  project = await temporaryFolder();
  await linkPackages(join(root, 'node_modules'), join(project, 'node_modules'));
  const filter = (path: string) => basename(path) !== 'node_modules';
  for (const part of ['src', 'packages', 'package.json'].filter((name) =>
    existsSync(join(root, name)),
  ))
    await cp(join(root, part), join(project, part), { recursive: true, filter });
});

const start = (args: readonly string[], settings: Record<string, string>) =>
  startProgram([process.execPath, ...args], { PORT: '0', ...settings }, project);

const given = {
  DATABASE_URL: 'postgres://127.0.0.1:9/base',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
};
const { pg, ...tracing } = manifest.peerDependencies;
const database = `DATABASE_URL: needs the package pg; run npm install pg@${pg}`;
const collector = `OTEL_EXPORTER_OTLP_ENDPOINT: needs the packages ${Object.keys(tracing).join(', ')}; run npm install ${Object.entries(
  tracing,
)
  .map((one) => one.join('@'))
  .join(' ')}`;

it('stops the start if a setting needs packages that are not installed, and names the command that installs them', async () => {
  expect(await start(['src/main.ts'], given).ended).toEqual({
    code: 1,
    out: '',
    err: `The settings have 2 problems:\n  ${database}\n  ${collector}\n`,
  });
});

it('stops a command in the same way', async () => {
  const { DATABASE_URL } = given;
  expect(await start(['src/cli/main.ts', 'migrate'], { DATABASE_URL }).ended).toEqual({
    code: 1,
    out: '',
    err: `The settings have a problem:\n  ${database}\n`,
  });
});

it('serves without the packages if no setting needs them', async () => {
  const { child, output, ended } = start(['src/main.ts'], {});
  await vi.waitFor(() => expect(output.out).toContain('"msg":"ready"'), 300_000);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('"msg":"stopped"') });
});
