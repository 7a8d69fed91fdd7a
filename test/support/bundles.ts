/** Bundles a TypeScript file for browsers as its users would: minified, one ES module. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build as buildWithEsbuild } from 'esbuild';
import { build as buildWithVite } from 'vite';
import webpack from 'webpack';
import { temporaryFolder } from './workspace.ts';

type Bundle = Readonly<{ code: string; warnings: readonly string[] }>;
export const bundlers = ['esbuild', 'vite', 'webpack'] as const;
export type Bundler = (typeof bundlers)[number];

async function withEsbuild(entry: string): Promise<Bundle> {
  const built = await buildWithEsbuild({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  return {
    code: built.outputFiles.map(({ text }) => text).join(''),
    warnings: built.warnings.map(({ text }) => text),
  };
}

async function withVite(entry: string): Promise<Bundle> {
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const built = await buildWithVite({
    configFile: false,
    root: dirname(entry),
    publicDir: false,
    logLevel: 'warn',
    build: {
      lib: { entry, formats: ['es'] },
      write: false,
      minify: true,
      target: 'es2022',
      reportCompressedSize: false,
    },
    customLogger: {
      info() {},
      error: warn,
      warn,
      warnOnce: warn,
      clearScreen() {},
      hasErrorLogged: () => false,
      hasWarned: false,
    },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return { code: outputs.map((one) => ('code' in one ? one.code : '')).join(''), warnings };
}

async function withWebpack(entry: string): Promise<Bundle> {
  const folder = await temporaryFolder();
  const compiler = webpack({
    mode: 'production',
    target: ['web', 'es2022'],
    entry,
    experiments: { outputModule: true },
    output: { path: folder, filename: 'bundle.js', library: { type: 'module' } },
  });
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    compiler?.run((error, done) => (error ? reject(error) : resolve(done)));
  });
  const { warnings = [], errors = [] } =
    stats?.toJson({ all: false, warnings: true, errors: true }) ?? {};
  const code = await readFile(join(folder, 'bundle.js'), 'utf8').catch(() => '');
  return { code, warnings: [...warnings, ...errors].map(({ message }) => message) };
}

/** @param entry path of a TypeScript file */
export const bundleWith = (bundler: Bundler, entry: string): Promise<Bundle> =>
  ({ esbuild: withEsbuild, vite: withVite, webpack: withWebpack })[bundler](entry);
