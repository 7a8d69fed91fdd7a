/**
 * The process log: JSON lines, or readable lines in a terminal. Secrets are removed, because causes
 * of errors may quote them.
 */
import { fstatSync, writeSync } from 'node:fs';
import { format, styleText } from 'node:util';
import { type Logger as PinoLogger, pino } from 'pino';
import { storageError } from '../packages/shared/src/errors.ts';
import { withoutInvisible } from '../packages/shared/src/language/invisible.ts';
import type { Config } from './config.ts';

/**
 * `audit`: changes and refusals, with their caller. They are logged at every LOG_LEVEL except
 * `silent`.
 */
export type Logger = Pick<PinoLogger<'audit'>, 'debug' | 'info' | 'warn' | 'error' | 'audit'> & {
  /** Lines that could not be written since startup, by level. */
  readonly droppedLines?: ReadonlyMap<string, number>;
  /** Resolves when all lines are written, at most after 500 ms. */
  flushLines?(): Promise<void>;
};

/** Between pino's `error` and `fatal`. */
const auditLevel = 55;

const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]'],
  [
    /("?(?:authorization|x-api-key|apikey|api[_-]?key|token|secret|password)"?\s*[:=]\s*)("[^"]*"|[^\s,;}]+)/gi,
    '$1[hidden]',
  ],
  [/\bsk-[\w.-]{8,}/g, '[hidden]'],
  [/\beyJ[\w.-]{10,}/g, '[hidden]'],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]+@/gi, '$1[hidden]@'],
];

const maxLoggedChars = 4_000;

export const scrub = (text: string): string =>
  secrets.reduce(
    (current, [pattern, replacement]) => current.replace(pattern, replacement),
    text.slice(0, maxLoggedChars),
  );

/**
 * Errors of the AI SDK, of JSON.parse and of HTTP clients: their messages may quote questions,
 * documents and keys.
 */
const mayQuoteContent = (error: Error) =>
  error.name.startsWith('AI_') ||
  error.name === 'SyntaxError' ||
  'statusCode' in error ||
  'responseBody' in error;
const withheldMessage = '[removed: may quote user data]';

/** The stack without the message. */
const framesOf = ({ stack = '', message }: Error) =>
  stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at \S/.test(line))
    .join('\n');

/**
 * Message, stack and causes without secrets. Other fields are left out, because provider errors
 * contain whole requests.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return withheldMessage;
  const { name: type, message, stack = '' } = error;
  const cause =
    error.cause === undefined || depth > 4 ? {} : { cause: serializeError(error.cause, depth + 1) };
  if (mayQuoteContent(error)) {
    const { statusCode: status } = error as { readonly statusCode?: unknown };
    const known = typeof status === 'number' ? { status } : {};
    return { type, message: withheldMessage, ...known, stack: framesOf(error), ...cause };
  }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { type, message: scrub(message), ...code, stack: scrub(stack), ...cause };
}

const oneLine = (text: string) => withoutInvisible(text).replace(/[\t\n\r\u2028\u2029]/g, ' ');
const colours = { warn: 'yellow', error: 'red' } as const;

function detail(name: string, value: unknown) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name}=${/[\s"]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text}`;
}

/**
 * A JSON line in readable form: time of day, message and fields, followed by the stack of an error.
 */
export function toReadableLine(line: string): string {
  const { time, level, msg, err, ...details }: Record<string, unknown> = JSON.parse(line);
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const kind = level === 'warn' || level === 'error' ? level : undefined;
  const head = [
    kind,
    msg ?? '',
    ...Object.entries(details).map(([name, value]) => detail(name, value)),
  ]
    .filter(Boolean)
    .join('  ');
  const stack =
    typeof err === 'object' && err !== null && 'stack' in err ? String(err.stack).split('\n') : [];
  const shown = kind ? styleText(colours[kind], oneLine(head)) : oneLine(head);
  return `${[`${clock}  ${shown}`, ...stack.map((one) => `          ${oneLine(one)}`)].join('\n')}\n`;
}

/** Standard output, standard error, or a test's collector. */
type LogOutput = Readonly<{
  write(line: string, onWritten?: (error?: Error | null) => void): unknown;
  isTTY?: boolean;
  fd?: number;
  writableLength?: number;
  destroyed?: boolean;
  once?(event: 'drain' | 'error', listener: () => void): unknown;
  on?(event: 'error', listener: () => void): unknown;
  listenerCount?(event: 'error'): number;
}>;

/** Maximum buffered characters if the reader is blocked; further lines are dropped. */
const maxWaitingChars = 1024 * 1024;
/** Maximum wait of an audit line for buffer space. */
const maxAuditWaitMs = 1_000;
const maxWaitingAudits = 1_000;
const maxFlushMs = 500;

/**
 * Returns the descriptor if the output is a file. Files are written synchronously, because Node
 * ends a file's stream after one failed write.
 */
function fileOf({ fd, isTTY }: LogOutput) {
  if (fd === undefined || isTTY) return undefined;
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket() ? undefined : fd;
}

/**
 * Writes lines without blocking or throwing: lines that cannot be written are dropped and counted.
 */
class LineWriter {
  readonly dropped = new Map<string, number>();
  readonly #output;
  readonly #file;
  readonly #onRecovered;
  #unreported = 0;
  readonly #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param onRecovered called when writing works again, with the number of dropped lines */
  constructor(output: LogOutput, onRecovered: (dropped: number) => void) {
    this.#output = output;
    this.#file = fileOf(output);
    this.#onRecovered = onRecovered;
    // Without a listener, a closed pipe would end the process.
    if (output.listenerCount?.('error') === 0) output.on?.('error', () => undefined);
  }

