/** `knowledge-agent init`: a folder with sample documents and a `.env`, to start from. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { packageRoot } from '../package.ts';
import { createCommand, exitCodes, UsageError } from './command.ts';
import { print } from './terminal.ts';

const help = `Create a folder with sample documents and a file .env that lists every setting. Existing files are not changed.

  knowledge-agent init [FOLDER]

FOLDER is the current folder by default.
`;

/**
 * Copies the sample documents to `<knowledgeDir>/default`. @returns false, without a change, if the
 * folder has entries
 */
export async function copySamples(knowledgeDir: string): Promise<boolean> {
  await mkdir(knowledgeDir, { recursive: true });
  if ((await readdir(knowledgeDir)).length > 0) return false;
  await cp(join(packageRoot, 'knowledge/default'), join(knowledgeDir, 'default'), {
    recursive: true,
    force: false,
  });
  return true;
}

/**
 * Writes a `.env` in which every line is a comment, so that later defaults apply. @returns false if
 * the file exists
 */
async function writeSettings(path: string) {
  const example = await readFile(join(packageRoot, '.env.example'), 'utf8');
  const settings = example.replace(
    'Copy to .env and change what you need.',
    'Remove the # of a setting to change it.',
  );
  try {
    // The file may get keys later.
    await writeFile(path, settings.replaceAll(/^(?=[A-Z])/gm, '# '), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

export const initCommand = createCommand(
  { help, options: {}, allowPositionals: true },
  async ({ positionals }, environment) => {
    const [folder = '.', ...others] = positionals;
    if (others.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}.`);
    const [knowledge, settings] = [join(folder, 'knowledge'), join(folder, '.env')];
    try {
      for (const [path, isNew] of [
        [knowledge, await copySamples(knowledge)],
        [settings, await writeSettings(settings)],
      ] as const)
        print(`${isNew ? 'created' : 'kept   '} ${shownLine(path)}\n`);
    } catch (error) {
      throw new KnowledgeError(
        'storage_unavailable',
        `${shownLine(resolve(folder))} cannot be written (${systemErrorCode(error)}).`,
      );
    }
    const command =
      environment['npm_command'] === 'exec' ? 'npx knowledge-agent' : 'knowledge-agent';
    print(`
Next${folder === '.' ? '' : `, in ${shownLine(folder)}`}:
  ${command} ask "how long do refunds take?"
  ${command} ingest URL|FILE|FOLDER     # or put .md files into knowledge/default
  ${command} serve                      # then open http://127.0.0.1:4111
`);
    return exitCodes.done;
  },
);
