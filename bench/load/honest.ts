/**
 * Valid requests of each kind; each checks its response. Stored data is deleted again, so a server
 * under load for hours holds as much at the end as at the beginning.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FormData } from 'undici';
import type { Random } from '../retrieval/random.ts';
import type { Reply, Send } from './caller.ts';

export interface HonestOptions {
  readonly sends: readonly Send[];
  readonly namespace: string;
  readonly questions: readonly string[];
  readonly random: Random;
  /** Prefix of names, unique in the run. */
  readonly name: string;
}

interface OwnDocument {
  readonly id: string;
  readonly title: string;
  text: string;
}

/** Turns of a thread; the server deletes them with the documents that they cite. */
interface ThreadTurns {
  readonly send: Send;
  readonly documents: ReadonlySet<string>;
}

/** Response that differs from the expected one. */
export class UnexpectedResponse extends Error {}

const keptRuns = 400;
const keptJobs = 20;
const maxOwnThreads = 100;
const jobPollMs = 50;
const syllables = [...'bdfgklmnprstvz'].flatMap((consonant) =>
  [...'aeiou'].map((vowel) => consonant + vowel),
);

function expectStatus(reply: Reply, status = 200): Reply {
  if (reply.status !== status)
    throw new UnexpectedResponse(
      `${reply.status} ${reply.body?.code ?? reply.body?.error?.code ?? ''}`.trim(),
    );
  return reply;
}

const documentsIn = (answer: unknown): Set<string> =>
  new Set([...JSON.stringify(answer).matchAll(/"documentId":"(\w+)"/g)].map(([, id = '']) => id));

function expectTrue(isSo: boolean, what: string): void {
  if (!isSo) throw new UnexpectedResponse(what);
}

export class Honest {
  readonly #options: HonestOptions;
  /** Documents that no request uses. */
  readonly #idle: OwnDocument[] = [];
  /** Stored documents that were not deleted, by id. */
  readonly documents = new Map<string, OwnDocument>();
  runs: (ThreadTurns & { readonly runId: string })[] = [];
  readonly threads = new Map<string, ThreadTurns & { readonly thread: string }>();
  readonly jobs: { readonly send: Send; readonly id: string }[] = [];
  #known: string[] = [];
  #number = 0;

  constructor(options: HonestOptions) {
    this.#options = options;
  }

