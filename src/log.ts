/**
 * The process log: JSON lines, or in a terminal lines for a person. Whatever is logged passes one scrubber, because the causes of errors quote headers,
 * keys and URLs that nobody thought of.
 */
import { styleText } from 'node:util';
import { pino } from 'pino';
import type { Config } from './config.ts';
import { withoutInvisible } from './language/invisible.ts';

/** `audit`: who changed what, and who was refused; written whatever LOG_LEVEL says, but `silent`. */
export type Logger = Pick<ReturnType<typeof pino<'audit'>>, 'debug' | 'info' | 'warn' | 'error' | 'audit'>;

/** Between pino's `error` and `fatal`. */
const auditLevel = 55;

const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]'],
  [/("?(?:authorization|x-api-key|apikey|api[_-]?key|token|secret|password)"?\s*[:=]\s*)("[^"]*"|[^\s,;}]+)/gi, '$1[hidden]'],
  [/\bsk-[\w.-]{8,}/g, '[hidden]'],
  [/\beyJ[\w.-]{10,}/g, '[hidden]'],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]+@/gi, '$1[hidden]@'],
];

const maxLoggedChars = 4_000;

export const scrub = (text: string): string =>
  secrets.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text.slice(0, maxLoggedChars));

/** Of the AI SDK, of what reads JSON, and of whatever quotes an answer: what providers say echoes questions, documents and keys. */
const quotesOthers = (error: Error) =>
  error.name.startsWith('AI_') || error.name === 'SyntaxError' || 'statusCode' in error || 'responseBody' in error;
const unwritten = '[left out: it may quote what was sent]';

/** Where it was thrown, without what it says. */
const framesOf = ({ stack = '', message }: Error) =>
  stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ {4}at \S/.test(line))
    .join('\n');

function quotingError(error: Error) {
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? { status: error.statusCode } : {};
  return { type: error.name, message: unwritten, ...status, stack: framesOf(error) };
}

/**
 * An error as it is logged: message, stack and causes, scrubbed; nothing of its other fields (provider errors carry whole requests), and of
 * what others say no message.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return unwritten;
  const cause = error.cause === undefined || depth > 4 ? {} : { cause: serializeError(error.cause, depth + 1) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  if (quotesOthers(error)) return { ...quotingError(error), ...cause };
  return { type: error.name, message: scrub(error.message), ...code, stack: scrub(error.stack ?? ''), ...cause };
}

const oneLine = (text: string) => withoutInvisible(text).replace(/[\t\n\r\u2028\u2029]/g, ' ');
const colours = { warn: 'yellow', error: 'red' } as const;

function detail(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name}=${/[\s"]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text}`;
}

/** One line of the log as a person reads it: the time of day, what happened, and what belongs to it; below it the stack of an error. */
export function toReadableLine(line: string): string {
  const { time, level, msg, err, ...details }: Record<string, unknown> = JSON.parse(line);
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const kind = level === 'warn' || level === 'error' ? level : undefined;
  const head = [kind, msg ?? '', ...Object.entries(details).map(([name, value]) => detail(name, value))].filter(Boolean).join('  ');
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? String(err.stack).split('\n') : [];
  const shown = kind ? styleText(colours[kind], oneLine(head)) : oneLine(head);
  return `${[`${clock}  ${shown}`, ...stack.map((one) => `          ${oneLine(one)}`)].join('\n')}\n`;
}

/** Standard output, standard error, or what a test reads. */
export interface LogOutput {
  write(line: string): unknown;
  readonly isTTY?: boolean;
  readonly fd?: number;
}

/** Shorter ones are words of other texts too. */
const minHiddenChars = 6;

/** What a server is told to keep to itself, as it may stand in a line: others quote a key in any form when they refuse it. */
export function secretsOf(config: Config): string[] {
  const { callsApiKey, callsWebhookPassword, chatApiKey, chatWebhookSecret, chatWebhookPassword, chatCallbackKey } = config;
  const ofCalls = [callsApiKey, callsWebhookPassword, chatApiKey, chatWebhookSecret, chatWebhookPassword, chatCallbackKey];
  const { llmApiKey, llmFallbackApiKey, jwtSecret, driftWebhookSecret, databaseUrl, tracing } = config;
  const own = [...ofCalls, llmApiKey, llmFallbackApiKey, jwtSecret, driftWebhookSecret, ...Object.values(tracing?.headers ?? {})];
  own.push(databaseUrl === undefined ? undefined : new URL(databaseUrl).password);
  return [...own, config.pathPrefix, ...config.apiKeys.map(({ key }) => key)]
    .filter((secret) => secret !== undefined && secret.length >= minHiddenChars)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
}

/**
 * @param output where lines go, without what nobody sees: a name or a message from outside does nothing to a terminal, which is given lines for a person
 * @param hidden stands in no line, see `secretsOf`
 */
export function createLogger(level: Config['logLevel'], output: LogOutput = process.stdout, hidden: readonly string[] = []): Logger {
  const options = {
    level,
    customLevels: { audit: auditLevel },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const file = output.fd === undefined ? output : pino.destination({ fd: output.fd, sync: true });
  const hide = (line: string) => hidden.reduce((current, secret) => current.replaceAll(secret, '[hidden]'), line);
  const write = output.isTTY
    ? (line: string) => void output.write(toReadableLine(hide(line)))
    : (line: string) => void file.write(`${oneLine(hide(line.slice(0, -1)))}\n`);
  return pino(options, { write });
}
