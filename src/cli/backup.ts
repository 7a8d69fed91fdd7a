/**
 * `npm run backup` and `npm run restore`: state and documents of a server without a database, as
 * one ZIP file.
 */
import { createWriteStream } from 'node:fs';
import {
  access,
  lstat,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { type Config, ConfigError } from '../config.ts';
import { FolderInUseError, lockFolder } from '../disk/folder-lock.ts';
import { copyStateFile, requireUsableFile } from '../state/sqlite-store.ts';
import { createCommand, exitCodes, onlyOne, parseCommandConfig } from './command.ts';
import { print, printJson, warn } from './terminal.ts';

const common = `      --json  print the result as JSON
  -h, --help

State is in STATE_DIR, documents are in KNOWLEDGE_DIR (environment or .env). With DATABASE_URL both are in the database: use pg_dump.
Exit code: 0 done, 1 failed, 2 wrong arguments.
`;

const backupHelp = `Copy state and documents to a new ZIP file. A server may be running.

  knowledge-agent backup FILE [options]

${common}`;

const restoreHelp = `Restore state and documents from a backup. Stop the server first. Current files are moved to the subfolder ".before-restore-…".

  knowledge-agent restore FILE [options]

${common}`;

const parts = { state: 'state', documents: 'knowledge' } as const;
const replacedPrefix = '.before-restore-';

const failed = (message: string, cause?: unknown) =>
  new KnowledgeError('internal', message, { cause });

type DataFolders = Readonly<{ stateDir: string; knowledgeDir: string }>;

function foldersOf({ databaseUrl, stateDir, knowledgeDir }: Config): DataFolders {
  if (databaseUrl !== undefined)
    throw new ConfigError([
      'DATABASE_URL: state and documents are in the database; use pg_dump and pg_restore instead',
    ]);
  return { stateDir: resolve(stateDir), knowledgeDir: resolve(knowledgeDir) };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Files below a folder, without links and without files that an earlier restore replaced. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name !== '.reserve')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(folder, path).startsWith(replacedPrefix))
    .sort();
}

/** `name`: path in the ZIP file. */
type BackupFile = Readonly<{ path: string; name: string }>;

/** Copies the state first, so a concurrent delete leaves no state without its document. */
async function collect(folders: DataFolders, scratch: string): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  const add = (part: string, folder: string, paths: readonly string[]) => {
    for (const path of paths)
      files.push({ path, name: [part, ...relative(folder, path).split(sep)].join('/') });
  };
  const database = join(folders.stateDir, 'state.db');
  if (await exists(database)) {
    const copy = join(scratch, 'state.db');
    copyStateFile(database, copy);
    add(parts.state, scratch, [copy]);
  }
  add(parts.documents, folders.knowledgeDir, await filesIn(folders.knowledgeDir));
  return files;
}

async function writeZip(path: string, files: readonly BackupFile[]): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const file of files) zip.addFile(file.path, file.name);
  zip.end();
  const writing = `${path}.part`;
  try {
    await pipeline(
      zip.outputStream,
      createWriteStream(writing, { flags: 'wx', mode: 0o600, flush: true }),
    );
    await rename(writing, path);
  } catch (error) {
    await rm(writing, { force: true });
    throw error;
  }
}

const options = {} as const;

