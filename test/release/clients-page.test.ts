import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { listed } from '../support/listed.ts';
import { read, root } from '../support/repository.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/workspace.ts';

const page = read('docs/clients.md');
const blocks = [
  ...page.matchAll(
    /^## (.+)\n(?:(?!^## )[\s\S])*?^```(js|sh)\n([\s\S]*?)\n```\n\n```text\n([\s\S]*?)\n```$/gm,
  ),
].map(([, title = '', language = '', program = '', shown = '']) => ({
  title,
  language,
  program,
  shown,
}));
const run = promisify(execFile);

it('each program of docs/clients.md prints the documented output and has at most ten lines', async () => {
  const server = await startServerProcess({ INDEX_DIR: await temporaryFolder() });
  expect(blocks.map(({ title }) => title)).toEqual([
    '`@mastra/client-js`',
    ...listed(`
      AI SDK | OpenAI | LangChain | AG-UI, CopilotKit | MCP
    `),
  ]);
  for (const { title, language, program, shown } of blocks) {
    expect(program.split('\n').length, title).toBeLessThanOrEqual(10);
    const here = program
      .replaceAll('http://localhost:4111', server.url)
      .replaceAll('localhost:4111', server.url.slice('http://'.length));
    const [command, ...args] =
      language === 'sh'
        ? ['bash', '-c', here]
        : [process.execPath, '--input-type=module', '--eval', here];
    const { stdout } = await run(command as string, args, {
      cwd: `${root}test/release`,
      env: { PATH: process.env['PATH'] },
    });
    expect(stdout.trimEnd(), title).toBe(shown);
  }
});
