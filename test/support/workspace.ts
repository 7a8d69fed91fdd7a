/** Temporary folders, and the whole service in this process: the same parts that `npm start` puts together. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { compose, type Parts, type Replacements } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { createParserProcess } from '../../src/convert/parse.ts';
import { createApp } from '../../src/http/app.ts';
import { whenDone } from './when-done.ts';

/**
 * Started once for all services of these tests; what a busy machine needs to start one is not what a source takes. One source after another,
 * so that none overtakes the one before it.
 */
const parseInProcess = createParserProcess({ timeoutMs: 120_000, maxProcesses: 1 });

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
  readonly mastra: Awaited<ReturnType<Parts['loadMastra']>>;
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
  const parts = compose(config, { parseInProcess, ...replacements });
  whenDone(() => parts.close());
  await parts.open();
  const app = createApp(config, parts.api, parts.logger);
  const read = async (response: Response) => {
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    ...parts,
    mastra: await parts.loadMastra(),
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

/** Starts one service for the tests of the block around it, which ask and change nothing that another one sees. */
export function useService(...started: Parameters<typeof startService>): () => TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(...started);
  });
  return () => service;
}
