import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answerWithMeaning,
  answerWithStatus,
  startFakeEmbeddings,
} from '../support/fake-embeddings.ts';
import { lastText, startFakeProvider } from '../support/fake-provider.ts';
import { root } from '../support/repository.ts';
import { runCommand, startProgram } from '../support/run-command.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const refunds = {
  question: 'How long do refunds take?',
  files: ['refunds.md'],
  patterns: ['30 days'],
};
const leave = {
  question: 'How much leave is there?',
  namespace: 'hr',
  files: ['Leave'],
  patterns: ['/25|26/'],
};
const cup = { question: 'Who won the chess championship?', unanswerable: true };
const days = { ...refunds, question: 'Refunds: how many days?' };

async function setUp(settings: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await writeFiles(join(folder, 'knowledge'), {
    'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'hr/leave.md': '# Leave\n\nEmployees have 25 days of leave.\n',
  });
  const file = join(folder, 'questions.jsonl');
  const write = (...lines: unknown[]) =>
    writeFile(
      file,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
  const allSettings = { ...foldersIn(folder), ...settings };
  const run = (...args: string[]) => runCommand(['eval', file, ...args], allSettings);
  return { file, write, run, allSettings };
}

async function setUpProvider() {
  const provider = await startFakeProvider();
  const settings = { LLM_BASE_URL: provider.baseUrl, LLM_MODEL: 'scripted' };
  return { provider, ...(await setUp(settings)) };
}

describe('eval', () => {
  it('asks every question and prints metrics in total and by namespace', async () => {
    const { write, run } = await setUp();
    const wrong = { ...refunds, question: '@agent refunds?', patterns: ['40 days'] };
    await write(refunds, leave, cup, wrong);
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(err.match(/^(right|wrong) /gm)).toEqual(['right ', 'right ', 'right ', 'wrong ']);
    expect(out).toContain('4 questions, model extractive\n\nall, 4 questions\n');
    expect(out).toMatch(/^ {2}right +66\.7 % +n 3 /m);
    expect(out).toMatch(/^ {2}abstention +100\.0 % +n 1 /m);
    expect(out).toMatch(/\n\nhr, 1 question\n {2}hit@1 +100\.0 % +n 1 /);
    expect(out).toContain('- wrong: "@agent refunds?" (missing: 40 days)\n');
  });

  it('prints the whole result as JSON', async () => {
    const { write, run } = await setUp();
    await write(refunds, leave);
    const { code, out } = await run('--json', '--namespace', 'hr', '--limit', '1');
    // The first question has no namespace, so --namespace hr applies and it stays unanswered.
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { model: 'extractive', questions: 1, asked: 1, failed: 0 },
    ]);
    const { figures, namespaces, results } = JSON.parse((await run('--json')).out);
    expect(figures.right).toEqual({ value: 1, n: 2 });
    expect(Object.keys(namespaces)).toEqual(['default', 'hr']);
    expect(results[0]).toMatchObject({
      verdict: 'right',
      rank: 1,
      text: expect.stringMatching(/^\*\*Refunds\*\*\n\nRefunds are paid within 30 days\. \[1\]/),
      citations: [{ file: 'refunds.md' }],
    });
  });

  it('exits with 1 and names each metric that is too low or was not measured', async () => {
    const { write, run } = await setUp();
    await write(refunds, { ...leave, patterns: ['nothing'] });
    const passed = await run('--fail-under', 'right=0.5', '--fail-under', 'hit@1=1');
    expect(passed.code).toBe(0);
    const { code, err } = await run('--fail-under', 'right=0.51', '--fail-under', 'abstention=0');
    expect(code).toBe(1);
    expect(err).toContain(
      'right is 50.0 %, required: 51.0 %\nabstention is not measured, required: 0.0 %\n',
    );
  });

  it('names every invalid line and asks nothing', async () => {
    const { write, run } = await setUp();
    await write(refunds, '{', { question: 'a', file: 'x' });
    const { code, out, err } = await run();
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /^No question was asked. Correct .*:\nline 2: .*\nline 3: .*"file".*\nTry --help\.\n$/,
    );
  });

  it('warns about an expected file that does not exist and exits with 1 for a missing namespace', async () => {
    const { write, run } = await setUp();
    const warning = 'warning: no document of "default" is "refund.md" (line 1)\n';
    await write({ ...refunds, files: ['refund.md'] });
    expect((await run()).err).toContain(warning);
    await write({ ...refunds, namespace: 'nowhere' });
    const err = 'There is no namespace "nowhere". Ingesting a source into it creates it.\n';
    expect(await run()).toMatchObject({ code: 1, out: '', err });
  });

  it.each([
    [[]],
    [['a.jsonl', 'b.jsonl']],
    [['no-such-file.jsonl']],
    [['samples/questions.jsonl', '--concurrency', 'many']],
    [['samples/questions.jsonl', '--fail-under', 'right=2']],
    [['samples/questions.jsonl', '--fast']],
  ])('exits with 2 and a hint for %j', async (args) => {
    const { code, out, err } = await runCommand(['eval', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/Try --help\.\n$/);
    expect(err).not.toMatch(/ {4}at /);
  });

  it('measures the sample documents with the sample questions', async () => {
    const settings = { KNOWLEDGE_DIR: join(root, 'knowledge'), INDEX_DIR: await temporaryFolder() };
    const limits = ['hit@1=0.85', 'hit@6=0.95', 'support=0.97', 'abstention=1'].flatMap((limit) => [
      '--fail-under',
      limit,
    ]);
    const args = ['eval', 'samples/questions.jsonl', ...limits];
    const { code, err } = await runCommand(args, settings);
    expect([code, err.includes('warning')]).toEqual([0, false]);
  });
});

