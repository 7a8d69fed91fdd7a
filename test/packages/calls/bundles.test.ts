import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type * as api from '../../../packages/calls/src/index.ts';
import { bundlers, bundleWith } from '../../support/bundles.ts';
import { callRecord } from '../../support/upstream.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const index = fileURLToPath(new URL('../../../packages/calls/src/index.ts', import.meta.url));
const maxGzippedBytes = 10_000;

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

const webGlobals = {
  Blob,
  URL,
  URLSearchParams,
  TextDecoder,
  AbortSignal,
  AbortController,
  setTimeout,
  clearTimeout,
  performance,
};

describe.each(bundlers)('bundled with %s', (bundler) => {
  it('is small, builds without warnings and lists a page with web APIs only', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      'entry.ts': `import * as api from ${JSON.stringify(index)};\n(globalThis as any).api = api;`,
    });
    const { code, warnings } = await bundleWith(bundler, `${folder}/entry.ts`);
    expect(warnings).toEqual([]);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(maxGzippedBytes);
    expect(code).not.toContain('node:');

    const { fetch, asked } = createFetch();
    const context = createContext({ ...webGlobals, fetch });
    runInContext(`'use strict';${code}`, context);
    const { createCallsClient } = context['api'] as typeof api;
    const calls = createCallsClient({ appId: 'a1', region: 'eu', apiKey: 'k', random: () => 0 });
    const { data } = await calls.list({ statuses: ['ended'] });
    expect(data.map(({ sessionId }) => sessionId)).toEqual(['v1.us.test.000001']);
    const url = 'https://a1.call-eu.cometchat.io/v3/calls?statuses=ended';
    expect(asked).toEqual([url, url]);
  });
});

it('uses no type of Node and nothing that Node 20 lacks', () => {
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
