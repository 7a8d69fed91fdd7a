/**
 * Builds small sites with documentation generators from the npm registry into `bench/.sites/`,
 * which git ignores. Reuses earlier builds until their sources change; a generator that fails is
 * reported and skipped.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const sourcesOfSites = join(here, 'sites');
export const builtSites = join(here, '..', '.sites');
const timeoutMs = 600_000;
const quiet = {
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  CI: '1',
  NO_UPDATE_NOTIFIER: '1',
  NODE_OPTIONS: '',
};

const hashOf = (folder: string): string => {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(
    (one, other) =>
      join(one.parentPath, one.name).localeCompare(join(other.parentPath, other.name)),
  ))
    if (entry.isFile())
      hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex');
};

const run = (folder: string, args: readonly string[]) =>
  spawnSync('npm', args, {
    cwd: folder,
    env: { ...process.env, ...quiet },
    encoding: 'utf8',
    timeout: timeoutMs,
  });

/** Builds a site. @returns why it failed, in one line; undefined if it succeeded */
function buildSite(name: string): string | undefined {
  const source = join(sourcesOfSites, name);
  const folder = join(builtSites, name);
  const mark = join(folder, '.built');
  const wanted = hashOf(source);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return undefined;
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  const steps = [
    ...(existsSync(join(folder, 'node_modules'))
      ? []
      : [['install', '--no-audit', '--no-fund', '--loglevel=error']]),
    ['run', 'build'],
  ];
  for (const args of steps) {
    const { status, stdout, stderr, error } = run(folder, args);
    if (status !== 0)
      return `npm ${args[0]} failed: ${(error?.message ?? `${stdout}\n${stderr}`).trim().split('\n').slice(-3).join(' ').slice(0, 300)}`;
  }
  writeFileSync(mark, wanted);
  return undefined;
}

/** Names of the built sites. */
export function buildSites(): string[] {
  return readdirSync(sourcesOfSites, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()
    .filter((name) => {
      const problem = buildSite(name);
      if (problem !== undefined) console.error(`${name} is skipped: ${problem}`);
      return problem === undefined;
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(`Built: ${buildSites().join(', ')}`);
