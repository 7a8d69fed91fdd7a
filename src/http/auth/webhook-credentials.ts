/**
 * Credentials of webhooks: Basic auth, or a signature (https://www.standardwebhooks.com, "Verifying
 * webhook authenticity").
 */
import { timingSafeEqual as sameBytes } from 'node:crypto';
import { auth } from 'hono/utils/basic-auth';
import { timingSafeEqual as sameText } from 'hono/utils/buffer';
import { webhookDigest } from '../../ingest/fetch/retried-post.ts';

/** Whether the request has this password (Basic auth, any user name). */
export async function hasPassword(request: Request, password: string | undefined) {
  const given = auth(request);
  return given !== undefined && password !== undefined && sameText(given.password, password);
}

/** Maximum clock difference. A captured request can be replayed within this time. */
const toleranceSeconds = 300;
/** A sender signs with two secrets while it rotates them. */
const maxSignatures = 10;

type SignatureHeaders = Readonly<{ id: string; timestamp: string; signature: string }>;

export function readSignature(headers: Headers): SignatureHeaders | undefined {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
    (name) => headers.get(`webhook-${name}`)?.trim() || undefined,
  );
  return id === undefined || timestamp === undefined || signature === undefined
    ? undefined
    : { id, timestamp, signature };
}

/** Whether the timestamp is within five minutes of `nowMs`. */
export function isTimely({ timestamp }: SignatureHeaders, nowMs: number): boolean {
  return (
    /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceSeconds
  );
}

export function isSigned(
  { id, timestamp, signature }: SignatureHeaders,
  body: Uint8Array,
  key: Uint8Array,
): boolean {
  const expected = webhookDigest(id, timestamp, body, key);
  const given = signature.split(/\s+/).slice(0, maxSignatures);
  return given.some((one) => {
    const bytes = Buffer.from(/^v1,(.+)$/.exec(one)?.[1] ?? '', 'base64');
    return bytes.length === expected.length && sameBytes(bytes, expected);
  });
}
