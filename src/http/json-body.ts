/**
 * A JSON request body, validated: content type, syntax and schema each with their own error. The parsed value is what handlers get;
 * what was sent is never echoed.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { validator } from 'hono-openapi';
import type { z } from 'zod';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './app-env.ts';

const isJson = (contentType: string | undefined) => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');

export const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isJson(c.req.header('content-type'))) {
    throw new KnowledgeError('unsupported_media_type', 'Send the body as JSON, with the header content-type: application/json.');
  }
  await readJson(c);
  await next();
};

/** A request whose body may be left out. */
export const optionalJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() !== '') return requireJson(c, next);
  // Hono keeps promises there, whatever its type says.
  (c.req.bodyCache as { text?: unknown }).text = Promise.resolve('{}');
  return next();
};

async function readJson(c: Context<AppEnv>): Promise<void> {
  try {
    await c.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new KnowledgeError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
}

const maxDetails = 20;

const pathOf = (path: readonly unknown[] | undefined) =>
  (path ?? []).map((part) => String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part)).join('.');

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** What a validator does with what it cannot take. */
export function rejectInvalid(result: { readonly success: true } | { readonly success: false; readonly error: readonly Issue[] }): void {
  if (result.success) return;
  const details = result.error.slice(0, maxDetails).map((issue) => ({ path: pathOf(issue.path), message: issue.message }));
  const [first] = details;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  throw new KnowledgeError('invalid_request', `The request is not valid: ${where}${first?.message ?? 'wrong value'}.`, { details });
}

/** Validates against `schema`, and documents it. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => validator('json', schema, rejectInvalid);
