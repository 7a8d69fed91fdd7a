/**
 * `POST /v3/webhooks/calls`: where the calling platform tells what happens to calls. Basic auth of its own, because the platform can send
 * nothing else; never open. What it sends and we do not know is acknowledged, because it would only send it again. Errors are in the
 * envelope of `/v3`.
 */
import type { Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { badRequest, CallsError } from '../../calls/errors.ts';
import type { AppEnv } from '../auth/caller.ts';
import { type BasicCredentials, hasBasic } from '../auth/webhook-credentials.ts';
import { serve } from '../operation.ts';

export const callWebhooksPath = '/v3/webhooks/calls';

export interface CallWebhooks {
  readonly credentials: BasicCredentials;
  apply(payload: unknown): Promise<'applied' | 'unchanged' | 'ignored'>;
}

/** An event of a meeting with a thousand participants takes some 100 kB. */
const maxEventBytes = 1024 * 1024;

const limited = bodyLimit({
  maxSize: maxEventBytes,
  onError: () => {
    throw new CallsError('ERR_BAD_REQUEST', `The body of a webhook is at most ${maxEventBytes} bytes.`, { status: 413 });
  },
});

const noAccess = (status: 401 | 403, message: string) => new CallsError('AUTH_ERR_NO_ACCESS', message, { status });

const output = z.object({ data: z.object({ status: z.enum(['applied', 'unchanged', 'ignored']) }) });
const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object' as const } } } };

export function addCallWebhooks(app: Hono<AppEnv>, { credentials, apply }: CallWebhooks): void {
  const authenticated: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (credentials.user === '' || credentials.password === '')
      throw noAccess(403, 'Call webhooks are off: CALLS_WEBHOOK_USER and CALLS_WEBHOOK_PASSWORD are not set.');
    if (await hasBasic(c.req.raw, credentials)) return limited(c, next);
    c.header('www-authenticate', 'Basic realm="calls"');
    throw noAccess(401, 'The user or the password of this webhook is wrong.');
  };

  serve(app, 'receiveCallEvent', { output, requestBody, before: authenticated }, async (c) => {
    const payload: unknown = await c.req.json().catch((error: unknown) => {
      throw badRequest('The body is not valid JSON.', error);
    });
    const status = await apply(payload).catch((error: unknown) => {
      // Not acknowledged, so the platform sends it again.
      throw new CallsError('ERR_INTERNAL', 'The event could not be kept; send it again.', { status: 500, cause: error });
    });
    return c.json({ data: { status } });
  });
}
