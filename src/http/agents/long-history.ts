/**
 * Removes the oldest messages of oversized conversations. Works on bytes, because parsing the whole
 * body would block the event loop.
 */
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import type { Middleware } from '../auth/caller.ts';
import { limitBody } from '../operation.ts';

const historyFactor = 8;

/** Start of the list of messages, under the field names of all dialects. */
const historyField = /^(?:messages|input)"\s{0,9}:\s{0,9}\[/;
const longestField = 32;

const [quote, backslash, comma] = Buffer.from('"\\,');
const nesting = new Int8Array(256);
for (const open of Buffer.from('{[')) nesting[open] = 1;
for (const close of Buffer.from('}]')) nesting[close] = -1;

function endOfString(body: Buffer, at: number) {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}

/**
 * Walks over JSON from a position of depth 0 until `find` returns a place. @param find gets each
 * position outside of strings, its depth, and the end of a string that begins there
 */
async function walk(
  body: Buffer,
  from: number,
  find: (at: number, depth: number, end: number) => number | undefined,
) {
  const slicer = new TimeSlicer();
  let depth = 0;
  for (let at = from; at < body.length && depth >= 0; at++) {
    const byte = body[at] ?? 0;
    const end = byte === quote ? endOfString(body, at) : at;
    const found = find(at, depth, end);
    if (found !== undefined) return found;
    depth += nesting[byte] ?? 0;
    if (byte === quote) await slicer.pause();
    at = end;
  }
  return undefined;
}

const startOfHistory = (body: Buffer) =>
  walk(body, 0, (at, depth, end) => {
    if (body[at] !== quote || depth !== 1 || end - at >= longestField / 2) return undefined;
    const [field] = historyField.exec(body.toString('latin1', at + 1, at + longestField)) ?? [];
    return field === undefined ? undefined : at + 1 + field.length;
  });

const startOfRecent = (body: Buffer, start: number, excess: number) =>
  walk(body, start, (at, depth) =>
    depth === 0 && body[at] === comma && at + 1 - start >= excess ? at + 1 : undefined,
  );

/**
 * Removes the oldest messages of a JSON body until it fits. @returns the same bytes if they fit, or
 * if cutting is not enough
 */
export async function cutHistory(body: Buffer, maxBytes: number): Promise<Buffer> {
  if (body.length <= maxBytes) return body;
  const start = await startOfHistory(body);
  const recent =
    start === undefined ? undefined : await startOfRecent(body, start, body.length - maxBytes);
  return recent === undefined
    ? body
    : Buffer.concat([body.subarray(0, start), body.subarray(recent)]);
}

/** Accepts bodies of up to 8 × MAX_BODY_BYTES and cuts them to MAX_BODY_BYTES. */
export function acceptLongHistories(maxBodyBytes: number): Middleware {
  const limit = limitBody(historyFactor * maxBodyBytes);
  return (c, next) =>
    limit(c, async () => {
      if (!c.req.raw.body || Number(c.req.header('content-length')) <= maxBodyBytes) return next();
      const body = await cutHistory(Buffer.from(await c.req.raw.arrayBuffer()), maxBodyBytes);
      const headers = new Headers(c.req.raw.headers);
      headers.set('content-length', String(body.length));
      c.req.raw = new Request(c.req.raw, { body, headers });
      return next();
    });
}
