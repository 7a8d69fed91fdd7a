import { describe, expect, it, onTestFinished } from 'vitest';
import { AnswerLog } from '../../src/records/answer-log.ts';
import { AnswerRows } from '../../src/records/answer-tables.ts';
import { answered, closestTo, unanswered } from '../support/answer-entries.ts';
import { postgres } from '../support/postgres.ts';
import { engines, type Place, placeInDatabase, placeInFile } from '../support/state.ts';

type Options = ConstructorParameters<typeof AnswerLog>[0];

const all = () => true;

type Table = keyof typeof select;

/** Rows of a table, oldest first. */
const select = {
  answers: 'SELECT run_id AS "runId", question FROM answers ORDER BY id',
  feedback: 'SELECT comment FROM feedback ORDER BY given_at',
  gaps: 'SELECT question FROM gaps ORDER BY id',
};

async function setUpIn(createPlace: () => Promise<Place>, options: Partial<Options> = {}) {
  const openStore = await createPlace();
  const store = openStore();
  const rows = (table: Table): Promise<any[]> => store.query(select[table]);
  const warnings: string[] = [];
  let seconds = 0;
  const create = (more: Partial<Options>) =>
    new AnswerLog({
      rows: new AnswerRows(openStore()),
      maxAnswers: 1_000,
      clock: () => new Date(Date.UTC(2026, 0, 1) + 1_000 * seconds++),
      onWarning: (message) => warnings.push(message),
      ...options,
      ...more,
    });
  const open = async (more: Partial<Options> = {}) => {
    const log = create(more);
    onTestFinished(() => log.settled());
    await log.open();
    return log;
  };
  const log = await open();
  /** Resolves when the answer is stored. */
  const keep = async (entry: Parameters<AnswerLog['keep']>[0]) => {
    log.keep(entry);
    await log.get(entry.runId);
  };
  return { log, open, keep, rows, warnings };
}

