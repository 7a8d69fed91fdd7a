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
import { dirname, join, resolve } from 'node:path';
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

const common = `      --json  print the result as JSON

State is in STATE_DIR, documents are in KNOWLEDGE_DIR (environment or .env). With DATABASE_URL both are in the database: use pg_dump.
`;

const backupHelp = `Copy state and documents to a new ZIP file. A server may be running.

  knowledge-agent backup FILE [options]

${common}`;

const restoreHelp = `Restore state and documents from a backup. Stop the server first. Current files are moved to the subfolder ".before-restore-…".

  knowledge-agent restore FILE [options]

${common}`;

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
const isServerFile = (name: string) =>
  name === '.reserve' || name === writeCheckName || isHiddenLock(name) || temporaryName.test(name);
const isNamespace = (name: string) => toNamespaceName(name) !== undefined;

/** Undefined if a server has just deleted the file. @throws KnowledgeError */
const ifPresent = <T>(path: string, reading: Promise<T>) =>
  reading.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return undefined;
    throw failed(`${path} cannot be read (${code}). Nothing was backed up.`, error);
  });

/** `name`: path in the ZIP file. */
type BackupFile = Readonly<{ path: string; name: string }>;

/** Files below a folder, without links. @param isUsed of folders in it: default all */
async function* filesIn(
  { path: folder, name }: BackupFile,
  isUsed = (_: string) => true,
): AsyncGenerator<BackupFile> {
  const entries = await ifPresent(folder, readdir(folder, { withFileTypes: true }));
  for (const entry of entries ?? []) {
    const one = { path: join(folder, entry.name), name: `${name}/${entry.name}` };
    if (entry.isDirectory() && isUsed(entry.name)) yield* filesIn(one);
    else if (entry.isFile() && !isServerFile(entry.name)) yield one;
  }
}

/** Copies the state first, so a concurrent delete leaves no state without its document. */
async function* collect({ stateDir, knowledgeDir }: DataFolders, scratch: string) {
  const database = join(stateDir, 'state.db');
  if (existsSync(database)) {
    const path = join(scratch, 'state.db');
    try {
      copyStateFile(database, path);
    } catch (error) {
      throw failed(`${database} cannot be copied: ${(error as Error).message}.`, error);
    }
    yield { path, name: 'state/state.db' };
  }
  yield* filesIn({ path: knowledgeDir, name: 'knowledge' }, isNamespace);
}

/** ZIP needs another format for larger files. */
const maxZip32Bytes = 0xffff_0000;

/**
 * Reads one file after the other. Each is opened first, so that it is whole even if a server
 * replaces or deletes it.
 */
async function addFiles(zip: yazl.ZipFile, files: readonly BackupFile[]) {
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
  { help: backupHelp, options: {}, allowPositionals: true },
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
      const files: BackupFile[] = [];
      for await (const file of collect(folders, scratch)) files.push(file);
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

/** Whether a restore may write an entry of the ZIP file. From `state/` that is only `state.db`. */
function isRestorable(name: string) {
  const [part, first = '', ...rest] = name.split('/');
  if (part === 'state') return first === 'state.db' && rest.length === 0;
  return part === 'knowledge' && isDocument(first) && ![first, ...rest].includes('');
}

/** @throws KnowledgeError if the disk of a folder has less free space than the files need */
async function requireSpace(needed: ReadonlyMap<string, number>) {
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
 * Unpacks a backup, `state/` and `knowledge/` into a folder of each, after all its entries were
 * checked. yauzl rejects names that lead out of the folder, and entries that are larger than they
 * claim. @returns the number of files @throws KnowledgeError
 */
async function extract(path: string, { stateDir, knowledgeDir }: DataFolders) {
  const folderOf = (name: string) => (name.startsWith('state/') ? stateDir : knowledgeDir);
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
    const database = join(stateDir, 'state.db');
    if (existsSync(database)) requireUsableFile(database);
    return count;
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    throw failed(
      `${path} cannot be unpacked: it is not a backup, is damaged, or the disk is full.`,
      error,
    );
  }
}

/**
 * Replaces both parts, or neither: moves the old entries of each folder into a new subfolder, then
 * the unpacked ones into the folder. Each step is a rename on one disk that can be undone.
 * @returns the subfolders
 */
async function replaceBoth(folders: DataFolders, unpacked: DataFolders) {
  const undo: (() => Promise<void>)[] = [];
  const move = async (from: string, to: string) => {
    await rename(from, to);
    undo.unshift(() => rename(to, from));
  };
  const aside: string[] = [];
  try {
    for (const [part, isReplaced] of [
      ['stateDir', isState],
      ['knowledgeDir', isDocument],
    ] as const) {
      const folder = folders[part];
      const from = unpacked[part];
      const old = (await readdir(folder)).filter(isReplaced);
      if (old.length > 0) {
        const time = new Date().toISOString().replaceAll(':', '-');
        const earlier = join(folder, `${replacedPrefix}${time}`);
        await mkdir(earlier, { mode: 0o700 });
        undo.unshift(() => rmdir(earlier));
        aside.push(earlier);
        for (const name of old) await move(join(folder, name), join(earlier, name));
      }
      for (const name of await readdir(from)) await move(join(from, name), join(folder, name));
      const handle = await openFile(folder, 'r');
      await handle.sync().finally(() => handle.close());
    }
    return aside;
  } catch (error) {
    for (const step of undo) await step();
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

export const restoreCommand = createCommand(
  { help: restoreHelp, options: {}, allowPositionals: true },
  async ({ positionals, values }, environment) => {
    const path = resolve(onlyOne(positionals, 'file'));
    const folders = foldersOf(parseCommandConfig(environment));
    if (!existsSync(path)) throw failed(`${path} does not exist. Check the name.`);
    const { stateDir, knowledgeDir } = folders;
    for (const folder of [stateDir, knowledgeDir]) await mkdir(folder, { recursive: true });
    const locks = [lockOrThrow(stateDir, false)];
    const temporary: string[] = [];
    /** In each target folder, because a rename works only within one disk. */
    const makeTemporary = async (folder: string) => {
      const made = await mkdtemp(join(folder, '.restore-'));
      temporary.push(made);
      return made;
    };
    try {
      // The folder of documents is locked only if a server has locked it before.
      if ((await readdir(knowledgeDir)).some(isHiddenLock))
        locks.push(lockOrThrow(knowledgeDir, true));
      const unpacked = {
        stateDir: await makeTemporary(stateDir),
        knowledgeDir: await makeTemporary(knowledgeDir),
      };
      const files = await extract(path, unpacked);
      const aside = await replaceBoth(folders, unpacked);
      const text = `Restored ${files} files.${aside.map((one) => ` Earlier files are in ${one}.`).join('')}\n`;
      return printResult(values, { file: path, files, aside }, text);
    } finally {
      for (const folder of temporary) await rm(folder, { recursive: true, force: true });
      for (const lock of locks) lock.release();
    }
  },
);