  readonly kinds = {
    search: async (send: Send) => {
      const { body } = expectStatus(
        await send('/api/tools/searchDocs', {
          json: { namespace: this.#namespace, query: this.#question() },
        }),
      );
      expectTrue(Array.isArray(body.results), 'no results');
    },
    ask: async (send: Send) => {
      const { body } = expectStatus(
        await send('/api/agents/knowledge/generate', { json: this.#asked() }),
      );
      expectTrue(body.text.length > 0, 'an answer without text');
      if (body.answered) this.#keepRun({ send, runId: body.runId, documents: documentsIn(body) });
    },
    askInThread: async (send: Send) => {
      const thread = `${this.#options.name}-${this.#options.random.below(maxOwnThreads)}`;
      const memory = { thread, resource: 'ann' };
      const { body } = expectStatus(
        await send('/api/agents/knowledge/generate', { json: { ...this.#asked(), memory } }),
      );
      // Each sender has its own threads, even with equal names.
      const key = `${this.#options.sends.indexOf(send)} ${thread}`;
      const documents = documentsIn(body).union(
        this.threads.get(key)?.documents ?? new Set<string>(),
      );
      this.threads.set(key, { send, thread, documents });
    },
    stream: async (send: Send) => {
      const { text } = expectStatus(
        await send('/api/agents/knowledge/stream', { json: this.#asked() }),
      );
      expectTrue(
        text.includes('"type":"finish"') && text.trimEnd().endsWith('[DONE]'),
        'a stream without an end',
      );
      expectTrue(!text.includes('"type":"error"'), 'a stream with an error');
    },
    streamOpenai: async (send: Send) => {
      const messages = [{ role: 'user', content: this.#question() }];
      const json = { model: `knowledge/${this.#namespace}`, stream: true, messages };
      const { text } = expectStatus(await send('/v1/chat/completions', { json }));
      expectTrue(
        text.trimEnd().endsWith('[DONE]') && !text.includes('"error"'),
        'a stream without an end',
      );
    },
    list: async (send: Send) => {
      const page = 1 + this.#options.random.below(5);
      const { body } = expectStatus(
        await send(`/api/namespaces/${this.#namespace}/documents?page=${page}&perPage=50`),
      );
      this.#known = [
        ...this.#known.slice(-200),
        ...body.documents.map(({ id }: { id: string }) => id),
      ].filter((id) => !this.documents.has(id));
    },
    read: async (send: Send) => {
      const id = this.#options.random.pick(this.#known);
      if (id === undefined) return this.kinds.list(send);
      expectStatus(await send(`/api/namespaces/${this.#namespace}/documents/${id}`));
    },
    add: async (send: Send) => {
      const title = `Note ${this.#options.name} ${++this.#number}`;
      await this.#ingest(send, { title, text: this.#text() }, 'added');
    },
    change: (send: Send) =>
      this.#withOwn(send, (own) =>
        this.#ingest(send, { title: own.title, text: this.#text() }, 'updated'),
      ),
    repeat: (send: Send) => this.#withOwn(send, (own) => this.#ingest(send, own, 'unchanged')),
    remove: (send: Send) =>
      this.#withOwn(send, async ({ id }) => {
        expectStatus(
          await send(`/api/namespaces/${this.#namespace}/documents/${id}`, { method: 'DELETE' }),
        );
        this.#forget(id);
      }),
    upload: async (send: Send) => {
      const form = new FormData();
      const title = `upload ${this.#options.name} ${++this.#number}.md`;
      const text = `# ${title}\n\n${this.#text()}`;
      form.append('file', new File([text], title, { type: 'text/markdown' }));
      const { body } = expectStatus(
        await send(`/api/namespaces/${this.#namespace}/documents`, { method: 'POST', body: form }),
      );
      expectTrue(
        body.added === 1,
        `an upload that is ${body.results?.[0]?.error?.code ?? body.results?.[0]?.status}`,
      );
      // Keyed by its file: a text of the same title would be another document.
      this.documents.set(body.results[0].document.id, {
        id: body.results[0].document.id,
        title: '',
        text,
      });
    },
    removeUpload: async (send: Send) => {
      const own = [...this.documents.values()].find(({ title }) => title === '');
      if (!own) return this.kinds.upload(send);
      this.#forget(own.id);
      expectStatus(
        await send(`/api/namespaces/${this.#namespace}/documents/${own.id}`, { method: 'DELETE' }),
      );
    },
    job: async (send: Send) => {
      const title = `Job ${this.#options.name} ${this.#number++ % 50}`;
      const sources = [{ title, text: this.#text() }];
      const { body } = expectStatus(
        await send('/api/tools/ingestSources', {
          json: { namespace: this.#namespace, sources, wait: false },
        }),
        202,
      );
      const id = body.job?.id ?? body.id;
      this.jobs.push({ send, id });
      if (this.jobs.length > keptJobs) this.jobs.shift();
      for (;;) {
        const { body: job } = expectStatus(await send(`/api/jobs/${id}`));
        if (job.status === 'completed') return;
        expectTrue(
          ['queued', 'waiting', 'running'].includes(job.status),
          `a job that is ${job.status}`,
        );
        await sleep(jobPollMs);
      }
    },
    feedback: async (send: Send) => {
      const run = this.runs.at(-1 - this.#options.random.below(Math.min(20, this.runs.length)));
      if (!run) return this.kinds.ask(send);
      expectStatus(
        await run.send(`/api/answers/${run.runId}/feedback`, {
          json: { rating: 'up', comment: 'helped' },
        }),
      );
    },
    calls: async (send: Send) => {
      expectStatus(
        await send(`/v3/calls?perPage=20&page=${1 + this.#options.random.below(20)}&status=ended`),
      );
    },
    mcp: async (send: Send) => {
      const params = {
        name: 'searchDocs',
        arguments: { namespace: this.#namespace, query: this.#question() },
      };
      const { text } = expectStatus(
        await send('/mcp', {
          json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
          headers: {
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2025-06-18',
          },
        }),
      );
      expectTrue(text.includes('structuredContent'), 'MCP without a result');
    },
    state: async (send: Send) => {
      expectStatus(await send('/api/state'));
    },
    listThreads: async (send: Send) => {
      expectStatus(await send('/api/memory/threads?perPage=20'));
    },
  };

  get #namespace(): string {
    return this.#options.namespace;
  }

  #question(): string {
    return this.#options.random.pick(this.#options.questions);
  }

  #asked() {
    return {
      messages: [{ role: 'user', content: `@agent ${this.#question()}` }],
      toolParams: { namespace: this.#namespace },
    };
  }

  /** Text of words that occur in no question. */
  #text(): string {
    const { random } = this.#options;
    const word = () => Array.from({ length: 2 }, () => random.pick(syllables)).join('');
    const sentence = () => `The ${Array.from({ length: 12 }, word).join(' ')}.`;
    return Array.from({ length: 3 + random.below(15) }, sentence).join(' ');
  }

  #forget(id: string): void {
    this.documents.delete(id);
    this.runs = this.runs.filter(({ documents }) => !documents.has(id));
    for (const [key, { documents }] of this.threads)
      if (documents.has(id)) this.threads.delete(key);
  }

  #keepRun(run: Honest['runs'][number]): void {
    this.runs.push(run);
    if (this.runs.length > keptRuns) this.runs.shift();
  }

  async #ingest(
    send: Send,
    { title, text }: Pick<OwnDocument, 'title' | 'text'>,
    expected: 'added' | 'updated' | 'unchanged',
  ): Promise<void> {
    const { body } = expectStatus(
      await send('/api/tools/ingestSources', {
        json: { namespace: this.#namespace, sources: [{ title, text }] },
      }),
    );
    expectTrue(
      body[expected] === 1,
      `not ${expected} but ${body.results?.[0]?.error?.code ?? body.results?.[0]?.status}`,
    );
    const { id } = body.results[0].document;
    const own = this.documents.get(id) ?? { id, title, text };
    own.text = text;
    this.documents.set(id, own);
    if (expected === 'added') this.#idle.push(own);
  }

  async #withOwn(send: Send, work: (own: OwnDocument) => Promise<void>): Promise<void> {
    const [own] = this.#idle.splice(this.#options.random.below(this.#idle.length), 1);
    if (!own) return this.kinds.add(send);
    await work(own);
    if (this.documents.has(own.id)) this.#idle.push(own);
  }
}

export type HonestKind = keyof Honest['kinds'];

export function createDraw<Name extends string>(
  weights: Readonly<Partial<Record<Name, number>>>,
  random: Random,
): () => Name {
  const names = Object.keys(weights) as Name[];
  const all = names.flatMap((name) => Array.from({ length: weights[name] ?? 0 }, () => name));
  return () => random.pick(all);
}
