import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Code and its printed output. */
const examplesOf = (path: string) =>
  [
    ...read(path).matchAll(/```ts\n((?:(?!```)[\s\S])*)```\n\n```text\n((?:(?!```)[\s\S])*)```/g),
  ].map(([, code = '', output = '']) => ({
    code,
    output,
  }));

/** The model of the AI SDK's example, which a reader has. */
const model = `import { MockLanguageModelV4 } from 'ai/test';
const model = new MockLanguageModelV4({ doGenerate: {
  content: [{ type: 'text', text: 'A refund takes 5 to 10 business days. It takes 5 to 10 weeks.' }],
  finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
} });
`;

/** Runs code in a project that has this package under both of its names, and the AI SDK. */
async function createProject() {
  const folder = await temporaryFolder();
  const entry = (name: string) =>
    `export * from ${JSON.stringify(new URL(`../../../packages/grounding/src/${name}`, import.meta.url))};`;
  const named = (exports: object) => JSON.stringify({ type: 'module', exports });
  await writeFiles(folder, {
    'package.json': '{"type":"module"}',
    'node_modules/@knowledge-agent/grounding/package.json': named({
      '.': './index.js',
      './ai-sdk': './ai-sdk.js',
    }),
    'node_modules/@knowledge-agent/grounding/index.js': entry('index.ts'),
    'node_modules/@knowledge-agent/grounding/ai-sdk.js': entry('ai-sdk.ts'),
    'node_modules/knowledge-agent/package.json': named({ './grounding': './index.js' }),
    'node_modules/knowledge-agent/index.js': entry('index.ts'),
  });
  await symlink(join(root, 'node_modules/ai'), join(folder, 'node_modules/ai'));
  return async (file: string, code: string): Promise<string> => {
    await writeFiles(folder, { [file]: code.includes('ai-sdk') ? model + code : code });
    return (
      await promisify(execFile)(process.execPath, [file], { cwd: folder, env: { NO_COLOR: '1' } })
    ).stdout;
  };
}

it.each([
  ['packages/grounding/README.md', 4],
  ['docs/extend.md', 1],
])('every example of %s prints its documented output', async (path, count) => {
  const examples = examplesOf(path);
  expect(examples).toHaveLength(count);
  const run = await createProject();
  const printed = await Promise.all(
    examples.map(({ code }, number) => run(`example-${number}.ts`, code)),
  );
  expect(printed).toEqual(examples.map(({ output }) => output));
});

it('example.ts is the first example of the README', () => {
  expect(examplesOf('packages/grounding/README.md')[0]?.code).toBe(
    read('packages/grounding/example.ts'),
  );
});
