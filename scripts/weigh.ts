/**
 * `npm run weigh`: size of this repository, each figure with its limit; exits with 1 above a limit.
 * Part of `npm run check` and `.ci/run`. A limit is the size when it was set, rounded up a little.
 * Raise one only with a reason in the same commit.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { settings } from '../src/config/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const limits = {
  'lines of src': 55_700,
  'modules of src': 400,
  'comment lines of src': 5_050,
  'ReturnType< in src': 10,
  'lines of test': 49_300,
  'lines of bench': 7_250,
  'production packages': 390,
  settings: 83,
  'longest function, lines': 60,
  'longest file of src, lines': 350,
  'imports of src/compose.ts': 12,
} as const;
type Figure = keyof typeof limits;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/** TypeScript files below a folder, including the page. */
function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8');
      return { path: join(folder, name), text, lines: text.split('\n').length - 1 };
    });
}

/** Matches of a pattern in the texts of some files. */
const countIn = (sources: readonly Source[], pattern: RegExp) =>
  sources.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
const linesOf = (sources: readonly Source[]) => sources.reduce((sum, { lines }) => sum + lines, 0);

interface Longest {
  readonly lines: number;
  readonly where: string;
}
const longer = (a: Longest, b: Longest) => (b.lines > a.lines ? b : a);
const none: Longest = { lines: 0, where: '' };

/** Longest function of a file, from its name to its last bracket, without functions inside it. */
function longestFunctionOf({ path, text }: Source): Longest {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  let longest = none;
  /** @returns lines of the outermost functions in a node */
  const visit = (node: ts.Node): number => {
    let inner = 0;
    ts.forEachChild(node, (child) => {
      inner += visit(child);
    });
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return inner;
    const first = lineAt(node.getStart(file));
    const all = lineAt(node.end) - first + 1;
    longest = longer(longest, { lines: all - inner, where: `${path}:${first}` });
    return all;
  };
  visit(file);
  return longest;
}

/** Packages that `npm ci --omit=dev` installs, without Node and packages for other platforms. */
function countPackages(): number {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries<{ dev?: boolean; optional?: boolean; link?: boolean }>(packages).filter(
    ([path, { dev, optional, link }]) =>
      path.startsWith('node_modules/') && !dev && !optional && !link,
  ).length;
}

/**
 * The service, and the code of packages that it shares, without word lists and the types that `npm
 * run docs` writes.
 */
const src = [
  ...sourcesIn('src'),
  ...sourcesIn('packages').filter(({ path }) =>
    /^packages\/\w+\/src\/(?!language\/lexicon\/|openapi\.ts)/.test(path),
  ),
];
const longestFile = src.map(({ path, lines }) => ({ lines, where: path })).reduce(longer, none);
const longestFunction = src.map(longestFunctionOf).reduce(longer, none);
const compose = src.find(({ path }) => path === 'src/compose.ts')?.text ?? '';

const figures: Record<Figure, { readonly count: number; readonly where?: string }> = {
  'lines of src': { count: linesOf(src) },
  'modules of src': { count: src.filter(({ path }) => !path.endsWith('.d.ts')).length },
  'comment lines of src': { count: countIn(src, /^\s*(?:\/\/|\/?\*)/gm) },
  'ReturnType< in src': { count: countIn(src, /\bReturnType</g) },
  'lines of test': { count: linesOf(sourcesIn('test')) },
  'lines of bench': {
    count: linesOf(sourcesIn('bench').filter(({ path }) => !path.startsWith('bench/.sites'))),
  },
  'production packages': { count: countPackages() },
  settings: { count: Object.keys(settings).length },
  'longest function, lines': { count: longestFunction.lines, where: longestFunction.where },
  'longest file of src, lines': { count: longestFile.lines, where: longestFile.where },
  'imports of src/compose.ts': { count: compose.match(/^import\b/gm)?.length ?? 0 },
};

for (const [name, { count, where = '' }] of Object.entries(figures)) {
  const limit = limits[name as Figure];
  const verdict = count > limit ? '  TOO MUCH' : '';
  process.stdout.write(
    `${`${name}:`.padEnd(28)} ${String(count).padStart(6)} of ${String(limit).padStart(6)}${verdict}  ${where}`.trimEnd(),
  );
  process.stdout.write('\n');
  if (count > limit) process.exitCode = 1;
}