describe.each(engines)('in %s', (_name, place) => {
  const setUp = (options: Partial<Options> = {}) => setUpIn(place, options);

  describe('a stored answer', () => {
    it('is returned unchanged with its check scores, even by another log', async () => {
      const { log, keep, open } = await setUp();
      const entry = answered('run-1', { requestId: 'request-1' });
      await keep(entry);
      const kept = await log.get('run-1');
      expect(kept).toEqual({
        runId: 'run-1',
        requestId: 'request-1',
        namespace: 'docs',
        askedAt: '2026-01-01T00:00:00.000Z',
        question: entry.question,
        answer: entry.answer,
        check: entry.check,
        feedback: [],
      });
      await log.settled();
      expect(await (await open()).get('run-1')).toEqual(kept);
    });

    it('excludes empty answers to messages without a mention', async () => {
      const { log, keep } = await setUp();
      await keep(answered('silent', { answer: { reason: 'not_mentioned', text: '' } }));
      expect(await log.get('silent')).toBeUndefined();
    });
  });

  describe('a list of answers', () => {
    const newestOf = async (log: AnswerLog, callerId: string | undefined) => {
      const found = [];
      for await (const answer of log.newest({ namespaces: undefined, callerId }))
        found.push(answer);
      return found;
    };

    it('returns each answer unchanged with its ratings, newest first', async () => {
      const { log, keep } = await setUp();
      for (let number = 0; number < 45; number++) await keep(answered(`run-${number}`));
      await log.addFeedback('run-44', 'a', { rating: 'down' });
      await log.addFeedback('run-44', 'a', { rating: 'up' });
      await log.addFeedback('run-44', 'b', { rating: 'up' });
      await log.addFeedback('run-44', 'c', { rating: 'down' });
      const found = await newestOf(log, '');
      expect(found.map(({ runId }) => runId)).toEqual(
        Array.from({ length: 45 }, (_, number) => `run-${44 - number}`),
      );
      expect(found[0]).toEqual({
        place: '45',
        runId: 'run-44',
        namespace: 'docs',
        askedAt: '2026-01-01T00:00:44.000Z',
        question: answered('').question,
        answer: answered('run-44').answer,
        up: 2,
        down: 1,
      });
    });

    it('shows personal answers only to their caller', async () => {
      const { log, keep } = await setUp();
      await keep(answered('mine', { callerId: 'jwt:alice', isPersonal: true }));
      await keep(answered('any'));
      const runsOf = async (callerId: string | undefined) =>
        (await newestOf(log, callerId)).map(({ runId }) => runId);
      expect([await runsOf('jwt:alice'), await runsOf('jwt:bob'), await runsOf('')]).toEqual([
        ['any', 'mine'],
        ['any'],
        ['any'],
      ]);
      await keep(answered('without caller', { callerId: '', isPersonal: true }));
      expect(await runsOf(undefined)).toEqual(['any']);
    });
  });

  it('feedback keeps the newest entry of each caller, on one line without control characters', async () => {
    const { log, keep } = await setUp();
    await keep(answered('run-1'));
    await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'good' });
    await log.addFeedback('run-1', 'b', { rating: 'down' });
    const feedback = await log.addFeedback('run-1', 'a', {
      rating: 'down',
      comment: ' wrong\u0000\u001b[31m\r\n\u202eyear ',
    });
    expect(feedback).toMatchObject({ rating: 'down', comment: 'wrong[31m year' });
    expect((await log.get('run-1'))?.feedback).toEqual([
      expect.objectContaining({ rating: 'down', comment: null }),
      feedback,
    ]);
  });

  describe('the limits', () => {
    it('keep the newest answers and their feedback', async () => {
      const { log, keep, rows } = await setUp({ maxAnswers: 5 });
      for (let number = 0; number < 12; number++) {
        await keep(answered(`run-${number}`));
        await log.addFeedback(`run-${number}`, 'a', { rating: 'up' });
      }
      const newest = ['run-7', 'run-8', 'run-9', 'run-10', 'run-11'];
      expect((await rows('answers')).map(({ runId }) => runId)).toEqual(newest);
      expect((await log.get('run-7'))?.feedback).toHaveLength(1);
      expect(await rows('feedback')).toHaveLength(5);
    });

    it('are shared fairly: one namespace does not evict entries of another', async () => {
      const { keep, open } = await setUp({ maxAnswers: 20, maxGaps: 20 });
      const keepBoth = async (namespace: string, number: number) => {
        const runId = `${namespace}-${number}`;
        await keep(answered(runId, { namespace }));
        await keep(unanswered(`gap-${runId}`, `who feeds animal${number}?`, { namespace }));
      };
      for (let number = 0; number < 3; number++) await keepBoth('b', number);
      for (let number = 0; number < 30; number++) await keepBoth('a', number);
      const later = await open();
      for (const runId of ['b-0', 'b-1', 'b-2', 'a-29'])
        expect(await later.get(runId)).toBeDefined();
      expect(await later.get('a-12')).toBeUndefined();
      expect(await later.gaps((namespace) => namespace === 'b')).toHaveLength(3);
      expect(await later.gaps(all)).toHaveLength(20);
    });

    it('are shared fairly: a caller with many answers loses its own first', async () => {
      const { keep, open } = await setUp({ maxAnswers: 20 });
      for (let number = 0; number < 3; number++)
        await keep(answered(`honest-${number}`, { callerId: 'key:honest' }));
      for (let number = 0; number < 30; number++)
        await keep(answered(`hostile-${number}`, { callerId: 'key:hostile' }));
      await keep({ ...answered('other'), namespace: 'other' });
      const later = await open();
      for (const runId of ['honest-0', 'honest-1', 'honest-2', 'other', 'hostile-29', 'hostile-14'])
        expect(await later.get(runId)).toBeDefined();
      expect(await later.get('hostile-13')).toBeUndefined();
    });

    it('limit the number of bytes', async () => {
      const { keep, rows } = await setUp({ maxBytes: 20_000, maxAnswers: 10 });
      const answer = { reason: 'answered', text: 'x'.repeat(5_000) } as const;
      for (let number = 0; number < 5; number++) await keep(answered(`run-${number}`, { answer }));
      expect((await rows('answers')).map(({ runId }) => runId)).toEqual([
        'run-2',
        'run-3',
        'run-4',
      ]);
    });

    it('count unanswered questions separately: answered ones do not evict them', async () => {
      const { log, keep } = await setUp({ maxAnswers: 2, maxGaps: 4 });
      await keep(unanswered('gap', 'who feeds the office cat?'));
      for (let number = 0; number < 10; number++) await keep(answered(`run-${number}`));
      expect(await log.get('gap')).toBeUndefined();
      expect(await log.gaps(all)).toMatchObject([{ question: 'who feeds the office cat?' }]);
    });

    it('keep the most frequent and the newest unanswered questions', async () => {
      const { log, keep, rows } = await setUp({ maxGaps: 4 });
      for (let number = 0; number < 3; number++)
        await keep(unanswered(`cat-${number}`, 'who feeds the office cat?'));
      for (let number = 0; number < 10; number++)
        await keep(unanswered(`${number}`, `where sleeps animal${number}?`));
      expect(await rows('gaps')).toHaveLength(4);
      const questions = (await log.gaps(all)).map(({ question }) => question);
      expect(questions[0]).toBe('who feeds the office cat?');
      expect(questions).toContain('where sleeps animal9?');
    });
  });

  describe('unanswered questions', () => {
    it('become one row with a count and times when they are repeated, without small talk', async () => {
      const { log, keep, rows } = await setUp();
      await keep(unanswered('thanks', 'thank you so much', { isGap: false }));
      for (const question of ['Who feeds the cat?', 'who feeds the CAT', ' who  feeds the cat ?'])
        await keep(unanswered(question.length.toString(), question));
      expect(await log.gaps(all)).toMatchObject([
        {
          count: 3,
          firstAskedAt: '2026-01-01T00:00:01.000Z',
          lastAskedAt: '2026-01-01T00:00:03.000Z',
          variants: [],
        },
      ]);
      expect(await rows('gaps')).toHaveLength(1);
    });

    it('disappear once they are answered in any wording in their namespace, and reappear as new ones', async () => {
      const { log, keep, rows } = await setUp();
      await keep(unanswered('a', 'who feeds the cat?'));
      await keep(unanswered('b', 'feeding the cats: who?'));
      await keep(unanswered('c', 'who feeds the cat?', { namespace: 'hr' }));
      await keep(unanswered('d', 'who feeds the dog?'));
      await keep(answered('e', { question: 'Who is feeding the cat?' }));
      expect((await log.gaps(all)).map(({ namespace, question }) => [namespace, question])).toEqual(
        [
          ['docs', 'who feeds the dog?'],
          ['hr', 'who feeds the cat?'],
        ],
      );
      expect(await rows('gaps')).toHaveLength(2);
      await keep(unanswered('f', 'who feeds the cat?'));
      expect(await log.gaps((namespace) => namespace === 'docs')).toMatchObject([
        { question: 'who feeds the cat?', count: 1, firstAskedAt: '2026-01-01T00:00:05.000Z' },
        { question: 'who feeds the dog?' },
      ]);
    });

    it('stay if the answer is personal, is small talk or is older than the question', async () => {
      let minutes = 60;
      const { log, keep } = await setUp({
        clock: () => new Date(Date.UTC(2026, 0, 1, 0, minutes--)),
      });
      await keep(unanswered('a', 'who feeds the cat?'));
      await keep(answered('b', { question: 'who feeds the cat?', isPersonal: true }));
      const smallTalk = { reason: 'small_talk', text: 'Hello!' } as const;
      await keep(answered('c', { question: 'who feeds the cat?', answer: smallTalk }));
      await keep(answered('d', { question: 'who feeds the cat?' }));
      expect(await log.gaps(all)).toMatchObject([{ count: 1 }]);
    });

    it('name the closest documents of the best search', async () => {
      const { log, keep } = await setUp();
      const question = 'who feeds the cat?';
      const closest = [closestTo('x'), closestTo('y')];
      await keep(unanswered('a', question, { coverage: 0.3, closest }));
      await keep(unanswered('b', question, { coverage: 0.1, closest: [closestTo('v')] }));
      expect(await log.gaps(all)).toMatchObject([{ coverage: 0.3, closest }]);
    });
  });

  describe('the log', () => {
    it('removes the answers that cite a deleted document, and their feedback', async () => {
      const { log, keep, rows } = await setUp();
      await keep(answered('run-1'));
      const citations = [{ documentId: 'other' }];
      await keep(answered('run-2', { answer: { reason: 'answered', citations } }));
      const closest = [closestTo('refunds'), closestTo('other')];
      await keep(unanswered('run-3', 'who feeds the cat?', { closest }));
      await log.addFeedback('run-1', 'a', { rating: 'up', comment: 'secret' });
      await log.settled();
      await log.forgetDocument('refunds');
      expect(await log.get('run-1')).toBeUndefined();
      expect(await log.get('run-2')).toBeDefined();
      expect((await log.gaps(all))[0]?.closest.map(({ file }) => file)).toEqual(['other.md']);
      expect(await rows('feedback')).toEqual([]);
    });

    it('removes the questions of a deleted namespace', async () => {
      const { log, keep } = await setUp();
      await keep(unanswered('run-1', 'who feeds the cat?', { namespace: 'hr' }));
      await keep(unanswered('run-2', 'who feeds the dog?'));
      await log.settled();
      await log.forgetNamespace('hr');
      expect(await log.get('run-1')).toBeUndefined();
      expect(await log.get('run-2')).toBeDefined();
      expect(await log.gaps(all)).toHaveLength(1);
    });
  });

  describe('unusual text', () => {
    it('is stored without the characters that a database rejects', async () => {
      const { log, keep, rows, warnings } = await setUp();
      const odd = 'why \u0000 \ud83d? \ud83d\ude00';
      const answer = { reason: 'no_context', text: odd } as const;
      await keep(unanswered('odd', odd, { answer, closest: [{ ...closestTo('x'), title: odd }] }));
      await log.addFeedback('odd', 'a', { rating: 'up', comment: odd });
      expect((await log.get('odd'))?.answer['text']).toBe(odd);
      expect(await log.get('o\u0000')).toBeUndefined();
      await log.settled();
      await log.forgetDocument('x');
      expect((await log.gaps(all))[0]?.closest).toEqual([]);
      expect([await rows('feedback'), warnings]).toEqual([[expect.anything()], []]);
    });

    it('may be longer than an index entry', async () => {
      const { log, keep, warnings } = await setUp();
      const long = Array.from({ length: 1_000 }, (_, at) =>
        String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000)),
      ).join('');
      for (const runId of ['a', 'b']) await keep(unanswered(runId, long));
      expect(await log.gaps(all)).toMatchObject([{ count: 2 }]);
      expect(warnings).toEqual([]);
    });

    it('is stored by two logs while a third one deletes', async () => {
      const { log, open, rows, warnings } = await setUp();
      const keepers = [await open(), await open()];
      for (let number = 0; number < 30; number++) {
        for (const [at, keeper] of keepers.entries())
          keeper.keep(unanswered(`${at}-${number}`, `what is item${number % 3}?`));
        log.keep(answered(`gone-${number}`));
        await log.settled();
        await log.forgetDocument('refunds');
      }
      for (const keeper of keepers) await keeper.settled();
      expect(await rows('answers')).toHaveLength(60);
      expect((await log.gaps(all)).reduce((sum, { count }) => sum + count, 0)).toBe(60);
      expect(warnings).toEqual([]);
    });
  });

  it('maxAnswers 0 stores nothing and removes stored answers', async () => {
    const { open, keep } = await setUp();
    await keep(unanswered('run-1', 'what?'));
    await open({ maxAnswers: 0 });
    const later = await open();
    expect([await later.get('run-1'), await later.gaps(all)]).toEqual([undefined, []]);
  });
});

