/**
 * `npm run build`: compiles the service to `dist/` and each package to its own `dist/`, with types
 * and source maps, and builds the page. Makes the types of the client first. A package contains all
 * files that its entry points reach, so it depends on no other package of this repository. Word
 * lists become part of the modules that read them.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { manifestOf, publishedFolders } from './published.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Programs that are started by path or URL, so no import leads to them. */
const programs = [
  'src/main.ts',
  'src/documents/reading-thread.ts',
  'packages/converters/src/parser-worker.ts',
];
const programsOf = (folder: string) =>
  folder === '.' ? programs : programs.filter((path) => path.startsWith(`${folder}/`));
/** Types of libraries that have none. */
const missingTypes = 'packages/converters/src/html/missing-types.d.ts';

const sourceOf = (built: string) => built.replace(/^(?:\.\/)?dist\//, '').replace(/\.js$/, '.ts');

/**
 * Sources of the entry points in a manifest: `./dist/src/cli/main.js` is built from
 * `src/cli/main.ts`.
 */
function entriesOf(folder: string) {
  const { exports = {}, bin = {} } = manifestOf(folder);
  const modules = Object.values(exports).flatMap((one) =>
    typeof one === 'string' ? [] : [sourceOf(one.default)],
  );
  return {
    modules,
    all: [...new Set([...modules, ...Object.values(bin).map(sourceOf), ...programsOf(folder)])],
  };
}

const common = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
).options;

const lexicon = join(root, 'packages/shared/src/language/lexicon');
/** Modules that read word lists → what the compiler sees instead: their values. */
const embedded = new Map(
  await Promise.all(
    ['words.ts', 'talk.ts'].map(async (file) => {
      const path = join(lexicon, file);
      const text = Object.entries(await import(path))
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
        .join('')
        // Bundles need not carry the spaces between words.
        .replaceAll(', ', ',');
      return [path, text] as const;
    }),
  ),
);

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.readFile = (path) => embedded.get(path) ?? ts.sys.readFile(path);
  return host;
}

/** In declarations the compiler keeps `.ts`, which not every TypeScript resolves. */
const withBuiltNames = (types: string) =>
  types.replace(/((?:from|import\() ?['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js');
const relativeNames = /(?:from|import\(|import) ?['"](\.{1,2}\/[^'"]+)\.js['"]/g;

/** Writes the types that the given modules reach. The others would only enlarge the package. */
function writeTypes(all: ReadonlyMap<string, string>, modules: readonly string[]): void {
  const waiting = [...modules];
  const written = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const types = all.get(path);
    if (written.has(path) || types === undefined) continue;
    written.add(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, types);
    for (const [, name = ''] of types.matchAll(relativeNames))
      waiting.push(resolve(dirname(path), `${name}.d.ts`));
  }
}

/** @returns number of modules @throws Error with the problems that the compiler found */
export function compile(folder: string, outDir = join(root, folder, 'dist')): number {
  const { modules, all } = entriesOf(folder);
  const options = {
    ...common,
    noEmit: false,
    rootDir: root,
    outDir,
    declaration: true,
    sourceMap: true,
    inlineSources: true,
    rewriteRelativeImportExtensions: true,
  };
  const roots = [
    ...all,
    ...(all.some((path) => path.startsWith('packages/client/')) ? [] : [missingTypes]),
  ];
  const program = ts.createProgram(
    roots.map((path) => join(root, path)),
    options,
    hostOf(options),
  );
  const [types, files] = [new Map<string, string>(), new Map<string, string>()];
  const { diagnostics } = program.emit(undefined, (path, text) => {
    if (path.endsWith('.d.ts')) types.set(path, withBuiltNames(text));
    else files.set(path, text);
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0)
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (path) => path,
        getCurrentDirectory: () => root,
        getNewLine: () => '\n',
      }),
    );
  // Only now, so that a failed build changes nothing.
  for (const old of ['src', 'packages', 'tools'])
    rmSync(join(outDir, old), { recursive: true, force: true });
  for (const [path, text] of files) ts.sys.writeFile(path, text);
  writeTypes(
    types,
    modules.map((path) => join(outDir, path.replace(/\.ts$/, '.d.ts'))),
  );
  return [...files.keys()].filter((path) => path.endsWith('.js')).length;
}

/** Texts of the licences of the libraries that the page contains. */
function writeLicences(): void {
  const texts = ['lit-html', 'marked', 'dompurify', '@webreflection/signal', 'swagger-ui-dist'].map(
    (name) => {
      const folder = join(root, 'node_modules', name);
      const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
      return `# ${name}\n\n${files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')}`;
    },
  );
  writeFileSync(join(root, 'dist/licences.txt'), texts.join('\n\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  execFileSync(process.execPath, [join(root, 'scripts/client-types.ts')], { stdio: 'inherit' });
  for (const folder of ['.', ...publishedFolders()]) {
    process.stdout.write(`${join(folder, 'dist')}: ${compile(folder)} modules\n`);
    for (const path of Object.values(manifestOf(folder).bin ?? {}))
      chmodSync(join(root, folder, path), 0o755);
  }
  await import('./build-page.ts');
  writeLicences();
}
