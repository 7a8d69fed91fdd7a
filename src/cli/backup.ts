/**
 * `npm run backup` and `npm run restore`: state and documents of a server without a database, as
 * one ZIP file.
 */
import { createWriteStream, existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  rename,
  rm,
  rmdir,
  statfs,
} from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { writeCheckName } from '../../packages/shared/src/disk/disk-check.ts';
import {
  FolderInUseError,
  FolderLock,
  isHiddenLock,
} from '../../packages/shared/src/disk/folder-lock.ts';
import { temporaryName } from '../../packages/shared/src/disk/replace-file.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { type Config, ConfigError } from '../config.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { copyStateFile, requireUsableFile } from '../records/sqlite-store.ts';
import { createCommand, onlyOne, parseCommandConfig, printResult } from './command.ts';
import { warn } from './terminal.ts';

const help = {
  backup: `Copy state and documents to a new ZIP file. A server may be running.

  knowledge-agent backup FILE

State is in STATE_DIR, documents are in KNOWLEDGE_DIR. With DATABASE_URL both are in the database: use pg_dump.
`,
  restore: `Restore state and documents from a backup. Stop the server first. Current files are moved to the subfolder ".before-restore-…".

  knowledge-agent restore FILE
`,
};

const parts = { state: 'state', documents: 'knowledge' } as const;
const replacedPrefix = '.before-restore-';

const failed = (message: string, cause?: unknown) =>
  new KnowledgeError('internal', message, { cause });

function foldersOf({ databaseUrl, stateDir, knowledgeDir }: Config) {
  if (databaseUrl !== undefined)
    throw new ConfigError([
      'DATABASE_URL: state and documents are in the database; use pg_dump and pg_restore instead',
    ]);
  return { stateDir: resolve(stateDir), knowledgeDir: resolve(knowledgeDir) };
}
type DataFolders = ReturnType<typeof foldersOf>;

/** Files that the server makes in KNOWLEDGE_DIR for itself. */
const isServerFile = (name: string): boolean =>
  name === '.reserve' || name === writeCheckName || isHiddenLock(name) || temporaryName.test(name);
const isNamespace = (name: string) => toNamespaceName(name) !== undefined;

/** Undefined if a server has just deleted the file. @throws KnowledgeError */
const ifPresent = <T>(path: string, reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return undefined;
    throw failed(`${path} cannot be read (${code}). Nothing was backed up.`, error);
  });

/** Files below a folder, without links. @param isUsed of folders in it: default all */
async function filesIn(folder: string, isUsed = (_: string) => true): Promise<string[]> {
  const entries = await ifPresent(folder, readdir(folder, { withFileTypes: true }));
  const found: string[] = [];
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && isUsed(entry.name)) found.push(...(await filesIn(path)));
    else if (entry.isFile() && !isServerFile(entry.name)) found.push(path);
  }
  return found.sort();
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
  if (existsSync(database)) {
    const copy = join(scratch, 'state.db');
    try {
      copyStateFile(database, copy);
    } catch (error) {
      throw failed(`${database} cannot be copied: ${(error as Error).message}.`, error);
    }
    add(parts.state, scratch, [copy]);
  }
  add(parts.documents, folders.knowledgeDir, await filesIn(folders.knowledgeDir, isNamespace));
  return files;
}

/** ZIP needs another format for larger files. */
const maxZip32Bytes = 0xffff_0000;

/**
 * Reads one file after the other. Each is opened first, so that it is whole even if a server
 * replaces or deletes it.
 */
async function addFiles(zip: yazl.ZipFile, files: readonly BackupFile[]): Promise<number> {
  let count = 0;
  for (const { path, name } of files) {
    const handle = await ifPresent(path, openFile(path));
    if (!handle) continue;
    const { size, mtime } = await handle.stat();
    const stream = handle.createReadStream({ end: Math.max(0, size - 1) });
    zip.addReadStream(stream, name, { mtime, forceZip64Format: size > maxZip32Bytes });
    await ifPresent(path, finished(stream));
    count++;
  }
  zip.end();
  return count;
}

