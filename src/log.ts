/**
 * The process log: JSON lines on standard output. Whatever is logged passes one scrubber, because the causes of errors quote headers,
 * keys and URLs that nobody thought of.
 */
import { pino } from 'pino';
import type { Config } from './config.ts';

export type Logger = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error'>;

const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]'],
  [/("?(?:authorization|x-api-key|apikey|api[_-]?key|token|secret|password)"?\s*[:=]\s*)("[^"]*"|[^\s,;}]+)/gi, '$1[hidden]'],
  [/\bsk-[\w.-]{8,}/g, '[hidden]'],
  [/\beyJ[\w.-]{10,}/g, '[hidden]'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1[hidden]@'],
];

const maxLoggedChars = 4_000;

export const scrub = (text: string): string =>
  secrets.reduce((current, [pattern, replacement]) => current.replace(pattern, replacement), text.slice(0, maxLoggedChars));

/** An error as it is logged: message, stack and causes, scrubbed; nothing of its other fields (provider errors carry whole requests). */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error));
  const cause = error.cause === undefined || depth > 4 ? {} : { cause: serializeError(error.cause, depth + 1) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { type: error.name, message: scrub(error.message), ...code, stack: scrub(error.stack ?? ''), ...cause };
}

export const createLogger = (level: Config['logLevel']): Logger =>
  pino({
    level,
    base: null,
    serializers: { err: (error: unknown) => serializeError(error) },
    formatters: { level: (label) => ({ level: label }) },
  });