  /** @param logged JSON with the level @param line text to write */
  write(logged: string, line: string) {
    const level = /^\{"level":"(\w+)"/.exec(logged)?.[1] ?? '';
    if (this.#isFull) this.#wait(level, line);
    else this.#put(level, line);
  }

  async flush() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxFlushMs);
    this.#output.once?.('drain', resolve);
    this.#output.once?.('error', resolve);
    if (this.#pendingChars === 0 || this.#output.destroyed) resolve();
    await promise;
    clearTimeout(timer);
  }

  get #pendingChars() {
    return this.#file === undefined ? (this.#output.writableLength ?? 0) : 0;
  }

  get #isFull() {
    return this.#pendingChars > maxWaitingChars;
  }

  #put(level: string, line: string) {
    const settle = (error?: unknown) => {
      if (error) this.#drop(level);
      // A successful write to a file shows that the disk works again; a pipe works again when it is
      // empty.
      else if (this.#file !== undefined) this.#report();
      else if (this.#pendingChars === 0) this.#resume();
    };
    try {
      if (this.#file === undefined) this.#output.write(line, settle);
      else writeSync(this.#file, line);
    } catch (error) {
      settle(error);
      return;
    }
    if (this.#file !== undefined) settle();
  }

  #wait(level: string, line: string) {
    if (level !== 'audit' || this.#waiting.length >= maxWaitingAudits) {
      this.#drop(level);
      return;
    }
    this.#waiting.push(line);
    const dropWaiting = () => this.#drop('audit', this.#takeWaiting().length);
    this.#timer ??= setTimeout(dropWaiting, maxAuditWaitMs).unref();
  }

  #takeWaiting() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#waiting.splice(0);
  }

  #drop(level: string, lines = 1) {
    this.dropped.set(level, (this.dropped.get(level) ?? 0) + lines);
    this.#unreported += lines;
  }

  #resume() {
    for (const line of this.#takeWaiting()) this.#put('audit', line);
    this.#report();
  }

  #report() {
    const dropped = this.#unreported;
    if (dropped === 0) return;
    this.#unreported = 0;
    this.#onRecovered(dropped);
  }
}

/** Shorter secrets may be words of ordinary texts. */
const minHiddenChars = 6;

/**
 * Secrets of the settings in JSON form, to be hidden in log lines: services that reject a key may
 * quote it.
 */
export function secretsOf(config: Config): string[] {
  const { llm, llmFallback, judge, embedding, rerank, databaseUrl, pathPrefix, apiKeys } = config;
  const models = [llm, llmFallback, judge, embedding, rerank];
  const own = Object.entries(config).flatMap(([name, value]) =>
    typeof value === 'string' && /(?:Key|Secret|Password)$/.test(name) ? [value] : [],
  );
  const password = databaseUrl && new URL(databaseUrl).password;
  const keys = [...models.map((model) => model?.apiKey), ...apiKeys.map(({ key }) => key)];
  return [...own, ...keys, password, pathPrefix]
    .filter((secret) => secret !== undefined && secret.length >= minHiddenChars)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
}

/** A state that ended less than this ago still counts as the same. */
const sameStateMs = 60_000;

/** Logs a state, such as a full disk, once instead of once for each request that it fails. */
export class StateLog {
  readonly #logger;
  readonly #seenAt = new Map<string, number>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  warn(code: string, details: object, message: string): void {
    const before = this.#seenAt.get(code) ?? Number.NEGATIVE_INFINITY;
    const now = performance.now();
    this.#seenAt.set(code, now);
    if (now - before > sameStateMs) this.#logger.warn({ code, ...details }, message);
  }
}

/**
 * Makes log lines of what packages print and of warnings of Node.js, which would be raw text
 * between JSON lines.
 */
export function logOutput(logger: Pick<Logger, 'warn'>): void {
  const { console: output } = globalThis;
  for (const name of ['debug', 'info', 'log', 'warn', 'error'] as const)
    output[name] = (...parts: unknown[]) => logger.warn(scrub(format(...parts)));
  // The default listener prints.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn({ name }, scrub(message)));
}

/**
 * Invisible characters are removed, so that names and messages cannot control the terminal.
 * @param output a TTY gets readable lines
 * @param hidden texts that no line may contain, see `secretsOf`
 */
export function createLogger(
  level: Config['logLevel'],
  output: LogOutput = process.stdout,
  hidden: readonly string[] = [],
): Logger {
  const options = {
    level,
    customLevels: { audit: auditLevel },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const writer = new LineWriter(output, (lines) =>
    logger.warn({ lines }, 'log lines were dropped because the log could not be written'),
  );
  const hide = (line: string) =>
    hidden.reduce((current, secret) => current.replaceAll(secret, '[hidden]'), line);
  const shown = output.isTTY ? toReadableLine : (line: string) => `${oneLine(line.slice(0, -1))}\n`;
  const logger = pino(options, { write: (line: string) => writer.write(line, shown(hide(line))) });
  return Object.assign(logger, { droppedLines: writer.dropped, flushLines: () => writer.flush() });
}

/** Logs unexpected failures. A full or failing disk is a state and gets one line without a stack. */
export const reportTo = (logger: Logger, message: string) => {
  const states = new StateLog(logger);
  return (error: unknown) => {
    const refused = storageError(error);
    if (refused) states.warn(refused.code, {}, refused.message);
    else logger.error({ err: error }, message);
  };
};
