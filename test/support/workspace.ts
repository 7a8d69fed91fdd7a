/** Temporary folders, and the whole service in this process: the same parts that `npm start` puts together. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { compose, type Parts, type Replacements } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { createParserProcess } from '../../src/convert/parse.ts';
import { createApp } from '../../src/http/app.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { forFile, whenDone } from './when-done.ts';

/**
 * Started once for all services of these tests; what a busy machine needs to start one is not what a source takes. One source after another,
 * so that none overtakes the one before it.
 */
export const parseInProcess = createParserProcess({ timeoutMs: 120_000, maxProcesses: 1 });

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-agent-'));
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

export interface TestService extends Parts {
  readonly folder: string;
  readonly knowledgeDir: string;
  /** JSON in, status and JSON out, through the app. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: any; headers: Headers }>;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; body: any; headers: Headers }>;
  /** A raw request, for what is not well-formed JSON. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The stored file of a document, as a caller would read it to check a citation. */
  storedText(namespace: string, file: string): Promise<string>;
}

/** @param files documents to put into the knowledge folder first, by path below it */
export async function startService(
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<TestService> {
  const folder = await temporaryFolder();
  const knowledgeDir = join(folder, 'knowledge');
  await writeFiles(knowledgeDir, files);
  const config = parseConfig({
    KNOWLEDGE_DIR: knowledgeDir,
    INDEX_DIR: join(folder, 'index'),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  });
  // A busy machine may need long for a source: only tests of the deadline have one.
  const parts = compose(config, { parseInProcess, sourceTimeoutMs: 600_000, ...replacements });
  whenDone(() => parts.close());
  await parts.open();
  const app = createApp(config, parts.api, parts.logger);
  const read = async (response: Response) => {
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    ...parts,
    folder,
    knowledgeDir,
    post: async (path, body, headers = {}) =>
      read(
        await app.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      ),
    get: async (path, headers = {}) => read(await app.request(path, { headers })),
    request: async (path, init) => app.request(path, init),
    storedText: (namespace, file) => readFile(join(knowledgeDir, namespace, file), 'utf8'),
  };
}

/** The parts of a service that has ended, as its next start makes them. */
export function reopened({ knowledgeDir, folder }: TestService, settings: Record<string, string> = {}): Parts {
  const folders = { KNOWLEDGE_DIR: knowledgeDir, INDEX_DIR: join(folder, 'index'), LOG_LEVEL: 'silent' };
  const again = compose(parseConfig({ ...folders, ...settings }), { parseInProcess });
  whenDone(() => again.close());
  return again;
}

/** Starts one service for the tests of the block around it, which ask and change nothing that another one sees. */
export function useService(...started: Parameters<typeof startService>): () => TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(...started);
  });
  return () => service;
}

const shared = new Map<string, Promise<unknown>>();

/** What this file has started under the same key, started by its first test and ended with the file. */
function sharedBy<T>(key: string, start: () => Promise<T>): Promise<T> {
  const started = (shared.get(key) as Promise<T> | undefined) ?? forFile(start);
  if (!shared.has(key)) forFile(() => whenDone(() => shared.delete(key)));
  shared.set(key, started);
  return started;
}

/** One service for all tests of a file that want these settings and files, and leave it as it was. */
export const sharedService = (settings: Record<string, string> = {}, files: Readonly<Record<string, string>> = {}): Promise<TestService> =>
  sharedBy(JSON.stringify([settings, files]), () => startService(settings, files));

/** The same before a provider that was asked nothing yet. A model that failed in one test is asked at once in the next. */
export async function sharedModel(
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ provider: FakeProvider; service: TestService }> {
  const both = await sharedBy(JSON.stringify(['model', settings, files]), async () => {
    const provider = await startFakeProvider();
    whenDone(() => provider.close());
    const model = { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-server-secret', LLM_MODEL: 'small' };
    const service = await startService({ ...model, ...settings }, files, { patience: { circuitPauseMs: 0, firstPauseMs: 1 } });
    return { provider, service };
  });
  both.provider.reset();
  return both;
}
