/**
 * `npm run mcp`: serves the Model Context Protocol on standard input and output. The log goes to
 * standard error. The client may read every namespace, but no calls.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  isSpecType,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { errorToLog, toKnowledgeError } from '../app/failure.ts';
import type { Logger } from '../log.ts';
import type { FailureReport } from '../mcp/resources.ts';
import { createMcpServer } from '../mcp/server.ts';
import { requireFolders } from '../process.ts';
import {
  composeCommand,
  createCommand,
  exitCodes,
  interruption,
  parseCommandConfig,
} from './command.ts';
import { warn } from './terminal.ts';

const maxMessageMebibytes = 10;

class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId>();
  #onAnswered: () => void = () => undefined;

  constructor() {
    // The end of standard input is not passed on: it would close the transport before all requests
    // are answered.
    super(process.stdin.pipe(new PassThrough(), { end: false }), process.stdout, {
      maxBufferSize: maxMessageMebibytes * 1024 * 1024,
    });
  }

  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    // Cancelled requests get no response.
    if (isSpecType.CancelledNotification(message) && message.params.requestId !== undefined)
      this.#settle(message.params.requestId);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async whenAnswered(): Promise<void> {
    if (this.#unanswered.size > 0)
      await new Promise<void>((resolve) => (this.#onAnswered = resolve));
  }

  #settle(request: RequestId): void {
    this.#unanswered.delete(request);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }
}

const help = `Serve the documents over the Model Context Protocol on standard input and output.

  knowledge-agent mcp [options]           command for the MCP client; in a checkout: node src/cli/main.ts mcp
  npm run --silent mcp -- [options]       the same (without --silent, npm prints a banner into the protocol)

  -n, --namespace NAME  namespace if a call names none (default: default)
  -h, --help

Uses the settings of the server (environment or .env). Without a model the built-in extractive model answers.
Ends when standard input ends, after pending requests are answered (at most ten seconds).
Exit code: 0 done, 1 start failed or a message was longer than ${maxMessageMebibytes} MiB, 2 wrong arguments.
`;

const options = { namespace: { type: 'string', short: 'n', default: 'default' } } as const;

const internalMessage = 'Internal error. See the log on standard error.';

const createFailureReporter =
  (logger: Logger) =>
  (thrown: unknown): FailureReport => {
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

async function inputEnded(transport: StdioTransport, whenOpen: Promise<unknown>): Promise<void> {
  await once(process.stdin, 'end');
  // The transport reads the last chunk one event-loop turn later.
  await yieldToEventLoop();
  await whenOpen;
  await Promise.race([transport.whenAnswered(), sleep(maxAnswerMs)]);
}

export const mcpCommand = createCommand(
  { help, options, allowPositionals: false },
  async ({ values }, environment) => {
    const config = parseCommandConfig(environment);
    const { api, logger, openToAsk, loadMastra } = await composeCommand(config);
    await requireFolders(config, false);
    const stopping = interruption();
    // Connect before the documents are loaded; requests that need them wait for `whenOpen`.
    const whenOpen = Promise.all([openToAsk(), loadMastra()]);
    let protocolVersion: string | undefined;
    const server = createMcpServer(api, {
      owner: 'stdio',
      countedAs: 'stdio',
      identifiesCaller: true,
      actingUser: undefined,
      addressed: true,
      offersIngest: false,
      may: () => true,
      requireRightTo: () => undefined,
      namespace: api.parseNamespace(values.namespace),
      mayUse: () => true,
      namespaceToRead: api.parseNamespace,
      namespaceToWrite: api.parseNamespace,
      stopping,
      whenOpen,
      protocolVersion: () => protocolVersion,
      describeFailure: createFailureReporter(logger),
    });
    const transport = new StdioTransport();
    transport.onmessage = (message: JSONRPCMessage) => {
      transport.read(message);
      if (isInitializeRequest(message)) ({ protocolVersion } = message.params);
    };
    const ended = Promise.race([
      inputEnded(transport, whenOpen),
      once(stopping, 'abort'),
      outputClosed(),
      // The transport closes itself only after a message that is too long.
      new Promise<'too long'>((resolve) => (server.onclose = () => resolve('too long'))),
    ]);
    await server.connect(transport);
    const [, end] = await Promise.all([Promise.race([whenOpen, ended]), ended]);
    await server.close();
    if (end !== 'too long') return exitCodes.done;
    warn(`Stopped: a message on standard input is longer than ${maxMessageMebibytes} MiB.`);
    return exitCodes.failed;
  },
);