export const backupCommand = createCommand(
  { help: backupHelp, options, allowPositionals: true },
  async ({ positionals, values }, environment) => {
    const path = resolve(onlyOne(positionals, 'file'));
    const folders = foldersOf(parseCommandConfig(environment));
    if (await exists(path)) throw failed(`${path} already exists. Choose another name.`);
    const scratch = await mkdtemp(join(dirname(path), '.backup-')).catch((error: unknown) => {
      throw failed(
        `${dirname(path)} cannot be written (${systemErrorCode(error)}). Choose another folder.`,
        error,
      );
    });
    try {
      const files = await collect(folders, scratch);
      if (files.length === 0)
        throw failed('There is nothing to back up. Check STATE_DIR and KNOWLEDGE_DIR.');
      await writeZip(path, files);
      const { size: bytes } = await lstat(path);
      if (values.json) printJson({ file: path, files: files.length, bytes });
      else print(`Wrote ${path}: ${files.length} files, ${bytes} bytes.\n`);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return exitCodes.done;
  },
);

/**
 * Extracts a backup; yauzl rejects names that lead out of the folder. @returns the number of files
 */
async function extract(path: string, into: (part: string) => string): Promise<number> {
  const zip = await yauzl.openPromise(path).catch((error: unknown) => {
    throw failed(
      `${path} is not a backup, or is damaged. Give a file that the command backup wrote.`,
      error,
    );
  });
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    const [part = '', ...rest] = entry.fileName.split('/');
    if (!Object.values<string>(parts).includes(part) || rest.length === 0 || rest.includes(''))
      throw failed(`${path} is not a backup: it contains ${shownLine(entry.fileName)}.`);
    const target = join(into(part), ...rest);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(
      await zip.openReadStreamPromise(entry),
      createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
    );
    count++;
  }
  return count;
}

/**
 * Moves the old entries into a new subfolder, then the entries of `from` into `folder`. Each step
 * is a rename on one disk.
 */
async function replaceEntries(
  folder: string,
  from: string,
  isReplaced: (name: string) => boolean,
): Promise<string | undefined> {
  const aside = join(folder, `${replacedPrefix}${new Date().toISOString().replaceAll(':', '-')}`);
  const old = (await readdir(folder)).filter(isReplaced);
  if (old.length > 0) await mkdir(aside, { mode: 0o700 });
  for (const name of old) await rename(join(folder, name), join(aside, name));
  for (const name of await readdir(from).catch(() => []))
    await rename(join(from, name), join(folder, name));
  const handle = await openFile(folder, 'r');
  await handle.sync().finally(() => handle.close());
  return old.length > 0 ? aside : undefined;
}

const isState = (name: string) => name.startsWith('state.db');
const isDocument = (name: string) =>
  !name.startsWith(replacedPrefix) && !name.startsWith('.restore-') && name !== '.reserve';

function lockOrThrow(stateDir: string) {
  try {
    return lockFolder(stateDir, { onWarning: warn, onReplaced: () => undefined });
  } catch (error) {
    if (error instanceof FolderInUseError)
      throw failed(`A server uses ${stateDir} (${error.message}). Stop it first.`);
    throw error;
  }
}

export const restoreCommand = createCommand(
  { help: restoreHelp, options, allowPositionals: true },
  async ({ positionals, values }, environment) => {
    const path = resolve(onlyOne(positionals, 'file'));
    const { stateDir, knowledgeDir } = foldersOf(parseCommandConfig(environment));
    for (const folder of [stateDir, knowledgeDir]) await mkdir(folder, { recursive: true });
    const lock = lockOrThrow(stateDir);
    // One temporary folder in each target folder, because a rename works only within one disk.
    const scratch = await Promise.all(
      [stateDir, knowledgeDir].map((folder) => mkdtemp(join(folder, '.restore-'))),
    );
    const [forState = '', forDocuments = ''] = scratch;
    try {
      const files = await extract(path, (part) => (part === parts.state ? forState : forDocuments));
      const database = join(forState, 'state.db');
      if (await exists(database)) requireUsableFile(database);
      const aside = [
        await replaceEntries(stateDir, forState, isState),
        await replaceEntries(knowledgeDir, forDocuments, isDocument),
      ].filter((one) => one !== undefined);
      if (values.json) printJson({ file: path, files, aside });
      else
        print(
          `Restored ${files} files.${aside.map((one) => ` Earlier files are in ${one}.`).join('')}\n`,
        );
    } finally {
      for (const folder of scratch) await rm(folder, { recursive: true, force: true });
      lock.release();
    }
    return exitCodes.done;
  },
);
