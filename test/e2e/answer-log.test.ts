import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AnswerLog, type AnswerLogOptions } from '../../src/answers/answer-log.ts';
import { answered, closestTo, unanswered } from '../support/answer-entries.ts';
import { temporaryFolder } from '../support/workspace.ts';

const all = () => true;

async function setUp(options: Partial<AnswerLogOptions> = {}) {
  const folder = options.folder ?? join(await temporaryFolder(), 'index', 'answers');
  const warnings: string[] = [];
  let seconds = 0;
  const create = (more: Partial<AnswerLogOptions> = {}) =>
    new AnswerLog({
      folder,
      maxAnswers: 1_000,
      clock: () => new Date(Date.UTC(2026, 0, 1) + 1_000 * seconds++),
      onWarning: (message) => warnings.push(message),
      ...options,
      ...more,
    });
  const log = create();
  onTestFinished(() => log.close());
  await log.open();
  const path = (name: string) => join(folder, name);
  const rows = (table: string) => {
    const database = new DatabaseSync(path('answers.db'), { readOnly: true });
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

describe('an answer that was kept', () => {
  it('is found again as it was, with the scores of its check, by this log and by a later one', async () => {
    const { log, create } = await setUp();
    const entry = answered('run-1');
    log.keep(entry);
    const kept = await log.get('run-1');
    expect(kept).toEqual({
      runId: 'run-1',
      namespace: 'docs',
      askedAt: '2026-01-01T00:00:00.000Z',
      question: entry.question,
      answer: entry.answer,
      check: entry.check,
      feedback: [],
    });
    await log.close();
    expect(await create().get('run-1')).toEqual(kept);
    expect(await log.get('run-2')).toBeUndefined();
    for (const runId of ['', '../run-1', 'run-1","namespace":"docs', 'x'.repeat(200)]) expect(await log.get(runId)).toBeUndefined();
  });

  it('is not one that stayed silent', async () => {
    const { log } = await setUp();
    log.keep(answered('silent', { answer: { reason: 'not_mentioned', text: '' } }));
    expect(await log.get('silent')).toBeUndefined();
  });

  it('says nothing of who asked, and is for nobody else to read', async () => {
    const { log, path, folder, traces } = await setUp();
    log.keep(unanswered('run-1', 'who am I?', { callerId: 'jwt:alice@example.com' }));
    await log.addFeedback('run-1', 'jwt:alice@example.com', { rating: 'up' });
    expect(traces('alice')).toBe(0);
    for (const name of readdirSync(folder)) expect(statSync(path(name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('feedback', () => {
  it('is one of each caller, the newest, on one line without control characters', async () => {
    const { log } = await setUp();
    log.keep(answered('run-1'));
    await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'good' });
    await log.addFeedback('run-1', 'b', { rating: 'down' });
    const given = await log.addFeedback('run-1', 'a', { rating: 'down', comment: ' wrong\u0000\u001b[31m\r\n\u202eyear ' });
    expect(given).toMatchObject({ rating: 'down', comment: 'wrong[31m year' });
    expect((await log.get('run-1'))?.feedback).toEqual([expect.objectContaining({ rating: 'down', comment: null }), given]);
  });

  it('needs an answer', async () => {
    const { log } = await setUp();
    expect(await log.addFeedback('none', 'a', { rating: 'up' })).toBeUndefined();
  });
});

describe('the bounds', () => {
  it('keep the newest answers with their feedback', async () => {
    const { log, rows } = await setUp({ maxAnswers: 5 });
    for (let number = 0; number < 8; number++) log.keep(answered(`run-${number}`));
    await log.addFeedback('run-3', 'a', { rating: 'up' });
    await log.addFeedback('run-7', 'a', { rating: 'up' });
    expect(await log.get('run-2')).toBeUndefined();
    expect(await log.get('run-3')).toBeDefined();
    for (let number = 8; number < 12; number++) {
      log.keep(answered(`run-${number}`));
      expect(rows('answers')).toHaveLength(5);
    }
    expect((await log.get('run-7'))?.feedback).toHaveLength(1);
    expect(await log.get('run-6')).toBeUndefined();
    expect(rows('feedback')).toHaveLength(1);
  });

  it('are shared: what is asked in one namespace takes nothing of another', async () => {
    const { log, create } = await setUp({ maxAnswers: 100, maxGaps: 100 });
    const of = (runId: string, namespace: string) => ({ ...answered(runId), namespace });
    for (let number = 0; number < 3; number++) {
      log.keep(of(`b-${number}`, 'b'));
      log.keep({ ...unanswered(`gap-b-${number}`, `what is the budget for topic${number}?`), namespace: 'b' });
    }
    for (let number = 0; number < 400; number++) {
      log.keep(of(`a-${number}`, 'a'));
      log.keep({ ...unanswered(`gap-a-${number}`, `who feeds animal${number} at noon?`), namespace: 'a' });
    }
    const later = create();
    onTestFinished(() => later.close());
    await later.open();
    for (let number = 0; number < 3; number++) expect(await later.get(`b-${number}`)).toBeDefined();
    expect(await later.get('a-399')).toBeDefined();
    expect(await later.get('a-302')).toBeUndefined();
    expect((await later.gaps((namespace) => namespace === 'b')).map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(await later.gaps(all)).toHaveLength(100);
  });

  it('hold for feedback: said again and again, it is one row', async () => {
    const { log, rows } = await setUp();
    log.keep(answered('run-1'));
    for (let number = 0; number < 20; number++) await log.addFeedback('run-1', 'a', { rating: 'up', comment: String(number) });
    expect(rows('feedback')).toMatchObject([{ comment: '19' }]);
  });

  it('hold for bytes as well', async () => {
    const { log, rows } = await setUp({ maxBytes: 20_000, maxAnswers: 10 });
    for (let number = 0; number < 100; number++)
      log.keep(answered(`run-${number}`, { answer: { reason: 'answered', text: 'x'.repeat(5_000) } }));
    expect(rows('answers').map(({ runId }) => runId)).toEqual(['run-97', 'run-98', 'run-99']);
  });

  it('of a setting that became smaller hold when the log is opened', async () => {
    const { log, create, rows } = await setUp();
    for (let number = 0; number < 30; number++) log.keep(answered(`run-${number}`));
    const smaller = create({ maxAnswers: 4 });
    onTestFinished(() => smaller.close());
    await smaller.open();
    expect(rows('answers')).toHaveLength(4);
  });

  it('of 0 keep nothing, write nothing, and remove what there was', async () => {
    const { log, create, folder } = await setUp();
    log.keep(unanswered('run-1', 'what?'));
    await log.close();
    const off = create({ maxAnswers: 0 });
    expect(await off.get('run-1')).toBeUndefined();
    expect(await off.gaps(all)).toEqual([]);
    await off.open();
    expect(existsSync(folder)).toBe(false);
    off.keep(unanswered('run-2', 'what?'));
    expect(await off.addFeedback('run-2', 'a', { rating: 'up' })).toBeUndefined();
    await off.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('hold for the length of an unanswered question', async () => {
    const { log } = await setUp();
    log.keep(unanswered('run-1', 'why? '.repeat(1_000)));
    expect((await log.gaps(all))[0]?.question.length).toBeLessThanOrEqual(1_000);
  });

  it('of unanswered questions are their own: answered ones do not push them out', async () => {
    const { log } = await setUp({ maxAnswers: 2, maxGaps: 4 });
    log.keep(unanswered('gap', 'who feeds the office cat?'));
    for (let number = 0; number < 50; number++) log.keep(answered(`run-${number}`));
    expect(await log.get('gap')).toBeUndefined();
    expect(await log.gaps(all)).toMatchObject([{ question: 'who feeds the office cat?' }]);
  });

  it('of unanswered questions keep what was asked most and what was asked last', async () => {
    const { log, rows } = await setUp({ maxGaps: 4 });
    for (let number = 0; number < 3; number++) log.keep(unanswered(`cat-${number}`, 'who feeds the office cat?'));
    const animals = ['dog', 'horse', 'parrot', 'goldfish', 'tortoise', 'hamster', 'lizard', 'pigeon', 'spider', 'rabbit'];
    for (const animal of animals) log.keep(unanswered(animal, `where sleeps the ${animal}?`));
    expect(rows('gaps')).toHaveLength(4);
    const questions = (await log.gaps(all)).map(({ question }) => question);
    expect(questions[0]).toBe('who feeds the office cat?');
    expect(questions).toContain('where sleeps the rabbit?');
  });
});

describe('unanswered questions', () => {
  it('asked again are one row with its count and times', async () => {
    const { log, rows } = await setUp();
    for (const question of ['Who feeds the cat?', 'who feeds the CAT', ' who  feeds the cat ?'])
      log.keep(unanswered(question.length.toString(), question));
    expect(await log.gaps(all)).toMatchObject([
      { count: 3, firstAskedAt: '2026-01-01T00:00:00.000Z', lastAskedAt: '2026-01-01T00:00:02.000Z', variants: [] },
    ]);
    expect(rows('gaps')).toHaveLength(1);
  });

  it('are not small talk, and only those of the namespaces that are asked for', async () => {
    const { log } = await setUp();
    log.keep(unanswered('a', 'thank you so much', { isGap: false }));
    log.keep(unanswered('b', 'who feeds the cat?'));
    log.keep(unanswered('c', 'what is the salary of Mary?', { namespace: 'hr' }));
    expect((await log.gaps((namespace) => namespace === 'docs')).map(({ question }) => question)).toEqual(['who feeds the cat?']);
    expect(await log.get('a')).toBeDefined();
  });
  it('name the closest documents of the best search', async () => {
    const { log } = await setUp();
    log.keep(unanswered('a', 'who feeds the cat?', { coverage: 0.3, closest: ['x', 'y', 'z'].map(closestTo) }));
    log.keep(unanswered('b', 'who feeds the cat?', { coverage: 0.1, closest: [closestTo('v')] }));
    const [gap] = await log.gaps(all);
    expect([gap?.coverage, gap?.closest.map(({ file }) => file)]).toEqual([0.3, ['x.md', 'y.md', 'z.md']]);
  });
});

describe('a delete', () => {
  it('of a document takes the answers that rest on it, and their feedback, and nothing else, down to the bytes', async () => {
    const { log, traces } = await setUp();
    log.keep(answered('run-1'));
    log.keep(answered('run-2', { answer: { reason: 'answered', citations: [{ documentId: 'other' }] } }));
    log.keep(unanswered('run-3', 'who feeds the cat?', { closest: [closestTo('refunds'), closestTo('other')] }));
    await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'secret' });
    await log.forgetDocument('refunds');
    expect(await log.get('run-1')).toBeUndefined();
    expect(await log.get('run-2')).toBeDefined();
    expect((await log.gaps(all))[0]?.closest.map(({ file }) => file)).toEqual(['other.md']);
    expect(['refunds"', 'secret', 'Within 30 days. [1] (run-1)'].map(traces)).toEqual([0, 0, 0]);
  });

  it('of a namespace takes what was asked in it', async () => {
    const { log } = await setUp();
    log.keep(unanswered('run-1', 'who feeds the cat?', { namespace: 'hr' }));
    log.keep(unanswered('run-2', 'who feeds the dog?', { question: 'what of "namespace":"hr"?' }));
    await log.forgetNamespace('hr');
    expect(await log.get('run-1')).toBeUndefined();
    expect(await log.get('run-2')).toBeDefined();
    expect(await log.gaps(all)).toHaveLength(1);
  });
});

describe('what a disk, an earlier version and other processes do', () => {
  it('takes over what an earlier version kept as lines, without those that are damaged', async () => {
    const { log, folder, create } = await setUp();
    mkdirSync(folder, { recursive: true });
    const at = '2025-06-07T08:09:10.000Z';
    const { check, answer } = answered('run-1');
    const kept = {
      line: 'answer',
      runId: 'run-1',
      namespace: 'docs',
      caller: 'x',
      at,
      question: 'how long?',
      coverage: 0.8,
      check,
      answer,
    };
    const gap = {
      ...{ line: 'gap', runId: 'run-3', namespace: 'docs', question: 'who feeds the cat?', count: 2, coverage: 0.1 },
      ...{ firstAskedAt: at, lastAskedAt: at, closest: [closestTo('pets')] },
    };
    const lines = (...all: unknown[]) => all.map((line) => `\n${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    writeFileSync(
      join(folder, 'answers.jsonl'),
      lines(
        kept,
        { line: 'feedback', runId: 'run-1', caller: 'a', rating: 'up', comment: null, at },
        { line: 'feedback', runId: 'gone', caller: 'a', rating: 'up', comment: null, at },
        { ...kept, runId: 'run-2', isPersonal: true },
        'null',
        '{"line":"answer","runId":"run-4"}',
        '{"line":"answer","runId":"run-5","na',
      ),
    );
    writeFileSync(join(folder, 'gaps.jsonl'), lines(gap, { ...gap, count: 1 }));
    await log.open();
    const feedback = [{ rating: 'up', comment: null, at }];
    expect(await log.get('run-1')).toEqual({
      runId: 'run-1',
      namespace: 'docs',
      askedAt: at,
      question: 'how long?',
      answer,
      check,
      feedback,
    });
    expect(await log.get('run-2', 'somebody')).toBeUndefined();
    expect(await log.get('run-4')).toBeUndefined();
    expect(await log.gaps(all)).toMatchObject([{ question: 'who feeds the cat?', count: 3, closest: [{ file: 'pets.md' }] }]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
    await log.close();
    const later = create();
    onTestFinished(() => later.close());
    await later.open();
    expect(await later.gaps(all)).toMatchObject([{ count: 3 }]);
  });

  it('goes on in a folder that was removed', async () => {
    const { log, folder } = await setUp();
    log.keep(answered('run-1'));
    await log.close();
    rmSync(folder, { recursive: true });
    log.keep(answered('run-2'));
    expect(await log.get('run-2')).toBeDefined();
    expect(await log.get('run-1')).toBeUndefined();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
  it('says once that the disk does not take it, and goes on when it does', async () => {
    const root = await temporaryFolder();
    writeFileSync(join(root, 'index'), 'in the way');
    const { log, warnings } = await setUp({ folder: join(root, 'index', 'answers') });
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
    expect(warnings).toEqual(['An answer could not be kept.']);
  });

  it('begins anew beside a file that is damaged', async () => {
    const { log, folder, path, warnings } = await setUp();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path('answers.db'), 'this is no database, '.repeat(1_000));
    log.keep(answered('run-1'));
    expect(await log.get('run-1')).toBeDefined();
    expect(warnings).toEqual([expect.stringContaining('no database')]);
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true);
  });

  it('does not write through a link', async () => {
    const { log, folder, path, warnings } = await setUp();
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere', 'file'), path('answers.db'));
    log.keep(answered('run-1'));
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
    const { log, folder, rows } = await setUp();
    let isDone = false;
    const done = Promise.all([runKeeper(folder, 'alpha', 300, 1_000), runKeeper(folder, 'beta', 300, 1_000)]).finally(
      () => (isDone = true),
    );
    for (let number = 0; !isDone; number++) {
      log.keep(answered(`one-${number}`, { answer: { reason: 'answered', documentId: 'one' } }));
      await log.forgetDocument('one').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await log.forgetDocument('one');
    expect(await done).toEqual(['0', '0']);
    expect(rows('answers')).toHaveLength(600);
    expect((await log.gaps(all)).reduce((sum, { count }) => sum + count, 0)).toBe(60);
  });
});