it('an unreachable database fails no answer, logs one warning and returns 503 to reads and ratings', async () => {
  const { log, keep, warnings } = await setUpIn(placeInDatabase);
  await keep(answered('before'));
  await postgres.kill();
  for (let number = 0; number < 5; number++) log.keep(answered(`lost-${number}`));
  await log.settled();
  expect(warnings).toEqual(['An answer could not be stored.']);
  const unavailable = { code: 'storage_unavailable', retryAfterSeconds: 5 };
  await expect(log.get('before')).rejects.toMatchObject(unavailable);
  await expect(log.addFeedback('before', 'a', { rating: 'up' })).rejects.toMatchObject(unavailable);
  await expect(log.gaps(all)).rejects.toMatchObject(unavailable);
  await expect(log.forgetDocument('refunds')).rejects.toMatchObject(unavailable);
  await postgres.start();
  await keep(answered('after'));
  expect(await log.get('before')).toBeDefined();
  expect(await log.get('after')).toBeDefined();
});

it('a full disk is reported to the caller of the lost answer, for a limited number of answers', async () => {
  const rows = new AnswerRows((await placeInFile())());
  const write = rows.keep;
  const { log, keep } = await setUpIn(placeInFile, { rows });
  const full = { code: 'ERR_SQLITE_ERROR', errcode: 13 };
  rows.keep = () => Promise.reject(Object.assign(new Error('disk is full'), full));
  log.keep(answered('refused', { callerId: 'ada' }));
  const refusal = { code: 'storage_full', message: expect.stringContaining('was not stored') };
  await expect(log.get('refused', 'ada')).rejects.toMatchObject(refusal);
  await expect(log.addFeedback('refused', 'ada', { rating: 'up' })).rejects.toMatchObject(refusal);
  expect(await log.get('refused', 'bob')).toBeUndefined();
  expect(await log.addFeedback('refused', 'bob', { rating: 'up' })).toBeUndefined();

  for (let count = 0; count < 1_000; count++) {
    log.keep(answered(`more-${count}`, { callerId: 'ada' }));
    await log.get(`more-${count}`, 'bob');
  }
  await expect(log.get('more-999', 'ada')).rejects.toMatchObject(refusal);
  expect(await log.get('refused', 'ada')).toBeUndefined();

  rows.keep = write;
  await keep(answered('kept', { callerId: 'ada' }));
  expect(await log.get('kept', 'ada')).toBeDefined();
});
