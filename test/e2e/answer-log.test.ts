import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AnswerLog, type AnswerLogOptions } from '../../src/answers/answer-log.ts';
import { createAnswerRows } from '../../src/state/answers.ts';
import { answered, closestTo, unanswered } from '../support/answer-entries.ts';
import { storeIn } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const all = () => true;

async function setUp({ folder: given, ...options }: Partial<AnswerLogOptions> & { readonly folder?: string } = {}) {
  const folder = given ?? join(await temporaryFolder(), 'state');
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  let seconds = 0;
  const create = (more: Partial<AnswerLogOptions> = {}) =>
    new AnswerLog({
      rows: createAnswerRows(storeIn(folder, onWarning)),
      maxAnswers: 1_000,
      clock: () => new Date(Date.UTC(2026, 0, 1) + 1_000 * seconds++),
      onWarning,
      ...options,
      ...more,
    });
  const log = create();
  onTestFinished(() => log.close());
  await log.open();
  const path = (name: string) => join(folder, name);
  const rows = (table: string) => {
    const database = new DatabaseSync(path('state.db'), { readOnly: true });
    try {
      return database.prepare(`SELECT * FROM ${table}`).all();
    } finally {
      database.close();
    }
  };
  /** How often a word stands anywhere in the files, free pages and log included. */
  const traces = (word: string) =>
    readdirSync(folder).reduce((sum, name) => sum + readFileSync(path(name), 'latin1').split(word).length - 1, 0);
  return { folder, log, create, warnings, path, rows, traces };
}

describe('the file', () => {
  it('says nothing of who asked, and is for nobody else to read', async () => {
    const { log, path, folder, traces } = await setUp();
    log.keep(unanswered('run-1', 'who am I?', { callerId: 'jwt:alice@example.com' }));
    await log.addFeedback('run-1', 'jwt:alice@example.com', { rating: 'up' });
    expect(traces('alice')).toBe(0);
    for (const name of readdirSync(folder)) expect(statSync(path(name)).mode & 0o777, name).toBe(0o600);
  });

  it('of a document takes the answers that rest on it, and their feedback, and nothing else, down to the bytes', async () => {
    const { log, traces } = await setUp();
    log.keep(answered('run-1'));
    log.keep(answered('run-2', { answer: { reason: 'answered', citations: [{ documentId: 'other' }] } }));
    log.keep(unanswered('run-3', 'who feeds the cat?', { closest: [closestTo('refunds'), closestTo('other')] }));
    await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'secret' });
    await log.settled();
    await log.forgetDocument('refunds');
    expect(await log.get('run-1')).toBeUndefined();
    expect(await log.get('run-2')).toBeDefined();
    expect((await log.gaps(all))[0]?.closest.map(({ file }) => file)).toEqual(['other.md']);
    expect(['refunds"', 'secret', 'Within 30 days. [1] (run-1)'].map(traces)).toEqual([0, 0, 0]);
  });
});

describe('what a disk, an earlier version and other processes do', () => {
  it('goes on in a folder that was removed', async () => {
    const { log, folder } = await setUp();
    log.keep(answered('run-1'));
    await log.close();
    rmSync(folder, { recursive: true });
    log.keep(answered('run-2'));
    expect(await log.get('run-2')).toBeDefined();
    expect(await log.get('run-1')).toBeUndefined();
  });
  it('says once that the disk does not take it, and goes on when it does', async () => {
    const root = await temporaryFolder();
    writeFileSync(join(root, 'index'), 'in the way');
    const { log, warnings } = await setUp({ folder: join(root, 'index') });
    warnings.length = 0;
    for (let number = 0; number < 5; number++) {
      log.keep(answered(`run-${number}`));
      await log.close();
    }
    expect(warnings).toEqual(['An answer could not be kept.']);
    rmSync(join(root, 'index'));
    log.keep(answered('later'));
    expect(await log.get('later')).toBeDefined();
    rmSync(join(root, 'index'), { recursive: true });
    writeFileSync(join(root, 'index'), 'in the way');
    log.keep(answered('again'));
    await log.close();
    expect(warnings).toHaveLength(2);
  });

  it('does not fail on what cannot be written at all', async () => {
    const { log, warnings } = await setUp();
    log.keep(answered('run-1', { answer: { reason: 'answered', text: 1n } }));
    await log.close();
    expect(warnings).toEqual(['An answer could not be kept.']);
  });

  it('begins anew beside a file that is damaged', async () => {
    const { log, folder, path, warnings } = await setUp();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path('state.db'), 'this is no database, '.repeat(1_000));
    log.keep(answered('run-1'));
    expect(await log.get('run-1')).toBeDefined();
    expect(warnings).toEqual([expect.stringContaining('was damaged')]);
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true);
  });

  it('does not write through a link', async () => {
    const { log, folder, path, warnings } = await setUp();
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere', 'file'), path('state.db'));
    log.keep(answered('run-1'));
    await log.close();
    expect(warnings).toEqual(['An answer could not be kept.']);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  const runKeeper = (folder: string, name: string, count: number, maxAnswers: number) =>
    new Promise<string>((resolve) => {
      const script = fileURLToPath(new URL('../support/keep-answers.ts', import.meta.url));
      const child = spawn(process.execPath, [script, folder, name, String(count), String(maxAnswers)]);
      let errors = '';
      child.stderr.on('data', (part) => (errors += part));
      child.on('close', (code) => resolve(`${code}${errors}`));
    });
  it('loses nothing of two processes while a third deletes', async () => {
    const { log, path, rows } = await setUp();
    let isDone = false;
    const done = Promise.all([runKeeper(path('state.db'), 'alpha', 300, 1_000), runKeeper(path('state.db'), 'beta', 300, 1_000)]).finally(
      () => (isDone = true),
    );
    for (let number = 0; !isDone; number++) {
      log.keep(answered(`one-${number}`, { answer: { reason: 'answered', citations: [{ documentId: 'one' }] } }));
      await log.forgetDocument('one').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await log.forgetDocument('one');
    expect(await done).toEqual(['0', '0']);
    expect(rows('answers')).toHaveLength(600);
    expect((await log.gaps(all)).reduce((sum, { count }) => sum + count, 0)).toBe(60);
  });
});
