/**
 * `npm run weigh`: size of this repository beside its limits and goals; exits with 1 above a limit.
 * `weigh.json` holds for each figure what was last reached, what an issue allows on top, and the
 * goal. A limit is the sum of the first two, so it only falls: `npm run weigh -- --save` stores a
 * smaller figure and never a larger one.
 *
 * Code is TypeScript without comments, indentation, blank lines, word lists and generated files;
 * 1 kB is 1,000 characters.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { settings } from '../src/config/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const limitsFile = fileURLToPath(new URL('weigh.json', import.meta.url));

interface Limit {
  /** Smallest value so far. */
  readonly reached: number;
  /** What an issue, named here, may add. */
  readonly allowed?: Readonly<Record<string, number>>;
  readonly goal?: number;
}

const limits: Record<string, Limit> = JSON.parse(readFileSync(limitsFile, 'utf8'));

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const isGenerated = (path: string) =>
  ['packages/client/src/openapi.ts', 'src/page/openapi.d.ts'].includes(path);

/** TypeScript files below a folder. */
const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules') && !isGenerated(path));

/** Lines of a file without comments, indentation and blank lines. */
function codeLinesOf(path: string): string[] {
  const text = read(path);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      comments.set(pos, end);
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  let code = '';
  let at = 0;
  for (const [start, end] of [...comments].sort(([a], [b]) => a - b)) {
    if (start < at) continue;
    code += text.slice(at, start);
    at = end;
  }
  code += text.slice(at);
  return code.split('\n').flatMap((line) => line.trim() || []);
}

const charactersOf = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);
const kilobytesOf = (paths: readonly string[]) =>
  Math.ceil(paths.reduce((sum, path) => sum + charactersOf(codeLinesOf(path)), 0) / 1000);

/** Lines that match, over the code of some files. */
const countLines = (paths: readonly string[], pattern: RegExp) =>
  paths.reduce((sum, path) => sum + (read(path).match(pattern)?.length ?? 0), 0);

/** Packages that `npm ci --omit=dev` installs, without Node and packages for other platforms. */
function countPackages(): number {
  const { packages } = JSON.parse(read('package-lock.json'));
  return Object.entries<{ dev?: boolean; optional?: boolean; link?: boolean }>(packages).filter(
    ([path, { dev, optional, link }]) =>
      path.startsWith('node_modules/') && !dev && !optional && !link,
  ).length;
}

const src = sourcesIn('src');
const packageNames = readdirSync(join(root, 'packages')).filter((name) => name !== 'runtime');
const packages = new Map(
  packageNames.map((name) => [name, sourcesIn(join('packages', name, 'src'))]),
);
const all = [...src, ...[...packages.values()].flat()];

const figures: Readonly<Record<string, number>> = {
  'code of src and packages, kB': kilobytesOf(all),
  'src without page and widget, kB': kilobytesOf(
    src.filter((path) => !/^src\/(page|widget)\//.test(path)),
  ),
  'page and widget, kB': kilobytesOf(src.filter((path) => /^src\/(page|widget)\//.test(path))),
  ...Object.fromEntries(
    [...packages].map(([name, paths]) => [`packages/${name}, kB`, kilobytesOf(paths)]),
  ),
  'tests, kB': kilobytesOf(sourcesIn('test')),
  'benches, kB': kilobytesOf(sourcesIn('bench').filter((path) => !path.startsWith('bench/.sites'))),
  'exported types': countLines(all, /^export (?:interface|type|abstract class) \w+/gm),
  'exported factories create…': countLines(
    all,
    /^export (?:async )?(?:function|const) create[A-Z]/gm,
  ),
  settings: Object.keys(settings).length,
  'production packages': countPackages(),
  'lines over 110 characters': countLines(all, /^.{111,}$/gm),
};

const isSaving = process.argv.includes('--save');
const print = (...cells: readonly string[]) => {
  const [name = '', ...numbers] = cells;
  process.stdout.write(`${name.padEnd(33)}${numbers.map((cell) => cell.padStart(10)).join('')}\n`);
};

print('', 'now', 'limit', 'goal', 'to go');
const problems: string[] = [];
for (const [name, now] of Object.entries(figures)) {
  const { reached = now, allowed = {}, goal } = limits[name] ?? {};
  const limit = reached + Object.values(allowed).reduce((sum, more) => sum + more, 0);
  const toGo = goal === undefined ? '' : String(Math.max(0, now - goal));
  print(name, String(now), String(limit), goal === undefined ? '' : String(goal), toGo);
  if (now > limit) problems.push(`${name}: ${now} is above the limit of ${limit}.`);
  if (!isSaving && now < reached)
    problems.push(`${name}: fell from ${reached} to ${now}. Store it: npm run weigh -- --save`);
  limits[name] = { ...limits[name], reached: Math.min(reached, now) };
}
if (isSaving) writeFileSync(limitsFile, `${JSON.stringify(limits, undefined, 2)}\n`);
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
