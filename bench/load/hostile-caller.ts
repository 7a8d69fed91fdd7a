/**
 * The hostile of two callers, in a process of its own: does one thing as much as it can, within the rights of its key, from a
 * `HostileOrder` until it is told to stop.
 */
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../retrieval/random.ts';
import { createCaller, type Send } from './caller.ts';

export interface HostileOrder {
  readonly url: string;
  readonly key: string;
  readonly address: string;
  readonly namespace: string;
  /** Of the server that serves pages. */
  readonly pagesHost: string;
  readonly behaviour: Behaviour;
}

/** Statuses that came back, by how often. */
export type HostileTold = Readonly<Record<string, number>>;

interface Scene extends Omit<HostileOrder, 'behaviour'> {
  readonly send: Send;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Of this process, so that texts are other ones each time. */
  next(): number;
}

/** Many at once of what does the same again and again. */
interface Flood {
  readonly callers: number;
  readonly once: (scene: Scene) => Promise<unknown>;
  readonly before?: (scene: Scene) => Promise<unknown>;
}

const ingest = '/api/tools/ingestSources';
const generate = '/api/agents/knowledge/generate';
const largeFileBytes = 19_900_000;

const repeated = (text: string, chars: number) => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
const wordsOf = (random: Random, chars: number) => {
  let text = '';
  while (text.length < chars) text += `${random.below(1_000_000).toString(36)} `;
  return text.slice(0, chars);
};
const hundred = <T>(make: (at: number) => T) => Array.from({ length: 100 }, (_, at) => make(at));

/** What takes a reader of Markdown long, each a bit under ten thousand characters. */
const slowTexts = [
  `${'>'.repeat(3_000)} a`,
  repeated('- a\n  - b\n    - c\n', 9_000),
  `${'['.repeat(4_000)}x${']'.repeat(4_000)}`,
  `${'*a_'.repeat(3_000)}`,
  `| ${'a | '.repeat(400)}\n|${' --- |'.repeat(400)}\n${repeated(`|${' b |'.repeat(400)}\n`, 5_000)}`,
  repeated('<b a=i>', 9_000),
  repeated('`', 9_000),
  repeated('# x\n', 9_000),
] as const;

const largeFiles = [
  () => repeated('word ', largeFileBytes),
  () => repeated('## Heading\n\nSome words of a long text, with a [link](https://example.com) and `code`.\n\n', largeFileBytes),
  () => repeated(`|${' cell |'.repeat(50)}\n`, largeFileBytes),
  () => `${'>'.repeat(90)} a\n${repeated('b\n', 5_000_000)}`,
] as const;

async function* formOf(boundary: string, files: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  for (const [at, file] of files.entries()) {
    yield Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large-${at}.md"\r\ncontent-type: text/markdown\r\n\r\n`,
    );
    for (let from = 0; from < file.length; from += 65_536) yield file.subarray(from, from + 65_536);
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

let madeFiles: readonly Buffer[] | undefined;
const longConversation = hundred((at) => ({
  role: at % 2 ? 'assistant' : 'user',
  content: `${at} ${repeated('and what of the other one then ', 9_000)}`,
}));

const ingestTexts = ({ send, namespace, signal }: Scene, texts: readonly string[], wait: boolean) =>
  send(ingest, { json: { namespace, wait, sources: texts.map((text, at) => ({ title: `Large ${at}`, text })) }, signal });

function openRaw({ url, address, signal }: Scene, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket: Socket = connect({ port: Number(port), host: hostname, localAddress: address }, () => socket.write(bytes));
    const end = () => socket.destroy();
    signal.addEventListener('abort', end);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
  });
}

