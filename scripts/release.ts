/**
 * `npm run release -- VERSION [--apply]`: makes the release in a copy of the last commit: version,
 * changelog, build, tarballs in `dist/release`, and the test that installs and uses them. `--apply`
 * then commits and tags it here. Publishing stays with the owner.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { manifestOf, publishedFolders } from './published.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const tarballs = join(root, 'dist/release');
const installTest = 'test/release/installed.test.ts';

const form = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?$/;
const numbersOf = (version: string) => (form.exec(version) ?? []).slice(1, 4).map(Number);

/**
 * @returns why the version cannot be released; undefined if it can. A pre-release of the current
 * version is not newer
 */
export function versionProblem(version: string, current: string): string | undefined {
  if (!form.test(version))
    return `"${version}" is not a version. Use three numbers, such as 1.2.3.`;
  const [given, known] = [numbersOf(version), numbersOf(current)];
  const different = given.findIndex((number, at) => number !== known[at]);
  return different >= 0 && Number(given[different]) > Number(known[different])
    ? undefined
    : `${version} is not newer than ${current}.`;
}

/**
 * Turns the entries under Unreleased into the section of a version. @throws Error if there are none
 */
export function withRelease(changelog: string, version: string, date: string): string {
  const [, head = '', entries = '', rest = ''] =
    /^(.*?\n## \[Unreleased\]\n)(.*?)(?=\n## \[|$(?![\s\S]))([\s\S]*)$/s.exec(changelog) ?? [];
  if (!/^- /m.test(entries)) throw new Error('CHANGELOG.md has no entries under Unreleased.');
  return `${head}\n## [${version}] - ${date}\n${entries}${rest}`;
}

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, stdio: 'inherit' });
const read = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();

/** Chart.yaml with the version of the service. */
export const withChartVersion = (chart: string, version: string): string =>
  chart
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`);

/**
 * Sets the version in all manifests, the lock file and the chart, and writes the section of the
 * changelog.
 */
function prepare(folder: string, version: string): void {
  run(
    'npm',
    [
      'version',
      version,
      '--no-git-tag-version',
      '--workspaces',
      '--include-workspace-root',
      '--no-workspaces-update',
    ],
    folder,
  );
  run('npm', ['install', '--package-lock-only', '--prefer-offline'], folder);
  const changelog = join(folder, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, withRelease(readFileSync(changelog, 'utf8'), version, date));
  const chart = join(folder, 'deploy/helm/knowledge-agent/Chart.yaml');
  writeFileSync(chart, withChartVersion(readFileSync(chart, 'utf8'), version));
}

/** The tarball has the page built, so it needs no packages to build it. */
function packInto(folder: string): void {
  run('npm', ['pkg', 'delete', 'optionalDependencies'], folder);
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  for (const one of ['.', ...publishedFolders()])
    run('npm', ['pack', '--silent', '--pack-destination', tarballs], join(folder, one));
}

function release(version: string, isApplied: boolean): void {
  const problem =
    versionProblem(version, manifestOf('.').version) ??
    (read('git', 'status', '--porcelain') ? 'Commit your changes first.' : undefined);
  if (problem !== undefined) throw new Error(problem);
  if (read('git', 'tag', '--list', `v${version}`))
    throw new Error(`The tag v${version} exists already.`);
  const copy = mkdtempSync(join(tmpdir(), 'knowledge-agent-release-'));
  try {
    run('git', ['clone', '--quiet', '--local', root, copy], root);
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    prepare(copy, version);
    run('npm', ['run', '--silent', 'build'], copy);
    packInto(copy);
    run('npx', ['vitest', 'run', '--project', 'release', installTest], copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  process.stdout.write(
    `\nThe tarballs of ${version} are in dist/release: ${readdirSync(tarballs).join(', ')}\n`,
  );
  if (!isApplied)
    return void process.stdout.write(
      `Nothing else was changed. Run npm run release -- ${version} --apply to commit and tag it.\n`,
    );
  prepare(root, version);
  run('git', ['commit', '--quiet', '--all', '--message', `Release ${version}`], root);
  run('git', ['tag', `v${version}`], root);
  process.stdout.write(
    `Committed and tagged v${version}. To publish: git push --follow-tags, then npm publish each tarball.\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { apply: { type: 'boolean', default: false } },
  });
  try {
    if (!existsSync(join(root, 'node_modules'))) throw new Error('Run npm ci first.');
    release(positionals[0] ?? '', values.apply);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
