/**
 * `npm run mcp`: the Model Context Protocol over standard input and output, for a client that starts it as a process of its own. Standard
 * output is the protocol's alone; the log goes to standard error. It speaks for whoever started it: every namespace, and no user whose calls
 * could be shown.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInitializeRequest, isJSONRPCRequest, isSpecType, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { errorToLog, toKnowledgeError } from '../app/failure.ts';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { systemErrorCode } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { FailureReport } from '../mcp/resources.ts';
import { createMcpServer } from '../mcp/server.ts';
import { requireFolders } from '../process.ts';
import { composeCommand, createCommand, exitCodes, interruption, parseCommandConfig } from './command.ts';
import { warn } from './terminal.ts';

/** Of one message; what is longer closes the transport. */
const maxMessageMebibytes = 10;

class StdioTransport extends StdioServerTransport {
  readonly #unanswered = new Set<RequestId>();
  #onAnswered: () => void = () => undefined;

  constructor() {
    // Without its end: with that the transport would close before all is answered.
    super(process.stdin.pipe(new PassThrough(), { end: false }), process.stdout, { maxBufferSize: maxMessageMebibytes * 1024 * 1024 });
  }

  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    // Nothing is said to a request that was cancelled.
    if (isSpecType.CancelledNotification(message) && message.params.requestId !== undefined) this.#settle(message.params.requestId);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async whenAnswered(): Promise<void> {
    if (this.#unanswered.size > 0) await new Promise<void>((resolve) => (this.#onAnswered = resolve));
  }

  #settle(request: RequestId): void {
    this.#unanswered.delete(request);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }
}

const help = `Serve the documents to a client of the Model Context Protocol, over standard input and output.

  node src/cli/main.ts mcp [options]      what a client is told to start
  npm run --silent mcp -- [options]       the same; without --silent npm writes a banner into the protocol

  -n, --namespace NAME  whose documents are asked where a call names none (default: default)
  -h, --help

The settings are those of the server (environment or .env); without LLM_API_KEY the built-in extractive model answers.
Ends with its standard input, after what it has read is answered (ten seconds at most). Exit code: 0, or 1 where it could not start or a
message is longer than ${maxMessageMebibytes} MiB, 2 wrong arguments.
`;

const options = { namespace: { type: 'string', short: 'n', default: 'default' } } as const;

const sameSentence = 'Something went wrong; the log on standard error says what.';

const tellTo =
  (logger: Logger) =>
  (thrown: unknown): FailureReport => {
    const err = errorToLog(thrown);
    if (err !== undefined) logger.error({ err }, 'request failed');
    const { code, message } = toKnowledgeError(thrown);
    return { error: code === 'internal' ? sameSentence : message, code };
  };

const maxAnswerMs = 10_000;

/** Resolves when whoever reads the answers has gone. @throws where the output fails otherwise */
const outputLeft = () =>
  new Promise<void>((resolve, reject) =>
    // Not once: every later write fails too.
    process.stdout.on('error', (error) => (systemErrorCode(error) === 'EPIPE' ? resolve() : reject(error))),
  );

async function inputEnded(transport: StdioTransport, whenOpen: Promise<unknown>): Promise<void> {
  await once(process.stdin, 'end');
  // The transport reads the last of it one step later.
  await yieldToEventLoop();
  // Nothing can be answered before.
  await whenOpen;
  await Promise.race([transport.whenAnswered(), sleep(maxAnswerMs)]);
}

export const mcpCommand = createCommand({ help, options, allowPositionals: false }, async ({ values }, environment) => {
  const config = parseCommandConfig(environment);
  const { api, logger, openToAsk, loadMastra } = await composeCommand(config);
  await requireFolders(config, false);
  const stopping = interruption();
  // The client is answered while the documents are still being read; what needs them waits.
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
    describeFailure: tellTo(logger),
  });
  const transport = new StdioTransport();
  transport.onmessage = (message: JSONRPCMessage) => {
    transport.read(message);
    if (isInitializeRequest(message)) ({ protocolVersion } = message.params);
  };
  const ended = Promise.race([
    inputEnded(transport, whenOpen),
    once(stopping, 'abort'),
    outputLeft(),
    // Closed by itself, before it is closed here.
    new Promise<'too long'>((resolve) => (server.onclose = () => resolve('too long'))),
  ]);
  await server.connect(transport);
  const [, end] = await Promise.all([Promise.race([whenOpen, ended]), ended]);
  await server.close();
  if (end !== 'too long') return exitCodes.done;
  warn(`A message on standard input is longer than ${maxMessageMebibytes} MiB, and the server has ended.`);
  return exitCodes.failed;
});
