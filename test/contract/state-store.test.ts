import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SqliteStore } from '../../src/records/sqlite-store.ts';
import { everythingIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const versions = ['CREATE TABLE notes (id integer PRIMARY KEY, text text NOT NULL) STRICT;'];

async function setUp() {
  const folder = join(await temporaryFolder(), 'state');
  const path = join(folder, 'state.db');
  const lost: string[] = [];
  const warnings: string[] = [];
  const create = (all = versions) => {
    const store = new SqliteStore({
      path,
      onWarning: (message) => warnings.push(message),
      onLost: (file) => lost.push(file),
      versions: all,
    });
    onTestFinished(() => store.close());
    return store;
  };
  const damaged = () => readdirSync(folder).filter((name) => name.includes('.damaged-'));
  return { folder, path, lost, warnings, create, store: create(), damaged };
}

const insert = 'INSERT INTO notes (text) VALUES ($1)';
const add = (store: SqliteStore, text: string) => store.query(insert, [text]);
const notesOf = async (store: SqliteStore) =>
  (await store.query<{ text: string }>('SELECT text FROM notes ORDER BY id')).map(
    ({ text }) => text,
  );

it('creates no file for a store that is only read', async () => {
  const { folder, store } = await setUp();
  expect(await notesOf(store)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

it('creates a file that only the server can read', async () => {
  const { folder, store } = await setUp();
  await add(store, 'one');
  const names = readdirSync(folder);
  expect(names).toContain('state.db');
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
});

it('delays other statements during a transaction, and rolls back a failed transaction', async () => {
  const { store } = await setUp();
  const order: string[] = [];
  const failing = store.transact(async ({ query }) => {
    await query(insert, ['undone']);
    await sleep(5);
    order.push('transaction');
    throw new Error('no');
  });
  const adding = add(store, 'kept').then(() => order.push('statement'));
  await expect(failing).rejects.toThrow('no');
  await adding;
  expect([order, await notesOf(store)]).toEqual([['transaction', 'statement'], ['kept']]);
});

it('leaves no byte of erased data, even if another process reads the file', async () => {
  const { folder, path, store } = await setUp();
  for (let at = 0; at < 50; at++) await add(store, `secret ${'x'.repeat(2_000)}`);
  const reader = new DatabaseSync(path);
  reader.exec('BEGIN; SELECT * FROM notes');
  setTimeout(() => reader.close(), 30);
  await store.erase(({ query }) => query('DELETE FROM notes'));
  expect(everythingIn(folder)).not.toContain('secret');
});

it('does not write inside a transaction that begins while the write waits', async () => {
  const { path, store } = await setUp();
  await add(store, 'one');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const adding = add(store, 'kept');
  await sleep(0);
  other.close();
  const failing = store.transact(async () => {
    await sleep(50);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await adding;
  expect(await notesOf(store)).toEqual(['one', 'kept']);
});

it.each([
  ['the file', 'state.db', ['before', 'after'], true],
  ['its folder', '.', ['after'], true],
  ['only its log', 'state.db-wal', ['before', 'after'], false],
])('continues if %s was deleted, and reports a lost file', async (_, deleted, notes, isLost) => {
  const { folder, path, lost, create, store } = await setUp();
  await add(store, 'before');
  rmSync(join(folder, deleted), { recursive: true });
  await add(store, 'after');
  expect([await notesOf(store), await notesOf(create())]).toEqual([notes, notes]);
  expect(lost).toEqual(isLost ? [path] : []);
});

it('does not report a file as damaged if creating it failed before', async () => {
  const { path, warnings, store, damaged } = await setUp();
  // SQLite may create the file but fail to write, as on a full disk.
  mkdirSync(`${path}-journal`, { recursive: true });
  await expect(add(store, 'one')).rejects.toThrow();
  rmSync(`${path}-journal`, { recursive: true });
  await add(store, 'two');
  expect([await notesOf(store), warnings, damaged()]).toEqual([['two'], [], []]);
});

const isDamaged = [expect.stringContaining('was damaged')];

it('moves a damaged file aside, creates a new one, and reports it', async () => {
  const { folder, warnings, store, damaged } = await setUp();
  await writeFiles(folder, { 'state.db': 'not a database, '.repeat(1_000) });
  await add(store, 'new');
  expect([await notesOf(store), warnings]).toEqual([['new'], isDamaged]);
  expect(damaged()).not.toEqual([]);
});

it.each([
  ['emptied', (path: string) => truncateSync(path)],
  ['absent', (path: string) => rmSync(path)],
])('recovers the rows from the log of an %s file, and keeps that log', async (_, lose) => {
  const { folder, path, warnings, create, store: killed, damaged } = await setUp();
  await add(killed, 'one');
  await add(killed, 'two');
  const log = readFileSync(`${path}-wal`);
  await killed.close();
  lose(path);
  writeFileSync(`${path}-wal`, log);
  expect([await notesOf(create()), warnings]).toEqual([['one', 'two'], isDamaged]);
  expect(damaged().filter((name) => name.endsWith('.copy'))).toEqual([]);
  const aside = damaged().find((name) => name.endsWith('-wal')) ?? '';
  expect(readFileSync(join(folder, aside))).toEqual(log);
});

it('writes its log to the file when it is idle', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { path, store } = await setUp();
  await add(store, 'a note of today');
  const isInFile = () => readFileSync(path, 'latin1').includes('a note of today');
  expect(isInFile()).toBe(false);
  vi.runOnlyPendingTimers();
  expect(isInFile()).toBe(true);
});

it('does not write through a symbolic link', async () => {
  const { folder, path, store } = await setUp();
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  symlinkSync(join(elsewhere, 'file'), path);
  await expect(add(store, 'one')).rejects.toThrow();
  expect(readdirSync(elsewhere)).toEqual([]);
});

it('leaves one complete file after a clean stop', async () => {
  const { folder, store } = await setUp();
  await add(store, 'one');
  await store.close();
  expect(readdirSync(folder)).toEqual(['state.db']);
});

it('migrates an older file and keeps its rows', async () => {
  const { create, store: older } = await setUp();
  await add(older, 'old');
  await older.close();
  const kind = "ALTER TABLE notes ADD COLUMN kind text NOT NULL DEFAULT 'plain';";
  const newer = create([...versions, kind]);
  expect(await newer.query('SELECT text, kind FROM notes')).toEqual([
    { text: 'old', kind: 'plain' },
  ]);
});

it('rejects a file of a later version', async () => {
  const { create, store } = await setUp();
  const later = create([...versions, 'CREATE TABLE more (id integer);']);
  await add(later, 'new');
  await later.close();
  const problem = 'a later version of this program (schema 2, this version knows 1).';
  await expect(notesOf(store)).rejects.toThrow(problem);
});

it('rejects a file of the earlier numbering', async () => {
  const { folder, path, store } = await setUp();
  mkdirSync(folder);
  const file = new DatabaseSync(path);
  file.exec('CREATE TABLE schema_version (version integer)');
  file.exec('INSERT INTO schema_version VALUES (1)');
  file.close();
  const before = readFileSync(path);
  const problem = `${path} was written by an unreleased version. Move it away, or start with another STATE_DIR.`;
  for (const attempt of [() => store.open(), () => notesOf(store)])
    await expect(attempt()).rejects.toThrow(problem);
  expect([readdirSync(folder), readFileSync(path)]).toEqual([['state.db'], before]);
});
