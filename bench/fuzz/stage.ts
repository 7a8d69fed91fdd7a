/**
 * Starts a server to fuzz, like an operator would: a child process in temporary folders, with keys,
 * tokens and webhooks. On loopback run a web site, the webhooks' target, and a model provider that
 * fails and recites its prompt. All of them contain secrets that must not leak.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderInstructions } from '../../src/ask/prompt.ts';
import { type FakeProvider, startFakeProvider } from '../../test/support/fake-provider.ts';
import { askMonitor } from '../../test/support/loop-monitor.ts';
import { residentMb, root } from '../server.ts';
import {
  apiKeys,
  jwtSecret,
  keyOf,
  operatorKey,
  ownCallers,
  webhook,
  webhookSecret,
} from './callers.ts';
import type { Canary } from './leaks.ts';
import type { Surroundings } from './requests.ts';

export interface StageOptions {
  /** Whether a model answers, often with errors; else answers quote the documents. */
  readonly hasModel: boolean;
  readonly pathPrefix?: string;
}

export interface Stage {
  readonly url: string;
  readonly around: Surroundings;
  readonly canaries: readonly Canary[];
  /** Restores the documents that the fuzz deleted. */
  restock(): Promise<void>;
  /** Longest block of the event loop so far, in milliseconds of CPU. */
  heldMs(): Promise<number>;
  memoryMb(): Promise<number>;
  /** Everything that the process wrote. */
  log(): string;
  isAlive(): boolean;
  stop(): Promise<void>;
}

const modelKey = 'fuzz-key-of-the-model-8d2f91';
const callbackKey = 'fuzz-key-of-the-callback-41c7';
const textOf = (namespace: string) =>
  `The quiet word of ${namespace} is heliotrope-${namespace}-3391`;
const rawFailure = 'upstream stack of the provider: shard 17 of cluster nightjar';
const siteFailure = 'internal page of the site: database nightjar is down';
const outsideText = 'Outside of every root stands the word quicksilver-outside-7702';

const documentOf = (namespace: string) =>
  `# Refunds\n\nRefunds are paid within thirty days of purchase. The warranty lasts two years.\n\n## Contracts\n\nA contract is signed by both sides. ${textOf(namespace)}.\n`;
const stock: Readonly<Record<string, string>> = Object.fromEntries(
  ['default', 'hr', 'try', 'vault'].map((namespace) => [namespace, documentOf(namespace)]),
);

/** Its errors contain secrets, and sometimes it recites its prompt. */
function scriptModel(provider: FakeProvider): void {
  let turn = 0;
  provider.reply(async (request, response) => {
    turn++;
    const fail = (status: number, body: string) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    if (turn % 20 === 0)
      return fail(
        400,
        JSON.stringify({
          error: { message: `${rawFailure} ${modelKey}`, type: 'invalid_request_error' },
        }),
      ) as undefined;
    if (turn % 23 === 0) return fail(500, `<html>${rawFailure}</html>`) as undefined;
    if (turn % 29 === 0) return fail(200, `not JSON: ${rawFailure}`) as undefined;
    if (turn % 31 === 0) return void response.destroy() as undefined;
    if (turn % 7 === 0) return String(request.body.messages[0]?.content);
    if (turn % 11 === 0) return `${renderInstructions()} [1]`;
    if (turn % 13 === 0) await sleep(300);
    return 'Refunds are paid within thirty days of purchase. [1] The warranty lasts two years. [1]';
  });
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Site that the server may fetch, and target of webhook answers. */
function createSite(): Server {
  const html = (body: string) =>
    `<html><head><title>Policy</title></head><body><article><h1>Policy</h1><p>${body}</p></article></body></html>`;
  return createServer((request, response) => {
    const { url = '/' } = request;
    request.resume();
    if (url === '/redirect') response.writeHead(302, { location: '/policy' }).end();
    else if (url === '/outside')
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    else if (url === '/broken') response.writeHead(500).end(siteFailure);
    else if (url === '/large')
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(html('Refunds are paid. '.repeat(20_000)));
    else if (url === '/slow')
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'text/html' }).end(html('Slow refunds.')),
        500,
      );
    else if (url === '/' || url === '/policy')
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(html('Refunds are paid by card. <a href="/policy">Policy</a>'));
    else response.writeHead(404).end('not found');
  });
}

const monitor = new URL('../../test/support/loop-monitor.ts', import.meta.url).href;

