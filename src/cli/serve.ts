/** `knowledge-agent serve`: the server, with options for the settings of a first start. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { parseConfig } from '../config.ts';
import { createCommand, exitCodes } from './command.ts';
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

const options = {
  port: { type: 'string', setting: 'PORT' },
  host: { type: 'string', setting: 'HOST' },
  knowledge: { type: 'string', setting: 'KNOWLEDGE_DIR' },
  state: { type: 'string', setting: 'STATE_DIR' },
  index: { type: 'string', setting: 'INDEX_DIR' },
} as const;

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
    const question = `There is no folder ${shown}. Create it with sample documents?`;
    if (isTerminal && (await confirm(question))) return copySamples(path);
    warn(
      `There is no folder ${shown} with documents: create it, or run "knowledge-agent init" for ./knowledge with sample documents.`,
    );
    return false;
  }
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const outside = entries.find((entry) => entry.isFile() && !entry.name.startsWith('.'));
  if (outside)
    warn(
      `${shownLine(join(path, outside.name))} is not searched. Move .md files to ${shownLine(join(path, 'default'))}, or run "knowledge-agent ingest ${shown}" and serve without --knowledge.`,
    );
  return true;
}

export const serveCommand = createCommand({ help, options }, async ({ values }, environment) => {
  const settings = { ...environment };
  for (const [option, { setting }] of Object.entries(options)) {
    const value = values[option as keyof typeof options];
    if (value !== undefined) settings[setting] = value;
  }
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
