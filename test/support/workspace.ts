/** Temporary folders, and the whole service in this process, composed like in `npm start`. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { createParserProcess } from '../../packages/converters/src/parse.ts';
import { type Config, parseConfig } from '../../src/config.ts';
import type { Replacements } from '../../src/context.ts';
import { Context } from '../../src/context.ts';
import { createApp } from '../../src/http/app.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { type Posts, postsBy } from './server-process.ts';
import { forFile, whenDone } from './when-done.ts';

/**
 * Parser process that all tests share, so that its startup does not count against a source's
 * deadline. Parses in order.
 */
export const parseInProcess = createParserProcess({ timeoutMs: 120_000, maxProcesses: 1 });

/** Creates a folder that is deleted after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-agent-'));
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Settings of a server whose folders are in this one. */
export const foldersIn = (folder: string) => ({
  KNOWLEDGE_DIR: join(folder, 'knowledge'),
  INDEX_DIR: join(folder, 'index'),
});

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Names and bytes of all files in a folder. */
export const everythingIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
    .join('\n');

type Parts = Pick<Context, keyof Context>;

type Sent = Record<string, string>;
/** A body that is not JSON is a string. */
type Read = Promise<{ status: number; body: any; headers: Headers }>;

export interface TestService extends Parts, Posts<Sent, Read> {
  readonly folder: string;
  readonly knowledgeDir: string;
  /** Sends JSON to the app without a socket. */
  post(path: string, body: unknown, headers?: Sent): Read;
  get(path: string, headers?: Sent): Read;
  /** Sends JSON and returns the response unread. */
  send(path: string, body: unknown, headers?: Sent): Promise<Response>;
  delete(path: string, headers?: Sent): Read;
  /** Sends a raw request, for bodies that are not JSON. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Reads the stored file of a document. */
  storedText(namespace: string, file: string): Promise<string>;
}

/** @param files documents to write first, by path below the knowledge folder */
export async function startService(
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<TestService> {
  const folder = await temporaryFolder();
  const knowledgeDir = join(folder, 'knowledge');
  await writeFiles(knowledgeDir, files);
  const parsed = parseConfig({
    ...foldersIn(folder),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  });
  // Most tests need one request an answer, and none a trial of the model that checks.
  const isOneRequest = !('ANSWER_EFFORT' in settings) && !('JUDGE_MODEL' in settings);
  const config: Config = {
    ...parsed,
    ...(isOneRequest && { answerEffort: 'quick' as const }),
    judgeProbe: settings['JUDGE_PROBE'] === 'on',
  };
  // A busy machine may take long for a source: only tests of the deadline set a short one.
  const parts = new Context(config, { parseInProcess, sourceTimeoutMs: 600_000, ...replacements });
  whenDone(() => parts.close());
  await parts.open();
  const app = createApp(config, parts.api, parts.logger);
  const read = async (response: Response) => {
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body };
  };
  const send: TestService['send'] = async (path, body, headers) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const post: TestService['post'] = async (path, body, headers) =>
    read(await send(path, body, headers));
  return {
    ...parts,
    folder,
    knowledgeDir,
    send,
    post,
    ...postsBy(post),
    get: async (path, headers = {}) => read(await app.request(path, { headers })),
    delete: async (path, headers = {}) =>
      read(await app.request(path, { method: 'DELETE', headers })),
    request: async (path, init) => app.request(path, init),
    storedText: (namespace, file) => readFile(join(knowledgeDir, namespace, file), 'utf8'),
  };
}

/** Composes the parts again on the folders of an ended service, like its next start. */
export function reopened(
  { knowledgeDir, folder }: TestService,
  settings: Record<string, string> = {},
): Parts {
  const folders = {
    KNOWLEDGE_DIR: knowledgeDir,
    INDEX_DIR: join(folder, 'index'),
    LOG_LEVEL: 'silent',
  };
  const again = new Context(parseConfig({ ...folders, ...settings }), { parseInProcess });
  whenDone(() => again.close());
  return again;
}

/**
 * Starts one service for all tests of the enclosing block. They must not change anything that
 * another test sees.
 */
export function useService(...started: Parameters<typeof startService>): () => TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(...started);
  });
  return () => service;
}

const shared = new Map<string, Promise<unknown>>();

/** Shares a resource within a file: the first test starts it, and it ends with the file. */
export function sharedBy<T>(key: string, start: () => Promise<T>): Promise<T> {
  const started = (shared.get(key) as Promise<T> | undefined) ?? forFile(start);
  if (!shared.has(key)) forFile(() => whenDone(() => shared.delete(key)));
  shared.set(key, started);
  return started;
}

/** Shares one service per file for the same settings and files. Tests must not change it. */
export const sharedService = (
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestService> =>
  sharedBy(JSON.stringify([settings, files]), () => startService(settings, files));

/**
 * Shares a service with a fake provider whose requests and script are reset. Failures in one test
 * do not pause the model in the next.
 */
export async function sharedModel(
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ provider: FakeProvider; service: TestService }> {
  const both = await sharedBy(JSON.stringify(['model', settings, files]), async () => {
    const provider = await startFakeProvider();
    const model = {
      LLM_BASE_URL: provider.baseUrl,
      LLM_API_KEY: 'sk-server-secret',
      LLM_MODEL: 'small',
    };
    const service = await startService({ ...model, ...settings }, files, {
      patience: { circuitPauseMs: 0, firstPauseMs: 1 },
    });
    return { provider, service };
  });
  both.provider.reset();
  return both;
}
