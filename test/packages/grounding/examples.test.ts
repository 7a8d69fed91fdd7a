import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProject, examplesOf } from '../../support/readme-examples.ts';
import { read, root } from '../../support/repository.ts';

/** The model of the AI SDK's example, which a reader has. */
const model = `import { MockLanguageModelV4 } from 'ai/test';
const model = new MockLanguageModelV4({ doGenerate: {
  content: [{ type: 'text', text: 'A refund takes 5 to 10 business days. It takes 5 to 10 weeks.' }],
  finishReason: { unified: 'stop', raw: 'stop' }, warnings: [],
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
} });
`;

it.each([
  ['packages/grounding/README.md', 4],
  ['docs/extend.md', 1],
])('every example of %s prints its documented output', async (path, count) => {
  const examples = examplesOf(path);
  expect(examples).toHaveLength(count);
  const index = 'packages/grounding/src/index.ts';
  const { folder, run } = await createProject({
    '@knowledge-agent/grounding': { '.': index, './ai-sdk': 'packages/grounding/src/ai-sdk.ts' },
    'knowledge-agent': { './grounding': index },
  });
  await symlink(join(root, 'node_modules/ai'), join(folder, 'node_modules/ai'));
  const printed = await Promise.all(
    examples.map(({ code }, number) =>
      run(`example-${number}.ts`, code.includes('ai-sdk') ? model + code : code),
    ),
  );
  expect(printed).toEqual(examples.map(({ output }) => output));
});

it('example.ts is the first example of the README', () => {
  expect(examplesOf('packages/grounding/README.md')[0]?.code).toBe(
    read('packages/grounding/example.ts'),
  );
});
