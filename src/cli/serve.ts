/** `knowledge-agent serve`: the server, with options for the settings of a first start. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { parseConfig } from '../config.ts';
import { createCommand, exitCodes, textOption } from './command.ts';
import { copySamples } from './init.ts';
import { warn } from './terminal.ts';

const help = `Start the server: a web page, an HTTP API and MCP. Ctrl-C stops it after running requests finish.

  knowledge-agent serve [options]

      --port NUMBER       port to listen on; 0 picks a free port (PORT, default: 4111)
      --host ADDRESS      address to listen on (HOST, default: 127.0.0.1)
      --knowledge FOLDER  folder of the documents: .md and .mdx files in FOLDER/<namespace>/ (KNOWLEDGE_DIR, default: ./knowledge)
      --state FOLDER      folder of answers, conversations and jobs (STATE_DIR, default: ./.data)
      --index FOLDER      folder of the index (INDEX_DIR, default: STATE_DIR/index)

  knowledge-agent serve --port 8080 --knowledge ./docs

An option takes precedence over the environment, which takes precedence over .env. docs/settings.md lists all settings.
`;

const settingOf = {
  port: 'PORT',
  host: 'HOST',
  knowledge: 'KNOWLEDGE_DIR',
  state: 'STATE_DIR',
  index: 'INDEX_DIR',
} as const;
const options = {
  port: textOption,
  host: textOption,
  knowledge: textOption,
  state: textOption,
  index: textOption,
} as const;
const form = { help, exit: '0 stopped, 1 failed', options };

/** Asks on the terminal; the end of input is a no. */
function confirm(question: string) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<boolean>((resolve) => {
    terminal.once('close', () => resolve(false));
    terminal.question(`${question} [Y/n] `, (answer) =>
      resolve(/^(?:y(?:es)?)?$/i.test(answer.trim())),
    );
  }).finally(() => terminal.close());
}

/**
 * Offers the sample documents if the folder is missing. @returns false if the server must not start
 */
async function prepareKnowledge(path: string) {
  const shown = shownLine(path);
  if (!existsSync(path)) {
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    if (
      isTerminal &&
      (await confirm(`There is no folder ${shown}. Create it with sample documents?`))
    )
      return copySamples(path);
    const what = `There is no folder ${shown} with documents`;
    warn(
      `${isTerminal ? '\n' : ''}${what}: create it, or run "knowledge-agent init" for ./knowledge with sample documents.`,
    );
    return false;
  }
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const [first, ...others] = entries.filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.'),
  );
  if (first) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const move = `Move .md files to ${shownLine(join(path, 'default'))}`;
    warn(
      `Not searched, because outside of a namespace folder: ${shownLine(join(path, first.name))}${more}.`,
    );
    warn(`${move}, or run "knowledge-agent ingest ${shown}" and serve without --knowledge.`);
  }
  return true;
}

export const serveCommand = createCommand(form, async ({ values }, environment) => {
  const given = Object.entries(settingOf).flatMap(([option, setting]) => {
    const value = values[option as keyof typeof settingOf];
    return value === undefined ? [] : [[setting, value]];
  });
  const settings: NodeJS.ProcessEnv = { ...environment, ...Object.fromEntries(given) };
  const { databaseUrl, knowledgeDir } = parseConfig(settings);
  // With a database, the folder is a copy that the server creates.
  if (databaseUrl === undefined && !(await prepareKnowledge(knowledgeDir))) return exitCodes.failed;
  // Saves about 100 MB, as `--max-semi-space-size` does for `npm start`; V8 ignores that flag
  // after its start.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { runServer } = await import('../server.ts');
  await runServer(settings);
  // The process ends when the server stops.
  return new Promise(() => undefined);
});
