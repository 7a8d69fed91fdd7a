/**
 * `npm run migrate`, `npm run import` and `npm run export`: change the database without a server.
 */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import { makeFolder } from '../../packages/shared/src/disk/make-folder.ts';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { type Config, ConfigError } from '../config.ts';
import { DocumentStore } from '../documents/document-store.ts';
import { auxiliaryFiles, messagesFileName } from '../documents/namespace-name.ts';
import { Database } from '../records/postgres/database.ts';
import { DocumentRecord, importFile, noFolder } from '../records/postgres/document-tables.ts';
import { createCommand, onlyOne, parseCommandConfig, printResult, UsageError } from './command.ts';
import { createProgress, warn } from './terminal.ts';

const common = `      --json  print the result as JSON

Uses DATABASE_URL (environment or .env).
`;

const migrateHelp = `Create or update the tables of the database, as every server does at startup. Forward only; safe to run concurrently.

  knowledge-agent migrate [options]

${common}`;

const importHelp = `Copy a folder into the database: <folder>/<namespace>/**.md and .mdx, each namespace's .synonyms.txt and .messages.yaml, and
<folder>/.messages.yaml. Running servers use the files at once. Files with other content are replaced; no file is deleted.

  knowledge-agent import FOLDER [options]

${common}`;

const exportHelp = `Copy every document of the database into an empty folder, <folder>/<namespace>/…, for a server without a database.

  knowledge-agent export FOLDER [options]

${common}`;

async function prepare({ databaseUrl }: Config) {
  if (databaseUrl === undefined)
    throw new ConfigError(['DATABASE_URL: is missing; this command needs it']);
  const { prepareDatabase } = await import('../records/postgres/migrations.ts');
  return { databaseUrl, made: await prepareDatabase(databaseUrl) };
}

async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>) {
  const { databaseUrl: url } = await prepare(config);
  const database = new Database({ url });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const maxConcurrentFiles = 4;

export const migrateCommand = createCommand(
  { help: migrateHelp, options: {} },
  async ({ values }, environment) => {
    const { made } = await prepare(parseCommandConfig(environment));
    return printResult(
      values,
      made,
      made.from === made.to
        ? `The tables are up to date (version ${made.to}).\n`
        : `Updated the tables from version ${made.from} to ${made.to}.\n`,
    );
  },
);

/** Names of the files to import, sorted. Namespace `''` means the folder above all namespaces. */
async function sharedFiles(store: DocumentStore, namespace: string) {
  const exists = (file: string) => store.stampNow(namespace, file) !== undefined;
  if (namespace === '') return [messagesFileName].filter(exists);
  const { files, unreadable } = await store.scan(namespace);
  for (const error of unreadable.values()) throw error;
  return [...files.keys(), ...auxiliaryFiles.filter(exists)].sort();
}

async function importFolder(database: Database, store: DocumentStore) {
  // No local copy is written: running servers poll the database.
  const writes = new DocumentRecord(database).writesThrough(noFolder);
  const progress = createProgress('importing');
  const counts = { added: 0, updated: 0, unchanged: 0 };
  const withSlot = new Semaphore(maxConcurrentFiles);
  let total = 0;
  for (const namespace of ['', ...(await store.listNamespaces())]) {
    const importOne = async (file: string) => {
      const stored = await store.read(namespace, file);
      if (!stored) return;
      const status = await importFile(writes, { namespace, file, text: stored.text }, true);
      counts[status]++;
      progress.row({ status, source: join(namespace, file) });
    };
    const files = await sharedFiles(store, namespace);
    total += files.length;
    progress.total(total);
    await Promise.all(files.map((file) => withSlot.run(() => importOne(file))));
  }
  progress.end('');
  return counts;
}

export const importCommand = createCommand(
  { help: importHelp, options: {}, allowPositionals: true },
  async ({ values, positionals }, environment) => {
    const folder = resolve(onlyOne(positionals, 'folder'));
    await readdir(folder).catch(() => {
      throw new UsageError(`${shownLine(folder)} is not a readable folder.`);
    });
    const store = new DocumentStore(folder, (name) =>
      warn(`${shownLine(name)} is skipped: it is not a valid namespace name.`),
    );
    const counts = await withDatabase(parseCommandConfig(environment), (database) =>
      importFolder(database, store),
    );
    const text = `${counts.added} added, ${counts.updated} updated, ${counts.unchanged} unchanged.\n`;
    return printResult(values, counts, text);
  },
);

async function exportTo(database: Database, store: DocumentStore) {
  const record = new DocumentRecord(database);
  const progress = createProgress('exporting');
  const files = (await record.list()).filter(({ revision }) => revision !== undefined);
  progress.total(files.length);
  let exported = 0;
  for (const one of files) {
    const { namespace, file } = one;
    const [found] = await record.contentsOf([one]);
    if (!found?.content) continue;
    await store.write(namespace, file, found.content);
    exported++;
    progress.row({ status: 'exported', source: join(namespace, file) });
  }
  progress.end('');
  return exported;
}

export const exportCommand = createCommand(
  { help: exportHelp, options: {}, allowPositionals: true },
  async ({ values, positionals }, environment) => {
    const folder = resolve(onlyOne(positionals, 'folder'));
    await makeFolder(folder).catch((error: unknown) => {
      throw new UsageError(`${shownLine(folder)} cannot be created: ${systemErrorCode(error)}.`);
    });
    if ((await readdir(folder)).length > 0)
      throw new UsageError(`${shownLine(folder)} is not empty. Choose an empty or new folder.`);
    const exported = await withDatabase(parseCommandConfig(environment), (database) =>
      exportTo(database, new DocumentStore(folder)),
    );
    const text = `Exported ${exported} documents to ${shownLine(folder)}.\n`;
    return printResult(values, { exported }, text);
  },
);