describe('eval with a provider', () => {
  it('asks several questions at once and continues after a provider failure', async () => {
    const { provider, write, run } = await setUpProvider();
    await write(refunds, leave, cup, days);
    let open = 0;
    let most = 0;
    provider.reply(async (request, response) => {
      most = Math.max(most, ++open);
      // Waits until another request arrives.
      for (let turn = 0; turn < 200 && most < 2; turn++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      open--;
      if (!lastText(request).includes('Employees'))
        return 'Refunds are paid within 30 days [1]. Refunds are paid in gold [1].';
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":{"message":"no"}}');
      return undefined;
    });
    const { code, out, err } = await run();
    expect(code).toBe(1);
    expect(out).toContain('4 questions, model scripted, 1 failed\n');
    expect(out).toMatch(/^ {2}right +100\.0 % +n 2 /m);
    expect(out).toContain('failed\n- "How much leave is there?" (model_failed: ');
    expect(err).toMatch(/^failed {4}How much leave is there\? \(model_failed: /m);
    expect(most).toBeGreaterThan(1);
  });

  it('prints the results so far when interrupted', async () => {
    const { provider, file, write, allSettings } = await setUpProvider();
    await write(refunds, days, { ...refunds, question: 'Refunds?' });
    const { child, ended } = startProgram(
      [process.execPath, 'src/cli/main.ts', 'eval', file, '--concurrency', '1'],
      { ANSWER_EFFORT: 'quick', ...allSettings },
    );
    provider.reply(() => {
      if (provider.requests.length === 1) return 'Refunds are paid within 30 days [1].';
      child.kill('SIGINT');
      return undefined;
    });
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out).toContain('1 of 3 questions, model scripted\n');
    expect(out).toMatch(/^ {2}right +100\.0 % +n 1 /m);
  });

  it('uses semantic search from the first question if it is configured', async () => {
    const embeddings = await startFakeEmbeddings();
    const inputs: string[] = [];
    embeddings.script((request, response) => {
      // The same endpoint also receives the chat request.
      inputs.push(request.input?.at(-1) ?? 'chat');
      return (request.input ? answerWithMeaning : answerWithStatus(400))(request, response);
    });
    const { write, run } = await setUp({
      LLM_BASE_URL: embeddings.baseUrl,
      EMBEDDING_MODEL: 'meaning',
    });
    const question = 'May I have my money back?';
    await write({ question });
    await run();
    expect(inputs.slice(-2)).toEqual([question, 'chat']);
    expect(inputs.slice(0, -2).join('\n')).toMatch(/Refunds are paid|25 days of leave/);
    inputs.length = 0;
    await run();
    // The vectors of the first run are stored.
    expect(inputs).toEqual([question, 'chat']);
  });
});
