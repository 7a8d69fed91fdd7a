import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import {
  createLogger,
  logOutput,
  StateLog,
  scrub,
  secretsOf,
  toReadableLine,
} from '../../src/log.ts';
import { listed } from '../support/listed.ts';

it.each([
  ...listed(`
      Authorization: Bearer abc.def-123 | {"authorization":"Bearer abc.def-123"} | x-api-key: abc.def-123
      LLM_API_KEY=abc.def-123 | Incorrect API key provided: sk-abc.def-123 | token eyJhbGciOi.eyJzdWIi.abc.def-123
      https://user:abc.def-123@example.com/x
    `),
])('hides the secret in %j', (text) => expect(scrub(text)).not.toContain('def-123'));

/** A logger that keeps its lines. */
function keptLines(secrets?: string[]) {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) }, secrets);
  return { logger, lines, all: () => lines.map((line) => JSON.parse(line)) };
}

it('makes log lines of printed text and of warnings', async () => {
  const { logger, all } = keptLines();
  const { debug, info, log, warn, error } = console;
  const listeners = process.listeners('warning');
  onTestFinished(() => {
    Object.assign(console, { debug, info, log, warn, error });
    process.removeAllListeners('warning');
    for (const listener of listeners) process.on('warning', listener);
  });
  logOutput(logger);
  console.error('no folder %s', 'sk-abcdefgh12');
  process.emitWarning('this mode is deprecated');
  await new Promise((resolve) => setImmediate(resolve));
  expect(all()).toMatchObject([
    { level: 'warn', msg: 'no folder [hidden]' },
    { level: 'warn', name: 'Warning', msg: 'this mode is deprecated' },
  ]);
});

it('logs a lasting state once, and again after it had ended', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { logger, all } = keptLines();
  const states = new StateLog(logger);
  for (const ms of [0, 50_000, 50_000, 61_000]) {
    vi.advanceTimersByTime(ms);
    states.warn('storage_full', {}, 'The disk is full.');
  }
  states.warn('busy', {}, 'The server is busy.');
  expect(all().map(({ code }) => code)).toEqual(['storage_full', 'storage_full', 'busy']);
});

describe('a log line for terminals', () => {
  const line = (fields: object) =>
    toReadableLine(JSON.stringify({ level: 'info', time: '2026-11-22T09:49:02.856Z', ...fields }));
  const clock = new Date('2026-11-22T09:49:02.856Z').toTimeString().slice(0, 8);

  it('contains time, message and fields', () => {
    expect(line({ msg: 'ready', documents: 22, callers: 'everybody here' })).toBe(
      `${clock}  ready  documents=22  callers="everybody here"\n`,
    );
  });

  it('is followed by the stack of an error', () => {
    expect(
      line({
        level: 'error',
        err: { type: 'Error', message: 'no', stack: 'Error: no\n    at x.ts:1' },
        msg: 'failed',
      }),
    ).toMatch(/error {2}failed.*\n {10}Error: no\n {14}at x\.ts:1\n$/);
  });

  it('is one line without control characters', () => {
    const written = line({
      msg: 'a\u001b[2Jb\u202ec\nd',
      path: '/x\u001b]0;title\u0007\u009b1m\u2028y',
    });
    expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
    expect(written.endsWith('\n')).toBe(true);
  });
});

describe('a logged error', () => {
  const logged = (error: unknown) => {
    const { logger, lines, all } = keptLines();
    logger.error({ err: error }, 'failed');
    return { ...all()[0].err, written: lines.join() };
  };

  it('includes its causes, but only kind, status and place of quoting errors', () => {
    const quoting = Object.assign(new Error('a question\n    at the window'), {
      name: 'AI_APICallError',
      statusCode: 500,
      responseBody: 'a question',
    });
    const { message, cause, written } = logged(
      new Error('The model did not give an answer.', { cause: quoting }),
    );
    expect(message).toBe('The model did not give an answer.');
    expect(cause).toMatchObject({ type: 'AI_APICallError', status: 500 });
    expect(cause.stack).toMatch(/^ {4}at .*log\.test\.ts/);
    expect(written).not.toMatch(/question|window/);
  });

  it('includes no text of thrown values and JSON errors', () => {
    for (const thrown of [
      'a question',
      { message: 'a question' },
      new SyntaxError('Unexpected token, "a question" is not valid JSON'),
    ])
      expect(logged(thrown).written).not.toContain('question');
  });
});

it('a logger hides secrets of its settings even if an error quotes them', () => {
  const config = parseConfig({
    LLM_API_KEY: 'plain "words" as a key',
    JUDGE_MODEL: 'judge',
    JUDGE_BASE_URL: 'https://judge.example/v1',
    JUDGE_API_KEY: 'judge-key',
    LLM_FALLBACK_MODEL: 'mistral/m',
    MISTRAL_API_KEY: 'mistral-key',
    EMBEDDING_MODEL: 'e',
    EMBEDDING_API_KEY: 'embedding-key',
    RERANK_MODEL: 'r',
    RERANK_BASE_URL: 'https://:rerank-key@rerank.example/v1',
    API_KEYS: 'first-key=docs:read,second-key',
    PATH_PREFIX: '/k/a-secret-of-the-path',
  });
  const { logger, lines } = keptLines(secretsOf(config));
  logger.error(
    {
      err: new Error(
        'Refused: plain "words" as a key, first-key, judge-key, mistral-key, embedding-key, rerank-key and second-key.',
        { cause: 'plain "words" as a key' },
      ),
    },
    'at /k/a-secret-of-the-path',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Refused: [hidden]');
  expect(lines[0]).not.toMatch(/plain|-key|a-secret/);
});
