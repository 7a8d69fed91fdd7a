import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as api from '../../../packages/grounding/src/index.ts';
import { compile } from '../../../scripts/build.ts';
import { bundlers, bundleWith } from '../../support/bundles.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const libraries = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const maxGzippedBytes = 150_000;

/** What browsers and workers have in addition to ECMAScript. */
const webGlobals = { TextEncoder, TextDecoder, TransformStream, ReadableStream, WritableStream };

let built = '';
beforeAll(async () => {
  built = await temporaryFolder();
  await symlink(libraries, join(built, 'node_modules'));
  compile('packages/grounding', built);
});

describe.each(bundlers)('bundled with %s', (bundler) => {
  it('is small, builds without warnings and checks figures without Node', async () => {
    const folder = await temporaryFolder();
    const index = join(built, 'packages/grounding/src/index.js');
    await writeFiles(folder, {
      'entry.ts': `import * as api from ${JSON.stringify(index)};\n(globalThis as any).api = api;`,
    });
    const { code, warnings } = await bundleWith(bundler, `${folder}/entry.ts`);
    expect(warnings).toEqual([]);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(maxGzippedBytes);
    expect(code).not.toContain('node:');

    const context = createContext({ ...webGlobals });
    runInContext(`'use strict';${code}`, context);
    const { checkReply, createReplyStream, verifySentences } = context['api'] as typeof api;
    const passages = [{ text: 'Refunds take 5 to 10 business days.' }];
    expect(
      verifySentences(
        ['Refunds take 5 to 10 weeks.', 'Refunds take 5 to 10 business days.'],
        passages,
      ),
    ).toMatchObject([{ supported: false, reason: 'figure' }, { supported: true }]);
    const german = [{ text: 'Gutscheine werden nicht erstattet.' }];
    expect(checkReply('Gutscheine werden erstattet.', german)).toMatchObject({
      text: '',
      supported: false,
    });
    expect(createReplyStream(passages).result).toBeInstanceOf(runInContext('Promise', context));
  });
});
