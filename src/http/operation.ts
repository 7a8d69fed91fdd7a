/** How an operation is documented: its answer, and the errors that it shares with others. */
import { type DescribeRouteOptions, describeRoute, resolver } from 'hono-openapi';
import type { z } from 'zod';
import { errorOutput } from './schemas.ts';

export const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema: resolver(schema) } },
});

export const eventStream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: { type: 'string' as const } } },
});

const problems: Record<string, string> = {
  400: 'The request is not valid',
  401: 'No valid key or token',
  403: 'The namespace is not for this caller',
  404: 'There is no such agent, namespace, document, job or answer',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Too many requests; see Retry-After',
  502: 'The model failed',
  503: 'The model cannot be reached, or the server is starting',
  504: 'The model took too long',
};

export const failures = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, json(problems[status] ?? '', errorOutput)]));

/** Documents a route. */
export const operation = (
  operationId: string,
  summary: string,
  ok: z.ZodType | ReturnType<typeof eventStream>,
  others: Record<string, ReturnType<typeof json>>,
  more: Pick<DescribeRouteOptions, 'parameters' | 'security'> = {},
) => describeRoute({ operationId, summary, responses: { 200: 'content' in ok ? ok : json('Done', ok), ...others }, ...more });

/** Asked without credentials. */
export const openToAll = { security: [] };

/** A parameter in the path. */
export const pathParameter = (name: string, description: string, example?: string) => ({
  name,
  in: 'path' as const,
  required: true,
  description,
  schema: { type: 'string' as const, ...(example === undefined ? {} : { default: example }) },
});
