/**
 * `/v3/calls`, the calling service's own operation: who may ask, for whom, and what comes back. Whether an upstream or the embedded call
 * log answers is not known here.
 */
import type { Context, Hono } from 'hono';
import type { CallAnswer, CallAnswers, CallsAsker } from '../calls/call-answers.ts';
import { badRequest, CallsError } from '../calls/errors.ts';
import { isUid, parseCallsQuery } from '../calls/query.ts';
import type { AppEnv } from './app-env.ts';
import { callOutput, callsErrorOutput, callsHeaders, callsOutput, callsQueryParameters } from './call-schemas.ts';
import { json, operation, pathParameter } from './operation.ts';

/** Another caller's answer may never be taken for this one's. */
const varyBy = 'apikey, authorization, x-api-key, onBehalfOf';

const problems: Readonly<Record<number, string>> = {
  400: 'A parameter is unknown or wrong; the message names it',
  401: 'No apikey, or one that is not known',
  403: 'The key or token may not read these calls',
  404: 'There is no call with this sessionId',
  429: 'Too many requests; see Retry-After',
  502: 'The calling service failed, or refuses the key of this server',
  503: 'The calling service is not available; see Retry-After',
  504: 'The calling service did not answer in time',
};

const failures = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, json(problems[status] ?? '', callsErrorOutput)]));

const security = [{ callsApiKey: [] }, { bearer: [] }, { apiKey: [] }];

/**
 * For whom the caller asks. A token that names a user speaks for that user alone; a key speaks for whomever its holder says.
 * @throws CallsError
 */
function onBehalfOf(c: Context<AppEnv>): string | undefined {
  const { subject } = c.get('caller');
  const asked = c.req.header('onBehalfOf');
  if (asked !== undefined && !isUid(asked)) {
    throw badRequest('The header onBehalfOf has to be the uid of a user: 1 to 100 characters without control characters.');
  }
  if (subject !== undefined && asked !== undefined && asked !== subject) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'This token names a user, and may not ask on behalf of another.', { status: 403 });
  }
  if (subject !== undefined && !isUid(subject)) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'The subject of this token is no uid.', { status: 403 });
  }
  return subject ?? asked;
}

/** @throws CallsError `AUTH_ERR_EMPTY_APIKEY` where nothing says who is asking */
function askerOf(c: Context<AppEnv>, signal: AbortSignal): CallsAsker {
  const { isAnonymous, callsApiKey, namespaces, subject } = c.get('caller');
  if (isAnonymous && callsApiKey === undefined) {
    throw new CallsError('AUTH_ERR_EMPTY_APIKEY', 'The header apikey is needed.', { status: 401 });
  }
  if (namespaces !== undefined && subject === undefined) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'This key or token is limited to namespaces, and calls are in none of them.', {
      status: 403,
    });
  }
  return { apiKey: callsApiKey, onBehalfOf: onBehalfOf(c), signal };
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

function send(c: Context<AppEnv>, { body, etag, rateLimit }: CallAnswer): Response {
  c.header('vary', varyBy, { append: true });
  c.header('cache-control', etag === undefined ? 'private, no-store' : 'private, no-cache');
  if (rateLimit?.limit !== undefined) c.header('x-rate-limit', String(rateLimit.limit));
  if (rateLimit?.remaining !== undefined) c.header('x-rate-limit-remaining', String(rateLimit.remaining));
  if (rateLimit?.resetAt !== undefined) c.header('x-rate-limit-reset', String(rateLimit.resetAt));
  if (etag !== undefined) {
    c.header('etag', etag);
    if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  }
  return c.body(body, 200, { 'content-type': 'application/json' });
}

export function addCallRoutes(app: Hono<AppEnv>, calls: CallAnswers, signalOf: (c: Context<AppEnv>) => AbortSignal): void {
  app.get(
    '/v3/calls',
    operation('listCalls', 'Calls, newest first, page by page', callsOutput, failures(400, 401, 403, 429, 502, 503, 504), {
      parameters: [...callsQueryParameters, ...callsHeaders],
      security,
    }),
    async (c) => {
      const asker = askerOf(c, signalOf(c));
      return send(c, await calls.list(parseCallsQuery(new URL(c.req.url).search), asker));
    },
  );

  app.get(
    '/v3/calls/:sessionId',
    operation('readCall', 'One call', callOutput, failures(400, 401, 403, 404, 429, 502, 503, 504), {
      parameters: [pathParameter('sessionId', 'sessionId of the call'), ...callsHeaders],
      security,
    }),
    async (c) => {
      const asker = askerOf(c, signalOf(c));
      if (new URL(c.req.url).search !== '') throw badRequest('This operation takes no parameters.');
      return send(c, await calls.get(c.req.param('sessionId'), asker));
    },
  );
}
