/**
 * `POST /v3/webhooks/calls`: where the calling platform tells what happens to calls. Basic auth of its own, because the platform can send
 * nothing else; never open. What it sends and we do not know is acknowledged, because it would only send it again. Errors are in the
 * envelope of `/v3`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { AppEnv } from '../auth/caller.ts';
import { serve } from '../operation.ts';

export const callWebhooksPath = '/v3/webhooks/calls';

export interface CallWebhooks {
  /** What the platform was told to send; with either of them empty every request is refused. */
  readonly credentials: { readonly user: string; readonly password: string };
  /** The body of an event, whatever it is. */
  apply(payload: unknown): Promise<'applied' | 'unchanged' | 'ignored'>;
}

/** An event of a meeting with a thousand participants takes some 100 kB. */
const maxEventBytes = 1024 * 1024;

const digest = (text: string) => createHash('sha256').update(text).digest();

type Status = 400 | 401 | 403 | 413 | 500;
const refuse = (c: Context<AppEnv>, status: Status, code: string, message: string) => c.json({ error: { code, message } }, status);

function presented(authorization: string | undefined): string {
  const encoded = /^basic\s+([a-z0-9+/=_-]+)\s*$/i.exec(authorization ?? '')?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
}

const output = z.object({ data: z.object({ status: z.enum(['applied', 'unchanged', 'ignored']) }) });
const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object' as const } } } };

export function addCallWebhooks(app: Hono<AppEnv>, { credentials, apply }: CallWebhooks): void {
  const { user, password } = credentials;
  const wanted = user === '' || password === '' ? undefined : digest(`${user}:${password}`);
  const limited = bodyLimit({
    maxSize: maxEventBytes,
    onError: (c) => refuse(c, 413, 'ERR_BAD_REQUEST', `The body of a webhook is at most ${maxEventBytes} bytes.`),
  });
  const authenticated: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (!wanted)
      return refuse(c, 403, 'AUTH_ERR_NO_ACCESS', 'Call webhooks are off: CALLS_WEBHOOK_USER and CALLS_WEBHOOK_PASSWORD are not set.');
    // Hashes are of one length, so comparing them says nothing of where they differ.
    if (timingSafeEqual(digest(presented(c.req.header('authorization'))), wanted)) return limited(c, next);
    c.header('www-authenticate', 'Basic realm="calls"');
    return refuse(c, 401, 'AUTH_ERR_NO_ACCESS', 'The user or the password of this webhook is wrong.');
  };

  serve(app, 'receiveCallEvent', { output, requestBody, before: authenticated }, async (c) => {
    let payload: unknown;
    try {
      payload = JSON.parse(await c.req.text());
    } catch {
      return refuse(c, 400, 'ERR_BAD_REQUEST', 'The body is not valid JSON.');
    }
    try {
      return c.json({ data: { status: await apply(payload) } });
    } catch (error) {
      // Not acknowledged, so the platform sends it again.
      c.get('logger').error({ err: error, requestId: c.get('requestId') }, 'a call event could not be kept');
      return refuse(c, 500, 'ERR_INTERNAL', 'The event could not be kept; send it again.');
    }
  });
}
