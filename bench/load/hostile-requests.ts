/**
 * Hostile requests, one at a time, of each kind that a public server sees. Each ends on its own and
 * throws on a forbidden response.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { FormData } from 'undici';
import { attacks } from '../../test/support/attacks.ts';
import { hostilePdfs } from '../../test/support/pdf-files.ts';
import type { Random } from '../retrieval/random.ts';
import type { Reply, Send } from './caller.ts';

export interface HostileOptions {
  readonly url: string;
  /** Sender with a key, and one without. */
  readonly send: Send;
  readonly sendOpen: Send;
  readonly key: string;
  readonly namespace: string;
  readonly random: Random;
}

const json = { 'content-type': 'application/json' };
const heldOpenMs = 20_000;
const byteEveryMs = 1_000;
const encoder = new TextEncoder();
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @throws Error for any other status */
function expectOneOf(reply: Reply, ...statuses: number[]): void {
  if (!statuses.includes(reply.status))
    throw new Error(`${reply.status} ${reply.body?.code ?? ''}, expected ${statuses.join(' or ')}`);
}

/**
 * Sends bytes and keeps the connection open, optionally sending one more byte per second. @returns
 * the first line of the response
 */
function sendRaw(
  url: string,
  bytes: string,
  drip: string | undefined,
  ms: number,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const dripping = setInterval(() => drip && socket.writable && socket.write(drip), byteEveryMs);
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on('data', (part) => {
      answer += part.toString('latin1').slice(0, 100);
      if (drip === undefined) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripping);
      clearTimeout(timer);
      resolve(answer.split('\r\n')[0] ?? '');
    });
  });
}

const paths = [
  '/api/namespaces/../../etc/passwd',
  '/api/namespaces/%2e%2e%2f%2e%2e%2fetc/documents',
  '/api/namespaces/..%2f..%2f/documents/..%2f..%2fetc%2fpasswd',
  '/assets/../../package.json',
  '/swagger-ui/..%5c..%5cpackage.json',
  '//etc/passwd',
  '/api/answers/%00',
  `/${'a/'.repeat(2_000)}`,
  '/api/tools/searchDocs/%ff%fe',
];
const files = [
  ...Object.values(attacks).map((text) => ({ name: 'attack.md', bytes: Buffer.from(text) })),
  ...hostilePdfs
    .slice(0, 8)
    .map(({ make }) => ({ name: 'hostile.pdf', bytes: Buffer.from(make()) })),
  { name: 'nested.html', bytes: Buffer.from(`<html><body>${'<div>'.repeat(20_000)}`) },
  { name: 'deep.json', bytes: Buffer.from('['.repeat(200_000)) },
  { name: 'quotes.md', bytes: Buffer.from(`${'>'.repeat(2_000)} a\n`) },
];

export function hostileKinds({ url, send, sendOpen, key, namespace, random }: HostileOptions) {
  const search = '/api/tools/searchDocs';
  const authorization = `authorization: Bearer ${key}\r\n`;
  return {
    badJson: async () =>
      expectOneOf(await send(search, { method: 'POST', body: '{"query": "x', headers: json }), 400),
    megabyte: async () =>
      expectOneOf(
        await send(search, { json: { namespace, query: 'refund '.repeat(149_000) } }),
        400,
        413,
      ),
    deep: async () =>
      expectOneOf(
        await send(search, {
          method: 'POST',
          body: `{"query":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
          headers: json,
        }),
        400,
      ),
    manyFields: async () =>
      expectOneOf(
        await send(search, {
          json: {
            namespace,
            query: 'x',
            ...Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, at])),
          },
        }),
        200,
        400,
      ),
    hugeQuery: async () =>
      expectOneOf(
        await send(search, {
          json: {
            namespace,
            query: Array.from({ length: 330 }, () => `w${random.below(9_999)}`)
              .join(' ')
              .slice(0, 2_000),
            maxResults: 50,
          },
        }),
        200,
      ),
    unauthenticated: async () => expectOneOf(await sendOpen('/api/namespaces'), 401, 429),
    forgedToken: async () => {
      const none = `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded({ sub: 'root', exp: 9_999_999_999 })}.`;
      const wrong = await new SignJWT({ scope: 'admin' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('5m')
        .sign(encoder.encode('wrong-secret-of-some-length-anyhow'));
      expectOneOf(
        await sendOpen('/api/gaps', {
          headers: { authorization: `Bearer ${random.pick([none, wrong])}` },
        }),
        401,
        429,
      );
    },
    slowBody: async () => {
      const head = `POST ${search} HTTP/1.1\r\nhost: x\r\n${authorization}content-type: application/json\r\ncontent-length: 500\r\n\r\n{`;
      await sendRaw(url, head, ' ', heldOpenMs);
    },
    silent: async () => {
      await sendRaw(url, '', '', heldOpenMs);
    },
    halfHead: async () => {
      await sendRaw(url, `GET /api/state HTTP/1.1\r\n${authorization}x-`, 'a', heldOpenMs);
    },
    leftStream: async () => {
      const leave = AbortSignal.timeout(10 + random.below(60));
      const asked = {
        messages: '@agent who was the first of them, told qxslowly?',
        toolParams: { namespace },
      };
      const reply = await send('/api/agents/knowledge/stream', {
        json: asked,
        signal: leave,
      }).catch(() => undefined);
      if (reply) expectOneOf(reply, 200, 429, 503);
    },
    path: async () => {
      const line = await sendRaw(
        url,
        `GET ${random.pick(paths)} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}connection: close\r\n\r\n`,
        undefined,
        heldOpenMs,
      );
      if (!/^HTTP\/1\.1 4\d\d/.test(line)) throw new Error(`a path was answered with ${line}`);
    },
    notHttp: async () => {
      await sendRaw(url, '\u0016\u0003\u0001\u0002\0\u0001\0', undefined, 2_000);
    },
    file: async () => {
      const { name, bytes } = random.pick(files);
      const form = new FormData();
      form.append('file', new File([new Uint8Array(bytes)], name));
      expectOneOf(
        await send(`/api/namespaces/${namespace}/documents`, { method: 'POST', body: form }),
        200,
        422,
        429,
        503,
      );
    },
    manySources: async () => {
      const sources = Array.from({ length: 100 }, (_, at) => ({
        title: `Many ${at}`,
        text: `Text ${random.below(2)} of ${at}.`,
      }));
      expectOneOf(
        await send('/api/tools/ingestSources', { json: { namespace, sources } }),
        200,
        429,
        503,
      );
    },
    foreign: async () => {
      expectOneOf(await send(search, { json: { namespace: 'bench', query: 'refund' } }), 404);
      await sleep(1);
    },
  };
}
