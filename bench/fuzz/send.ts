/** Sends a request byte by byte and reads the response, with limits on time and bytes. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { FuzzRequest } from './requests.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Response text; invalid UTF-8 bytes are kept, so that searches for secrets find them. */
  readonly text: string;
  readonly ms: number;
  /** Whether the response was read to its end. */
  readonly isWhole: boolean;
}
/** No response: the connection was closed, or the request timed out. */
export interface NoAnswer {
  readonly closed?: string;
  readonly isLate?: boolean;
}

/** Maximum bytes of a response. */
const maxBytes = 30_000_000;
/** Milliseconds after which an open stream is abandoned. */
const streamMs = 10_000;
const answerMs = 60_000;
/** Milliseconds to wait with an incomplete body before closing the connection. */
const cutMs = 60;

export const createAgent = (connections: number) =>
  new Agent({ keepAlive: true, maxSockets: connections * 2 });

const isStream = ({ headers }: IncomingMessage) =>
  /event-stream|x-vercel|text\/plain/.test(headers['content-type'] ?? '');

async function readWhole(response: IncomingMessage): Promise<Pick<Answer, 'text' | 'isWhole'>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const over = setTimeout(() => response.destroy(), isStream(response) ? streamMs : answerMs);
  try {
    for await (const part of response) {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxBytes) break;
    }
    return { text: Buffer.concat(parts).toString(), isWhole: bytes <= maxBytes };
  } catch {
    return { text: Buffer.concat(parts).toString(), isWhole: false };
  } finally {
    clearTimeout(over);
  }
}

/**
 * Sends once more if a kept-alive connection closed during the request, as clients do (RFC 9112,
 * section 9.3.1).
 */
export async function send(
  base: string,
  request: FuzzRequest,
  agent: Agent,
): Promise<Answer | NoAnswer> {
  const answer = await sendOnce(base, request, agent);
  return 'isStale' in answer ? sendOnce(base, request, false) : answer;
}

function sendOnce(
  base: string,
  request: FuzzRequest,
  agent: Agent | false,
): Promise<Answer | (NoAnswer & { isStale?: true })> {
  const { hostname, port } = new URL(base);
  const { method, path, headers, body } = request;
  const isCut = body?.cutAt !== undefined;
  const length =
    body && !body.isChunked && !('content-length' in headers)
      ? { 'content-length': String(body.bytes.length) }
      : {};
  const started = performance.now();
  return new Promise((resolve) => {
    let outgoing: ReturnType<typeof httpRequest>;
    try {
      // Headers cannot contain characters beyond Latin-1.
      const plain = Object.entries(headers).map(
        ([name, value]) => [name, Buffer.from(value).toString('latin1')] as const,
      );
      const alone = isCut || 'connection' in headers || 'content-length' in headers;
      const options = {
        hostname,
        port,
        method,
        path,
        headers: { ...Object.fromEntries(plain), ...length },
        setHost: !('host' in headers),
      };
      outgoing = httpRequest({ ...options, agent: alone ? false : agent });
    } catch (error) {
      // Node refuses to send it.
      resolve({ closed: `not sent: ${(error as Error).message}` });
      return;
    }
    const late = setTimeout(() => {
      resolve({ isLate: true });
      outgoing.destroy();
    }, answerMs);
    const settle = (answer: Answer | (NoAnswer & { isStale?: true })) => {
      clearTimeout(late);
      resolve(answer);
    };
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      settle({ closed: error.message, ...(isStale ? { isStale } : {}) });
    });
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      settle({ closed: 'upgraded' });
    });
    outgoing.on('response', async (response) => {
      const read = await readWhole(response);
      settle({
        status: response.statusCode ?? 0,
        headers: response.headers,
        ...read,
        ms: performance.now() - started,
      });
      if (isCut) outgoing.destroy();
    });
    if (body?.isChunked) outgoing.useChunkedEncodingByDefault = true;
    const bytes = body?.bytes.subarray(0, body.cutAt) ?? Buffer.alloc(0);
    if (!isCut && !('content-length' in headers)) {
      outgoing.end(bytes);
      return;
    }
    outgoing.write(bytes.length > 0 ? bytes : ' ');
    setTimeout(() => outgoing.destroy(), cutMs);
  });
}