export const behaviours = {
  searches: {
    callers: 16,
    once: ({ send, namespace, random, signal }) =>
      send('/api/tools/searchDocs', { json: { namespace, query: wordsOf(random, 2_000), maxResults: 50, explain: true }, signal }),
  },
  conversations: {
    callers: 8,
    once: ({ send, namespace, signal, next }) => {
      const messages = [...longConversation, { role: 'user', content: `@agent ${repeated(`who was number ${next()} `, 9_000)}` }];
      return send(generate, { json: { messages, toolParams: { namespace } }, signal });
    },
  },
  largeTexts: {
    callers: 4,
    once: (scene) =>
      ingestTexts(
        scene,
        hundred(() => wordsOf(scene.random, 9_900)),
        true,
      ),
  },
  slowTexts: {
    callers: 4,
    once: (scene) =>
      ingestTexts(
        scene,
        hundred((at) => `${slowTexts[at % slowTexts.length]}\n\n${scene.next()}`),
        true,
      ),
  },
  uploads: {
    callers: 4,
    once: ({ send, namespace, signal, next }) => {
      madeFiles ??= Array.from({ length: 10 }, (_, at) => Buffer.from(largeFiles[at % largeFiles.length]?.() ?? ''));
      // Other ones each time.
      for (const file of madeFiles) file.write(String(next()).padStart(12, '0'));
      const boundary = 'b0undary';
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      return send(`/api/namespaces/${namespace}/documents`, { method: 'POST', body: formOf(boundary, madeFiles), headers, signal });
    },
  },
  jobs: {
    callers: 8,
    once: (scene) =>
      ingestTexts(
        scene,
        hundred(() => wordsOf(scene.random, 5_000)),
        false,
      ),
  },
  refreshes: {
    callers: 8,
    before: ({ send, namespace, pagesHost }) =>
      send(ingest, { json: { namespace, sources: hundred((at) => ({ url: `http://${pagesHost}/pages/${at}` })) } }),
    once: ({ send, namespace, signal, next }) => send(`/api/namespaces/${namespace}/refresh`, { json: { wait: next() % 2 === 0 }, signal }),
  },
  streams: {
    callers: 300,
    once: ({ send, namespace, signal }) =>
      send('/api/agents/knowledge/stream', {
        json: { messages: '@agent in what country is Normandy located, told qxslowly?', toolParams: { namespace } },
        signal,
      }),
  },
  mcp: {
    callers: 16,
    once: ({ send, namespace, random, signal, next }) => {
      const call = { name: 'searchDocs', arguments: { namespace, query: wordsOf(random, 2_000), maxResults: 50 } };
      const [method, params] = next() % 2 ? ['tools/call', call] : ['resources/list', {}];
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      return send('/mcp', { json: { jsonrpc: '2.0', id: 1, method, params }, headers, signal });
    },
  },
  feedback: {
    callers: 16,
    once: async ({ send, namespace, signal, random }) => {
      const { body } = await send(generate, { json: { messages: '@agent who was the first of them?', toolParams: { namespace } }, signal });
      const json = { rating: 'down', comment: wordsOf(random, 2_000) };
      for (let at = 0; at < 50; at++) await send(`/api/answers/${body?.runId}/feedback`, { json, signal });
    },
  },
  threads: {
    callers: 16,
    once: ({ send, namespace, signal, next }) =>
      send(generate, {
        json: { messages: '@agent who was the first of them?', toolParams: { namespace }, memory: { thread: `t${next()}`, resource: 'r' } },
        signal,
      }),
  },
  churn: {
    callers: 8,
    once: async ({ send, namespace, signal, random, next }) => {
      const { body } = await send(ingest, {
        json: { namespace, sources: [{ title: `Churn ${next()}`, text: wordsOf(random, 3_000) }] },
        signal,
      });
      const id = body?.results?.[0]?.document?.id;
      if (id) await send(`/api/namespaces/${namespace}/documents/${id}`, { method: 'DELETE', signal });
    },
  },
  halfOpen: {
    callers: 500,
    once: (scene) =>
      openRaw(
        scene,
        scene.next() % 2
          ? 'POST /api/tools/searchDocs HTTP/1.1\r\nhost: x\r\n'
          : `POST /api/tools/searchDocs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.key}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{`,
      ),
  },
  calls: {
    callers: 8,
    once: ({ send, signal, next }) =>
      send(`/v3/calls/summary?by=day,type,status,user&timeZone=${next() % 2 ? 'Asia/Tokyo' : 'Europe/Berlin'}`, { signal }),
  },
  listings: {
    callers: 16,
    once: ({ send, namespace, signal, next }) =>
      send(`/api/namespaces/${namespace}/documents?perPage=500&page=${1 + (next() % 5)}&query=e`, { signal }),
  },
} satisfies Readonly<Record<string, Flood>>;
export type Behaviour = keyof typeof behaviours;

async function flood(order: HostileOrder, until: AbortController): Promise<HostileTold> {
  const { callers, once, before }: Flood = behaviours[order.behaviour];
  const told: Record<string, number> = {};
  let count = 0;
  const { send: sendAny, close } = createCaller(order);
  const send: Send = async (path, sent) => {
    const reply = await sendAny(path, sent);
    told[reply.status] = (told[reply.status] ?? 0) + 1;
    return reply;
  };
  const { signal } = until;
  const scene: Scene = { ...order, send, random: createRandom(Date.now() % 1_000_000), signal, next: () => ++count };
  await before?.(scene);
  process.send?.('ready');
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (!signal.aborted)
        await once(scene).catch(async () => {
          if (!signal.aborted) told['no answer'] = (told['no answer'] ?? 0) + 1;
          await sleep(20);
        });
    }),
  );
  await close();
  return told;
}

if (process.argv[1] === import.meta.filename) {
  // It would be on a machine of its own.
  setPriority(constants.priority.PRIORITY_LOW);
  let until = new AbortController();
  process.on('message', async (asked: HostileOrder | 'stop') => {
    if (asked === 'stop') return until.abort();
    until = new AbortController();
    process.send?.(await flood(asked, until));
  });
}
