/** The packages as users of browsers and workers bundle them: minified, one ES module. */
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build as buildWithEsbuild } from 'esbuild';
import ts from 'typescript';
import { build as buildWithVite } from 'vite';
import { beforeAll, expect, it } from 'vitest';
import webpack from 'webpack';
import type * as callsApi from '../../packages/calls/src/index.ts';
import type * as groundingApi from '../../packages/grounding/src/index.ts';
import { compile } from '../../scripts/build.ts';
import { callRecord } from '../support/upstream.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

type Bundle = Readonly<{ code: string; warnings: readonly string[] }>;
const bundlers = ['esbuild', 'vite', 'webpack'] as const;
type Bundler = (typeof bundlers)[number];

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
const bundleWith = (bundler: Bundler, entry: string): Promise<Bundle> =>
  ({ esbuild: withEsbuild, vite: withVite, webpack: withWebpack })[bundler](entry);

/** Bundles a module, which must be small, give no warnings and use no module of Node. */
async function bundled(bundler: Bundler, index: string, maxGzippedBytes: number): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'entry.ts': `import * as api from ${JSON.stringify(index)};\n(globalThis as any).api = api;`,
  });
  const { code, warnings } = await bundleWith(bundler, `${folder}/entry.ts`);
  expect(warnings).toEqual([]);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(maxGzippedBytes);
  expect(code).not.toContain('node:');
  return code;
}

const index = fileURLToPath(new URL('../../packages/calls/src/index.ts', import.meta.url));
const maxCallsBytes = 10_000;

/** Answers 503, then a page. Its body can only be read with a reader, as in Safari. */
function createFetch() {
  const asked: string[] = [];
  const bodies = ['{}', JSON.stringify({ data: [callRecord(1)], meta: {} })];
  function fetch(this: unknown, url: string) {
    if (this !== undefined) throw new TypeError('Illegal invocation');
    const { body, headers } = new Response(bodies[asked.length]);
    asked.push(url);
    return Promise.resolve({
      status: asked.length === 1 ? 503 : 200,
      headers,
      type: 'basic',
      body: { getReader: () => body?.getReader() },
    });
  }
  return { fetch, asked };
}

const globalsOfCalls = {
  ...{ Blob, URL, URLSearchParams, TextDecoder, AbortSignal, AbortController },
  ...{ setTimeout, clearTimeout, performance },
};

it.each(bundlers)(
  'the client of calls, bundled with %s, is small, builds without warnings and lists a page with web APIs only',
  async (bundler) => {
    const code = await bundled(bundler, index, maxCallsBytes);

    const { fetch, asked } = createFetch();
    const context = createContext({ ...globalsOfCalls, fetch });
    runInContext(`'use strict';${code}`, context);
    const { createCallsClient } = context['api'] as typeof callsApi;
    const calls = createCallsClient({ appId: 'a1', region: 'eu', apiKey: 'k', random: () => 0 });
    const { data } = await calls.list({ statuses: ['ended'] });
    expect(data.map(({ sessionId }) => sessionId)).toEqual(['v1.us.test.000001']);
    const url = 'https://a1.call-eu.cometchat.io/v3/calls?statuses=ended';
    expect(asked).toEqual([url, url]);
  },
);

it('the client of calls uses no type of Node and nothing that Node 20 lacks', () => {
  const program = ts.createProgram([index], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts'],
    types: [],
  });
  expect(
    ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  ).toEqual([]);
});

const libraries = fileURLToPath(new URL('../../node_modules', import.meta.url));
const maxGroundingBytes = 150_000;

/** What browsers and workers have in addition to ECMAScript. */
const webGlobals = { TextEncoder, TextDecoder, TransformStream, ReadableStream, WritableStream };

let built = '';
beforeAll(async () => {
  built = await temporaryFolder();
  await symlink(libraries, join(built, 'node_modules'));
  compile('packages/grounding', built);
});

it.each(bundlers)(
  'the check of replies, bundled with %s, is small, builds without warnings and checks figures without Node',
  async (bundler) => {
    const index = join(built, 'packages/grounding/src/index.js');
    const code = await bundled(bundler, index, maxGroundingBytes);

    const context = createContext({ ...webGlobals });
    runInContext(`'use strict';${code}`, context);
    const { checkReply, createReplyStream, verifySentences } = context[
      'api'
    ] as typeof groundingApi;
    const passages = [{ text: 'Refunds take 5 to 10 business days.' }];
    expect(
      verifySentences(
        ['Refunds take 5 to 10 weeks.', 'Refunds take 5 to 10 business days.'],
        passages,
      ),
    ).toMatchObject([{ supported: false, reason: 'figure' }, { supported: true }]);
    const german = [{ text: 'Gutscheine gelten drei Jahre.' }];
    const checked = checkReply('Gutscheine gelten fünf Jahre.', german, { language: 'de' });
    expect(checked).toMatchObject({ text: '', supported: false });
    expect(createReplyStream(passages).result).toBeInstanceOf(runInContext('Promise', context));
  },
);