async function startChild(settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', monitor, 'src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      MONITOR_LOOP: 'true',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}: ${output}`)));
    const read = (part: Buffer) => {
      output += part;
      const found = /listening on (http:\/\/[^ "]+)/.exec(output)?.[1];
      if (found && output.includes('"msg":"ready"')) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
  await askMonitor(child, 'begin');
  return { url, child, output: () => output };
}

const heldBy = async (child: ChildProcess) => (await askMonitor(child, 'read')) ?? Number.NaN;

/** Sentences of the instructions that no answer contains by chance. */
const instructionLines = () =>
  renderInstructions()
    .split('\n')
    .flatMap((line) => line.split('. '))
    .filter((line) => line.length > 50);

const canariesFor = (folder: string, pathPrefix: string | undefined): Canary[] => [
  ...Object.entries({ rawFailure, siteFailure }).map(([name, text]) => ({
    name,
    text,
    isLogged: true,
  })),
  ...Object.entries({ modelKey, callbackKey, jwtSecret, outsideText, webhookSecret }).map(
    ([name, text]) => ({
      name,
      text,
    }),
  ),
  { name: 'password of webhooks', text: webhook.password },
  ...['all', 'read', 'write', 'calls', 'admin', 'trusted', 'operator'].map((name) => ({
    name: `key ${name}`,
    text: keyOf(name),
  })),
  ...['default', 'hr', 'try', 'vault'].map((namespace) => ({
    name: `text of ${namespace}`,
    text: textOf(namespace),
    namespace,
  })),
  ...instructionLines().map((text, at) => ({ name: `instructions, sentence ${at + 1}`, text })),
  { name: 'path of its folder', text: folder, isLogged: true },
  { name: 'path of the project', text: root.replace(/\/$/, ''), isLogged: true },
  ...(pathPrefix === undefined
    ? []
    : [{ name: 'PATH_PREFIX', text: pathPrefix, returnedBy: ['location'] }]),
];

function writeFolders(folder: string): void {
  for (const [namespace, text] of Object.entries(stock)) {
    mkdirSync(join(folder, 'knowledge', namespace), { recursive: true });
    writeFileSync(join(folder, 'knowledge', namespace, 'refunds.md'), text);
  }
  for (const name of ['files/policies', 'outside'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, 'files', 'policies', 'sla.md'),
    '# SLA\n\nWe answer within four hours.\n',
  );
  writeFileSync(join(folder, 'files', 'table.csv'), 'name,days\nRefund,30\nReturn,14\n');
  writeFileSync(join(folder, 'outside', 'canary.md'), `# Outside\n\n${outsideText}.\n`);
  symlinkSync(join(folder, 'outside', 'canary.md'), join(folder, 'files', 'link.md'));
}

const files = [
  ...[
    'policies/sla.md',
    './table.csv',
    'policies',
    'link.md',
    '../outside/canary.md',
    './policies/../../outside/canary.md',
  ],
  ...[
    '/etc/passwd',
    'none.md',
    'policies/\u0000.md',
    '..',
    '/proc/self/environ',
    'policies/sla.md/',
  ],
];

export async function startStage({ hasModel, pathPrefix }: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-fuzz-'));
  writeFolders(folder);
  const provider = hasModel ? await startFakeProvider() : undefined;
  if (provider) scriptModel(provider);
  const site = createSite();
  const host = await listen(site);
  const { url, child, output } = await startChild({
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    ALLOWED_FILE_ROOTS: join(folder, 'files'),
    ALLOWED_URL_HOSTS: host,
    API_KEYS: apiKeys,
    JWT_SECRET: jwtSecret,
    CALLS_TRUSTED_KEYS: keyOf('trusted'),
    CALLS_TOOLS: 'true',
    CHAT_WEBHOOK_PASSWORD: webhook.password,
    CHAT_WEBHOOK_SECRET: webhookSecret,
    CHAT_NAMESPACE: 'default',
    CHAT_CALLBACK_URL: `http://${host}/messages`,
    CHAT_CALLBACK_KEY: callbackKey,
    CORS_ORIGINS: 'https://app.example.com',
    LIMITS: 'namespaces=50',
    ...(provider ? { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: modelKey } : {}),
    ...(pathPrefix === undefined ? {} : { PATH_PREFIX: pathPrefix }),
  });
  const base = url + (pathPrefix ?? '');
  return {
    url,
    around: {
      callers: await ownCallers(),
      siteUrl: `http://${host}`,
      files,
      pathPrefix: pathPrefix ?? '',
    },
    canaries: canariesFor(folder, pathPrefix),
    async restock() {
      for (const namespace of ['default', 'hr', 'try'])
        await fetch(`${base}/api/tools/ingestSources`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': operatorKey },
          body: JSON.stringify({
            namespace,
            sources: [{ text: stock[namespace], title: 'Refunds' }],
          }),
        }).then((response) => response.text());
    },
    heldMs: () => heldBy(child),
    memoryMb: () => residentMb(child.pid ?? 0),
    log: output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.removeAllListeners('exit');
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await provider?.close();
      site.closeAllConnections();
      site.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
