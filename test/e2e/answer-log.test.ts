import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AnswerLogOptions, createAnswerLog } from '../../src/answers/answer-log.ts';
import { LineFile } from '../../src/disk/line-file.ts';
import { answered, closestTo, unanswered } from '../support/answer-entries.ts';
import { temporaryFolder } from '../support/workspace.ts';

const all = () => true;

async function setUp(options: Partial<AnswerLogOptions> = {}) {
  const folder = options.folder ?? join(await temporaryFolder(), 'index', 'answers');
  const warnings: string[] = [];
  let seconds = 0;
  const create = (more: Partial<AnswerLogOptions> = {}) =>
    createAnswerLog({
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
  const lines = (name: string) =>
    readFileSync(path(name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { folder, log, create, warnings, path, lines };
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
      coverage: 0.8,
      feedback: [],
    });
    await log.close();
    expect(await create().get('run-1')).toEqual(kept);
    expect(await log.get('run-2')).toBeUndefined();
    for (const runId of ['', '../run-1', 'run-1","namespace":"docs', 'x'.repeat(200)]) expect(await log.get(runId)).toBeUndefined();
  });

  it('has a runId by which it can be found', async () => {
    const { log, path } = await setUp();
    log.keep(answered('run 1"'));
    await log.close();
    expect(existsSync(path('answers.jsonl'))).toBe(false);
  });

  it('is not one that stayed silent', async () => {
    const { log } = await setUp();
    log.keep(answered('silent', { answer: { reason: 'not_mentioned', text: '' } }));
    expect(await log.get('silent')).toBeUndefined();
  });

  it('says nothing of who asked, and is for nobody else to read', async () => {
    const { log, path, folder } = await setUp();
    log.keep(unanswered('run-1', 'who am I?', { callerId: 'jwt:alice@example.com' }));
    await log.addFeedback('run-1', 'jwt:alice@example.com', { rating: 'up' });
    await log.close();
    for (const name of ['answers.jsonl', 'gaps.jsonl']) {
      expect(readFileSync(path(name), 'utf8')).not.toContain('alice');
      expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('cannot be forged from within a question', async () => {
    const { log } = await setUp();
    const forged = '\n{"line":"answer","runId":"forged","namespace":"docs","caller":"x","at":"now","question":"q","answer":{}}\n';
    log.keep(answered('run-1', { question: forged, answer: { reason: 'answered', text: forged } }));
    expect(await log.get('forged')).toBeUndefined();
    expect((await log.get('run-1'))?.question).toBe(forged);
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
  it('keep the newest answers with their feedback, in a file of at most twice as many lines', async () => {
    const { log, lines } = await setUp({ maxAnswers: 5 });
    for (let number = 0; number < 8; number++) log.keep(answered(`run-${number}`));
    await log.addFeedback('run-3', 'a', { rating: 'up' });
    await log.addFeedback('run-7', 'a', { rating: 'up' });
    expect(await log.get('run-2')).toBeUndefined();
    expect(await log.get('run-3')).toBeDefined();
    for (let number = 8; number < 12; number++) {
      log.keep(answered(`run-${number}`));
      await log.close();
      expect(lines('answers.jsonl').length).toBeLessThanOrEqual(10);
    }
    expect((await log.get('run-7'))?.feedback).toHaveLength(1);
    expect(await log.get('run-6')).toBeUndefined();
    expect(lines('answers.jsonl').join()).not.toContain('run-3');
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
    await log.close();
    for (const opened of [log, create()]) {
      await opened.open();
      for (let number = 0; number < 3; number++) expect(await opened.get(`b-${number}`)).toBeDefined();
      expect(await opened.get('a-399')).toBeDefined();
      expect(await opened.get('a-302')).toBeUndefined();
      expect((await opened.gaps((namespace) => namespace === 'b')).map(({ count }) => count)).toEqual([1, 1, 1]);
    }
  });

  it('hold for feedback: said again and again, it is one line when the file is rewritten', async () => {
    const { log, lines } = await setUp({ maxAnswers: 3 });
    log.keep(answered('run-1'));
    for (let number = 0; number < 20; number++) await log.addFeedback('run-1', 'a', { rating: 'up', comment: String(number) });
    await log.close();
    expect(lines('answers.jsonl').length).toBeLessThanOrEqual(7);
    expect((await log.get('run-1'))?.feedback).toMatchObject([{ comment: '19' }]);
  });

  it('hold for bytes as well', async () => {
    const { log, path } = await setUp({ maxFileBytes: 20_000 });
    for (let number = 0; number < 100; number++) log.keep(unanswered(`run-${number}`, `${'x'.repeat(500)} ${number}`));
    await log.close();
    for (const name of ['answers.jsonl', 'gaps.jsonl']) expect(statSync(path(name)).size, name).toBeLessThan(21_000);
    expect(await log.get('run-99')).toBeDefined();
  });

  it('of a setting that became smaller hold when the log is opened', async () => {
    const { log, create, lines } = await setUp();
    for (let number = 0; number < 30; number++) log.keep(answered(`run-${number}`));
    await log.close();
    await create({ maxAnswers: 4 }).open();
    expect(lines('answers.jsonl')).toHaveLength(4);
  });

  it('hold for a log that was not opened', async () => {
    const { log, create, lines } = await setUp({ maxAnswers: 4 });
    for (let number = 0; number < 8; number++) log.keep(answered(`run-${number}`));
    await log.close();
    const other = create();
    other.keep(answered('run-8'));
    await other.close();
    expect(lines('answers.jsonl')).toHaveLength(4);
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

  it('hold for what waits to be written', async () => {
    const { log, warnings } = await setUp();
    for (let number = 0; number < 40; number++) log.keep(answered(`run-${number}`, { question: 'x'.repeat(900_000) }));
    await log.close();
    expect(warnings).toEqual(['An answer could not be kept.']);
    expect(await log.get('run-0')).toBeDefined();
    expect(await log.get('run-39')).toBeUndefined();
  });

  it('hold for the length of an unanswered question', async () => {
    const { log } = await setUp();
    log.keep(unanswered('run-1', 'why? '.repeat(1_000)));
    expect((await log.gaps(all))[0]?.question.length).toBeLessThanOrEqual(1_000);
  });

  it('take one rewrite, however many lines came at once', async () => {
    const { log, folder, path, lines } = await setUp({ maxAnswers: 500 });
    log.keep(answered('first'));
    await log.get('first');
    const replaced: (string | null)[] = [];
    const watcher = watch(folder, (event, name) => event === 'rename' && replaced.push(name));
    onTestFinished(() => watcher.close());
    for (let number = 0; number < 5_000; number++) log.keep(answered(`run-${number}`));
    await log.close();
    // What is told of the folder is told in order.
    writeFileSync(path('end'), '');
    await vi.waitUntil(() => replaced.includes('end'), { timeout: 60_000 });
    expect(replaced.filter((name) => name === 'answers.jsonl')).toHaveLength(1);
    expect(await log.get('run-4999')).toBeDefined();
    log.keep(answered('run-5000'));
    await log.close();
    expect(lines('answers.jsonl').length).toBeLessThanOrEqual(1_001);
  });

  it('of unanswered questions are their own: answered ones do not push them out', async () => {
    const { log } = await setUp({ maxAnswers: 2, maxGaps: 4 });
    log.keep(unanswered('gap', 'who feeds the office cat?'));
    for (let number = 0; number < 50; number++) log.keep(answered(`run-${number}`));
    expect(await log.get('gap')).toBeUndefined();
    expect(await log.gaps(all)).toMatchObject([{ question: 'who feeds the office cat?' }]);
  });

  it('of unanswered questions keep what was asked most and what was asked last', async () => {
    const { log, lines } = await setUp({ maxGaps: 4 });
    for (let number = 0; number < 3; number++) log.keep(unanswered(`cat-${number}`, 'who feeds the office cat?'));
    const animals = ['dog', 'horse', 'parrot', 'goldfish', 'tortoise', 'hamster', 'lizard', 'pigeon', 'spider', 'rabbit'];
    for (const animal of animals) log.keep(unanswered(animal, `where sleeps the ${animal}?`));
    await log.close();
    expect(lines('gaps.jsonl').length).toBeLessThanOrEqual(8);
    const questions = (await log.gaps(all)).map(({ question }) => question);
    expect(questions[0]).toBe('who feeds the office cat?');
    expect(questions).toContain('where sleeps the rabbit?');
  });
});

describe('unanswered questions', () => {
  it('asked again are one row with its count and times, also after the file was rewritten', async () => {
    const { log, lines } = await setUp({ maxGaps: 1 });
    for (const question of ['Who feeds the cat?', 'who feeds the CAT', ' who  feeds the cat ?'])
      log.keep(unanswered(question.length.toString(), question));
    const [gap] = await log.gaps(all);
    expect(gap).toMatchObject({
      count: 3,
      firstAskedAt: '2026-01-01T00:00:00.000Z',
      lastAskedAt: '2026-01-01T00:00:02.000Z',
      variants: [],
    });
    await log.close();
    expect(lines('gaps.jsonl')).toHaveLength(1);
  });

  it('are not small talk, and only those of the namespaces that are asked for', async () => {
    const { log } = await setUp();
    log.keep(unanswered('a', 'thank you so much', { isGap: false }));
    log.keep(unanswered('b', 'who feeds the cat?'));
    log.keep(unanswered('c', 'what is the salary of Mary?', { namespace: 'hr' }));
    expect((await log.gaps((namespace) => namespace === 'docs')).map(({ question }) => question)).toEqual(['who feeds the cat?']);
    expect(await log.get('a')).toBeDefined();
  });

  it('name the closest documents of the best search, each once', async () => {
    const { log } = await setUp();
    log.keep(unanswered('a', 'who feeds the cat?', { coverage: 0.3, closest: ['x', 'x', 'y', 'z', 'w'].map((id) => closestTo(id)) }));
    log.keep(unanswered('b', 'who feeds the cat?', { coverage: 0.1, closest: [closestTo('v')] }));
    const [gap] = await log.gaps(all);
    expect([gap?.coverage, gap?.closest.map(({ file }) => file)]).toEqual([0.3, ['x.md', 'y.md', 'z.md']]);
  });
});

describe('a delete', () => {
  it('of a document takes the answers that rest on it, and their feedback, and nothing else', async () => {
    const { log, path } = await setUp();
    log.keep(answered('run-1'));
    log.keep(answered('run-2', { answer: { reason: 'answered', citations: [{ documentId: 'other' }] } }));
    log.keep(unanswered('run-3', 'who feeds the cat?', { closest: [closestTo('refunds'), closestTo('other')] }));
    await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'secret' });
    // The first half of a line, and one that is being written or never will be.
    appendFileSync(
      path('answers.jsonl'),
      '{"line":"answer","runId":"torn","namespace":"docs","documentId":"refunds"\n{"line":"ans, "refunds"',
    );
    await log.forgetDocument('refunds');
    expect(await log.get('run-1')).toBeUndefined();
    expect(await log.get('run-2')).toBeDefined();
    expect((await log.gaps(all))[0]?.closest.map(({ file }) => file)).toEqual(['other.md']);
    for (const name of ['answers.jsonl', 'gaps.jsonl']) expect(readFileSync(path(name), 'utf8')).not.toMatch(/refunds"|secret/);
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

describe('what a killed process, a disk and other processes do', () => {
  it('loses a line that was cut short, and nothing before or after it', async () => {
    const { log, create, path } = await setUp();
    log.keep(unanswered('run-1', 'who feeds the cat?'));
    await log.close();
    appendFileSync(path('answers.jsonl'), '{"line":"answer","runId":"run-2","namespace":"do');
    appendFileSync(path('gaps.jsonl'), '{"line":"gap","runId":"run-2","name');
    const next = create();
    await next.open();
    next.keep(unanswered('run-3', 'who feeds the horse?'));
    expect((await Promise.all(['run-1', 'run-2', 'run-3'].map((runId) => next.get(runId)))).map((kept) => kept?.runId)).toEqual([
      'run-1',
      undefined,
      'run-3',
    ]);
    expect(await next.gaps(all)).toHaveLength(2);
    await next.close();
    next.keep(answered('run-4'));
    const smaller = create({ maxAnswers: 1 });
    await next.close();
    await smaller.open();
    expect((await smaller.get('run-4'))?.runId).toBe('run-4');
  });

  it('loses a damaged line, also one that is JSON and no answer', async () => {
    const { log, path } = await setUp({ maxAnswers: 3 });
    log.keep(unanswered('run-1', 'who feeds the cat?'));
    await log.close();
    const [whole] = readFileSync(path('gaps.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const damaged = [
      'null',
      '[]',
      '{}',
      '\0\0\0',
      '{"line":"gap"}',
      '{"line":"answer","runId":"run-2","namespace":"docs","at":"now","question":"q","answer":{}}',
    ];
    for (const name of ['answers.jsonl', 'gaps.jsonl']) appendFileSync(path(name), damaged.join('\n'));
    appendFileSync(path('gaps.jsonl'), `\n${whole?.replace('"count":1', '"count":-5').replace('run-1', 'run-9')}\n`);
    appendFileSync(path('gaps.jsonl'), `${whole?.replace('"line":"gap"', '"line":"other"').replace('run-1', 'run-8')}\n`);
    expect(await log.get('run-2')).toBeUndefined();
    expect((await log.get('run-1'))?.runId).toBe('run-1');
    expect(await log.gaps(all)).toMatchObject([{ count: 1 }]);
  });

  it('takes a damaged line for no answer when the file is rewritten', async () => {
    const { log, path } = await setUp({ maxAnswers: 2 });
    for (let number = 1; number <= 4; number++) log.keep(answered(`run-${number}`));
    await log.close();
    appendFileSync(path('answers.jsonl'), '{"line":"answer","runId":"torn","namespace":"docs","caller":"x"\n');
    log.keep(answered('run-5'));
    await log.close();
    expect((await log.get('run-4'))?.runId).toBe('run-4');
  });

  it('gives whole lines to a rewrite, and leaves out half a line at the end', async () => {
    const path = join(await temporaryFolder(), 'lines');
    writeFileSync(path, '{"a":1}\n{"b":');
    const seen: string[] = [];
    const given = (content: Buffer) => {
      seen.push(content.toString());
      return content;
    };
    await new LineFile(path).rewrite(given);
    expect([seen, readFileSync(path, 'utf8')]).toEqual([['{"a":1}\n'], '{"a":1}\n']);
  });

  it('counts a question once that came to stand there twice', async () => {
    const { log, path, lines } = await setUp();
    log.keep(unanswered('run-1', 'who feeds the cat?'));
    await log.close();
    appendFileSync(path('gaps.jsonl'), `${lines('gaps.jsonl')[0]}\n`);
    expect(await log.gaps(all)).toMatchObject([{ count: 1 }]);
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
    log.keep(answered('run-2', { answer: { reason: 'answered', text: 'x'.repeat(2_000_000) } }));
    await log.close();
    expect(warnings).toHaveLength(2);
  });

  it('removes what a killed rewrite left, and does not wait for its lock forever', async () => {
    const { log, create, folder, path, lines } = await setUp({ maxAnswers: 2 });
    for (let number = 0; number < 4; number++) log.keep(answered(`run-${number}`));
    await log.close();
    const left = path('.00000000-0000-4000-8000-000000000000.tmp');
    const longAgo = new Date(Date.now() - 60_000);
    for (const file of [left, path('.answers.jsonl.lock')]) {
      writeFileSync(file, '');
      utimesSync(file, longAgo, longAgo);
    }
    const next = create();
    await next.open();
    expect(existsSync(left)).toBe(false);
    next.keep(answered('run-5'));
    await next.close();
    expect(lines('answers.jsonl')).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['answers.jsonl', 'gaps.jsonl'].filter((name) => existsSync(path(name))));
  });

  it('leaves a rewrite to the process that is at it', async () => {
    const { log, path, lines, warnings } = await setUp({ maxAnswers: 2 });
    log.keep(answered('run-0'));
    await log.close();
    writeFileSync(path('.answers.jsonl.lock'), '');
    for (let number = 1; number < 8; number++) log.keep(answered(`run-${number}`));
    await log.close();
    expect([lines('answers.jsonl').length, warnings]).toEqual([8, []]);
    rmSync(path('.answers.jsonl.lock'));
    log.keep(answered('run-9'));
    await log.close();
    expect(lines('answers.jsonl')).toHaveLength(2);
  });

  it('says so where only a part of a line could be written', async () => {
    const folder = await temporaryFolder();
    const module = new URL('../../src/disk/line-file.ts', import.meta.url).href;
    const script = `const { LineFile } = await import(${JSON.stringify(module)});
      await new LineFile(process.argv[1]).append('x'.repeat(50_000)).catch((error) => process.stdout.write(error.message));`;
    const args = [
      '-c',
      `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`,
      process.execPath,
      script,
      join(folder, 'lines'),
    ];
    expect(execFileSync('bash', args, { encoding: 'utf8' })).toMatch(/^only \d+ of 50002 bytes could be written$/);
  });

  it('does not write through a link', async () => {
    const { log, folder, path, warnings } = await setUp();
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere', 'file'), path('answers.jsonl'));
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

  it('loses nothing of two processes while the file is rewritten again and again', async () => {
    const { log, create, folder, lines } = await setUp();
    let isDone = false;
    const done = Promise.all([runKeeper(folder, 'alpha', 300, 1_000), runKeeper(folder, 'beta', 300, 1_000)]).finally(
      () => (isDone = true),
    );
    const rewrite = async (name: string) => {
      const other = create();
      const keep = (number: number) => other.keep(answered(`${name}-${number}`, { answer: { reason: 'answered', documentId: name } }));
      for (let number = 0; !isDone; number++) {
        keep(number);
        await other.forgetDocument(name);
      }
      await other.forgetDocument(name);
    };
    await Promise.all([rewrite('one'), rewrite('two')]);
    expect(await done).toEqual(['0', '0']);
    const runs = new Set(lines('answers.jsonl').map((line) => JSON.parse(line).runId));
    expect(runs.size).toBe(600);
    expect((await log.gaps(all)).reduce((sum, { count }) => sum + count, 0)).toBe(60);
  });
});
