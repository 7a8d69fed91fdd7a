/**
 * Runs commands one after another in one process, because loading their modules takes seconds.
 * Started by `run-command.ts`. The async context assigns output to its command, even late output.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { type Command, runCommand } from '../../src/cli/command.ts';
import { registerCommand } from '../../src/cli/register.ts';
import { agUi } from '../../src/cli/register-ag-ui.ts';
import { bot } from '../../src/cli/register-bot.ts';
import { mastraProvider } from '../../src/cli/register-mastra.ts';
import type { CommandRequest, CommandResult } from './run-command.ts';

// Each command listens for signals until its process ends.
process.setMaxListeners(0);
// A failed command may leave an upload running; a separate process would have ended it.
process.on('uncaughtException', (error) => {
  if (error.name !== 'NotReadableError') throw error;
});

const outputs = new AsyncLocalStorage<{ out: string; err: string; readonly stdin: Readable }>();
const fileOf: Readonly<Record<string, string>> = {
  migrate: 'database',
  import: 'database',
  export: 'database',
  restore: 'backup',
  eval: '../../tools/eval/command',
};

for (const [stream, name] of [
  [process.stdout, 'out'],
  [process.stderr, 'err'],
] as const)
  stream.write = (part: Uint8Array | string) => {
    const output = outputs.getStore();
    if (output) output[name] += part.toString();
    return true;
  };
Object.defineProperty(process, 'stdin', { get: () => outputs.getStore()?.stdin });

async function run({ args, settings, input }: Omit<CommandRequest, 'id'>): Promise<CommandResult> {
  const output = { out: '', err: '', stdin: Readable.from([Buffer.from(input)]) };
  const [name = ''] = args;
  const load = async (): Promise<Command> =>
    name === 'register'
      ? registerCommand({ 'ag-ui': agUi, mastra: mastraProvider, bot })
      : (await import(`../../src/cli/${fileOf[name] ?? name}.ts`))[`${name}Command`];
  const code = await outputs.run(output, () =>
    runCommand({ [name]: ['', load] }, args, settings).catch((error: Error) => {
      output.err += error.stack;
      return 1;
    }),
  );
  return { code, out: output.out, err: output.err };
}

process.on('message', async ({ id, ...asked }: CommandRequest) =>
  process.send?.({ id, ran: await run(asked) }),
);
process.on('disconnect', () => process.exit());