/** @returns the number of files */
async function writeZip(path: string, files: readonly BackupFile[], scratch: string) {
  const zip = new yazl.ZipFile();
  zip.on('error', (error) => (zip.outputStream as Readable).destroy(error as Error));
  const writing = join(scratch, 'backup.zip');
  const written = pipeline(
    zip.outputStream,
    createWriteStream(writing, { flags: 'wx', mode: 0o600, flush: true }),
  ).catch((error: unknown) => {
    throw failed(`${path} cannot be written (${systemErrorCode(error)}).`, error);
  });
  const [count] = await Promise.all([addFiles(zip, files), written]);
  await rename(writing, path);
  return count;
}

export const backupCommand = createCommand(
  { help: help.backup, options: {}, allowPositionals: true },
  async ({ positionals, values }, environment) => {
    const path = resolve(onlyOne(positionals, 'file'));
    const folders = foldersOf(parseCommandConfig(environment));
    if (existsSync(path)) throw failed(`${path} already exists. Choose another name.`);
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
      const count = await writeZip(path, files, scratch);
      const { size: bytes } = await lstat(path);
      const text = `Wrote ${path}: ${count} files, ${bytes} bytes.\n`;
      return printResult(values, { file: path, files: count, bytes }, text);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
);

const isState = (name: string) => name.startsWith('state.db');
const isDocument = (name: string) =>
  !name.startsWith(replacedPrefix) && !name.startsWith('.restore-') && !isServerFile(name);

const damaged = (path: string, error: unknown) =>
  error instanceof KnowledgeError
    ? error
    : failed(
        `${path} is not a backup, or is damaged. Give a file that the command backup wrote.`,
        error,
      );

/** Whether a restore may write an entry of the ZIP file. From `state/` that is only `state.db`. */
function isRestorable(name: string): boolean {
  const [part, first = '', ...rest] = name.split('/');
  if (part === parts.state) return first === 'state.db' && rest.length === 0;
  return part === parts.documents && isDocument(first) && ![first, ...rest].includes('');
}

/** Folder of each part, while its files are unpacked. */
type Targets = Readonly<Record<(typeof parts)[keyof typeof parts], string>>;

/** @throws KnowledgeError if the disk of a folder has less free space than the files need */
async function requireSpace(needed: ReadonlyMap<string, number>): Promise<void> {
  const byDisk = new Map<number, { bytes: number; folder: string }>();
  for (const [folder, more] of needed) {
    const { dev } = await lstat(folder);
    byDisk.set(dev, { folder, bytes: (byDisk.get(dev)?.bytes ?? 0) + more });
  }
  for (const { folder, bytes } of byDisk.values()) {
    const { bavail, bsize } = await statfs(folder);
    if (bytes > bavail * bsize)
      throw failed(
        `The backup needs ${bytes} bytes, but the disk of ${folder} has ${bavail * bsize} left. Free some space first.`,
      );
  }
}

/**
 * Unpacks a backup after all its entries were checked. yauzl rejects names that lead out of the
 * folder, and entries that are larger than they claim. @returns the number of files
 * @throws KnowledgeError
 */
async function extract(path: string, targets: Targets): Promise<number> {
  const folderOf = (name: string) =>
    name.startsWith(`${parts.state}/`) ? targets.state : targets.knowledge;
  const needed = new Map<string, number>();
  try {
    for await (const { fileName, uncompressedSize } of (
      await yauzl.openPromise(path)
    ).eachEntry()) {
      if (!isRestorable(fileName))
        throw failed(`${path} is not a backup: it contains ${shownLine(fileName)}.`);
      const folder = folderOf(fileName);
      needed.set(folder, (needed.get(folder) ?? 0) + uncompressedSize);
    }
    if (needed.size === 0) throw failed(`${path} is not a backup: it is empty.`);
    await requireSpace(needed);
    let count = 0;
    const zip = await yauzl.openPromise(path);
    for await (const entry of zip.eachEntry()) {
      const target = join(folderOf(entry.fileName), ...entry.fileName.split('/').slice(1));
      await mkdir(dirname(target), { recursive: true });
      await pipeline(
        await zip.openReadStreamPromise(entry),
        createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
      );
      count++;
    }
    return count;
  } catch (error) {
    throw damaged(path, error);
  }
}

function requireUsableState(path: string, database: string): void {
  try {
    requireUsableFile(database);
  } catch (error) {
    throw damaged(path, error);
  }
}

/** Renames that can be undone, last first. */
class Moves {
  readonly #done: (readonly [from: string, to: string])[] = [];
  readonly #folders: string[] = [];

  async makeFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    this.#folders.push(path);
  }

  async move(from: string, to: string): Promise<void> {
    await rename(from, to);
    this.#done.push([from, to]);
  }

  async undo(): Promise<void> {
    for (const [from, to] of this.#done.splice(0).toReversed()) await rename(to, from);
    for (const folder of this.#folders) await rmdir(folder);
  }
}

/**
 * Moves the old entries into a new subfolder, then the entries of `from` into `folder`. Each step
 * is a rename on one disk. @returns the subfolder, if anything was moved there
 */
async function replaceEntries(
  moves: Moves,
  folder: string,
  from: string,
  isReplaced: (name: string) => boolean,
): Promise<string | undefined> {
  const aside = join(folder, `${replacedPrefix}${new Date().toISOString().replaceAll(':', '-')}`);
  const old = (await readdir(folder)).filter(isReplaced);
  if (old.length > 0) await moves.makeFolder(aside);
  for (const name of old) await moves.move(join(folder, name), join(aside, name));
  for (const name of await readdir(from)) await moves.move(join(from, name), join(folder, name));
  const handle = await openFile(folder, 'r');
  await handle.sync().finally(() => handle.close());
  return old.length > 0 ? aside : undefined;
}

/** Replaces both parts, or neither. @returns the folders with the earlier files */
async function replaceBoth(folders: DataFolders, unpacked: Targets): Promise<string[]> {
  const moves = new Moves();
  try {
    const aside = [
      await replaceEntries(moves, folders.stateDir, unpacked.state, isState),
      await replaceEntries(moves, folders.knowledgeDir, unpacked.knowledge, isDocument),
    ];
    return aside.filter((one) => one !== undefined);
  } catch (error) {
    await moves.undo();
    throw failed(
      `The backup could not be put in place (${systemErrorCode(error)}). Nothing was changed.`,
      error,
    );
  }
}

function lockOrThrow(folder: string, isHidden: boolean) {
  try {
    return new FolderLock(folder, { isHidden, onWarning: warn, onReplaced: () => undefined });
  } catch (error) {
    if (error instanceof FolderInUseError)
      throw failed(`A server uses ${folder} (${error.message}). Stop it first.`);
    throw error;
  }
}

/** Locks both folders; the one of documents only if a server has locked it before. */
async function lockBoth({ stateDir, knowledgeDir }: DataFolders): Promise<() => void> {
  const state = lockOrThrow(stateDir, false);
  try {
    const isUsed = (await readdir(knowledgeDir)).some(isHiddenLock);
    const knowledge = isUsed ? lockOrThrow(knowledgeDir, true) : undefined;
    return () => {
      knowledge?.release();
      state.release();
    };
  } catch (error) {
    state.release();
    throw error;
  }
}

export const restoreCommand = createCommand(
  { help: help.restore, options: {}, allowPositionals: true },
  async ({ positionals, values }, environment) => {
    const path = resolve(onlyOne(positionals, 'file'));
    const folders = foldersOf(parseCommandConfig(environment));
    if (!existsSync(path)) throw failed(`${path} does not exist. Check the name.`);
    const { stateDir, knowledgeDir } = folders;
    for (const folder of [stateDir, knowledgeDir]) await mkdir(folder, { recursive: true });
    const release = await lockBoth(folders);
    // One temporary folder in each target folder, because a rename works only within one disk.
    const unpacked: Targets = {
      state: await mkdtemp(join(stateDir, '.restore-')),
      knowledge: await mkdtemp(join(knowledgeDir, '.restore-')),
    };
    try {
      const files = await extract(path, unpacked);
      const database = join(unpacked.state, 'state.db');
      if (existsSync(database)) requireUsableState(path, database);
      const aside = await replaceBoth(folders, unpacked);
      const text = `Restored ${files} files.${aside.map((one) => ` Earlier files are in ${one}.`).join('')}\n`;
      return printResult(values, { file: path, files, aside }, text);
    } finally {
      for (const folder of Object.values(unpacked))
        await rm(folder, { recursive: true, force: true });
      release();
    }
  },
);
