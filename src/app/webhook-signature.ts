import { createHmac } from 'node:crypto';

/** What a webhook of Standard Webhooks (https://www.standardwebhooks.com) is signed with, both ways: of its id, its time and its body. */
export const webhookDigest = (id: string, timestamp: string, body: string | Uint8Array, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
