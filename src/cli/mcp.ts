/**
 * `npm run mcp`: serves the Model Context Protocol on standard input and output. The log goes to
 * standard error. The client may read every namespace, but no calls.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { errorToLog, toKnowledgeError } from '../failure.ts';
import { createMcpServer } from '../http/mcp/mcp-server.ts';
import type { Logger } from '../log.ts';
import { requireFolders } from '../process.ts';
import { rights } from '../rights.ts';
import {
  contextOf,
  createCommand,
  exitCodes,
  interruption,
  namespaceNamed,
  namespaceOption,
  parseCommandConfig,
} from './command.ts';
import { warn } from './terminal.ts';

const maxMessageMebibytes = 10;

const help = `Serve the documents over the Model Context Protocol on standard input and output.

  knowledge-agent mcp [options]           command for the MCP client; in a checkout: node src/cli/main.ts mcp
  npm run --silent mcp -- [options]       the same (without --silent, npm prints a banner into the protocol)

  -n, --namespace NAME  namespace if a call names none (default: default)

Uses the settings of the server (environment or .env). Without a model the built-in extractive model answers.
Ends when standard input ends, after pending requests are answered (at most ten seconds).
`;

const internalMessage = 'Internal error. See the log on standard error.';

const createFailureReporter = (logger: Logger) => (thrown: unknown) => {
  const err = errorToLog(thrown);
  if (err !== undefined) logger.error({ err }, 'request failed');
  const { code, message } = toKnowledgeError(thrown);
  return { error: code === 'internal' ? internalMessage : message, code };
};

const maxAnswerMs = 10_000;

/** Resolves when the client closes standard output. @throws if writing fails otherwise */
const outputClosed = () =>
  new Promise<void>((resolve, reject) =>
    // Not `once`: every later write fails too.
    process.stdout.on('error', (error) =>
      systemErrorCode(error) === 'EPIPE' ? resolve() : reject(error),
    ),
  );

async function inputEnded(calls: ReadonlySet<Promise<unknown>>, whenOpen: Promise<unknown>) {
  await once(process.stdin, 'end');
  // The transport reads the last chunk one event-loop turn later.
  await yieldToEventLoop();
  await whenOpen;
  await Promise.race([Promise.allSettled(calls), sleep(maxAnswerMs)]);
  await yieldToEventLoop();
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
}

const exit = `0 done, 1 start failed or a message was longer than ${maxMessageMebibytes} MiB`;
const form = { help, exit, options: namespaceOption };
export const mcpCommand = createCommand(form, async ({ values }, environment) => {
  const config = parseCommandConfig(environment);
  const { api, logger, openToAsk, loadMastra } = await contextOf(config);
  const namespace = namespaceNamed(api, values.namespace);
  await requireFolders(config, false);
  const stopping = interruption();
  // Connect before the documents are loaded; calls wait for `whenOpen`.
  const whenOpen = Promise.all([openToAsk(), loadMastra()]);
  const calls = new Set<Promise<unknown>>();
  const host = {
    caller: { id: 'stdio', namespaces: undefined, rights: new Set(rights), readsAllCalls: false },
    asker: { callerId: 'stdio', countedAs: 'stdio', actingUser: undefined, addressed: true },
    namespace,
    pageUrl: config.publicUrl,
    stopping,
    whenOpen,
    onCall(result: Promise<unknown>) {
      calls.add(result);
      void result.finally(() => calls.delete(result));
    },
    describeFailure: createFailureReporter(logger),
  };
  // The end of standard input is not passed on: it would close the transport before all requests
  // are answered.
  const transport = new StdioServerTransport(
    process.stdin.pipe(new PassThrough(), { end: false }),
    process.stdout,
    { maxBufferSize: maxMessageMebibytes * 1024 * 1024 },
  );
  const tooLong = Promise.withResolvers<'too long'>();
  const ended = Promise.race([
    inputEnded(calls, whenOpen),
    once(stopping, 'abort'),
    outputClosed(),
    tooLong.promise,
  ]);
  const { close } = serveStdio(() => createMcpServer(api, host), { transport });
  const { onclose } = transport;
  // The transport closes itself only after a message that is too long.
  transport.onclose = () => {
    onclose?.();
    tooLong.resolve('too long');
  };
  const [, end] = await Promise.all([Promise.race([whenOpen, ended]), ended]);
  await close();
  if (end !== 'too long') return exitCodes.done;
  warn(`Stopped: a message on standard input is longer than ${maxMessageMebibytes} MiB.`);
  return exitCodes.failed;
});
