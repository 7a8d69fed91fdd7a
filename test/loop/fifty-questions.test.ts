/** A server that just started answers many and reads long documents without blocking its loop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { maxHeldMs } from '../support/loop-monitor.ts';
import { startServerProcess } from '../support/server-process.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const repeated = (text: string, chars: number) => text.repeat(Math.ceil(chars / text.length));
const plans = Array.from({ length: 100 }, (_, at) => [
  `d${at}.md`,
  `# Plan ${at}\n\nPlan ${at} costs ${at} dollars a month, and is paid by card.\n`,
]);

// Loading Mastra under fifty questions takes 43 to 111 ms a block, from run to run on one machine.
it('answers fifty questions at once and reads long documents without blocking', async () => {
  const folder = await temporaryFolder();
  await writeFiles(`${folder}/knowledge/plans`, Object.fromEntries(plans));
  const server = await startServerProcess({
    ...foldersIn(folder),
    LIMITS: 'medium,streams=200',
  });
  const toolParams = { namespace: 'plans' };
  const ask = (at: number) =>
    server.generate({
      messages: `@agent what does plan ${at} cost a month?`,
      toolParams,
    });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => ask(at)));
  expect(answers.map(({ body }) => body.text?.includes('Sources:'))).toEqual(
    answers.map(() => true),
  );
  expect(await server.heldMs()).toBeLessThanOrEqual(maxHeldMs);

  const files = {
    'line.md': repeated('word ', 1_000_000),
    'code.md': `\`\`\`\n${repeated('const x = 1;\n', 1_000_000)}\`\`\`\n`,
    'sections.md': repeated(
      '## Heading\n\nSome words of a long text, with a [link](https://example.com).\n\n',
      1_000_000,
    ),
    'characters.md': repeated('返金は購入後三十日以内に行われます。', 200_000),
    'spaces.md': `x${' '.repeat(1_000_000)}x`,
    'lines.md': `x${'\n'.repeat(1_000_000)}x`,
  };
  await writeFiles(`${folder}/knowledge/default`, files);
  for (let total = 0; total < Object.keys(files).length; await sleep(100)) {
    const listed: any = await (
      await fetch(`${server.url}/api/namespaces/default/documents`)
    ).json();
    total = listed.documents?.length ?? 0;
  }
  const { body } = await server.find({ query: 'words of a long text' });
  expect(body.sources).toContain('sections.md');
  expect(await server.heldMs()).toBeLessThanOrEqual(maxHeldMs);
});
