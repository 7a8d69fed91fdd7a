/**
 * `npm run mcp`: the Model Context Protocol over standard input and output, for a client that starts it as a process of its own. Standard
 * output is the protocol's alone; the log goes to standard error. It speaks for whoever started it: every namespace, and no user whose calls
 * could be shown.
 */
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { errorToLog, toKnowledgeError } from '../app/failure.ts';
import type { Logger } from '../log.ts';
import type { ToldFailure } from '../mcp/host.ts';
import { createMcpServer } from '../mcp/server.ts';
import { requireFolders } from '../process.ts';
import { composeCommand, createCommand, exitCodes, interruption, parseCommandConfig } from './command.ts';

const help = `Serve the documents to a client of the Model Context Protocol, over standard input and output.

  node src/cli/main.ts mcp [options]      what a client is told to start
  npm run --silent mcp -- [options]       the same; without --silent npm writes a banner into the protocol

  -n, --namespace NAME  whose documents are asked where a call names none (default: default)
  -h, --help

The settings are those of the server (environment or .env); without LLM_API_KEY the built-in extractive model answers.
Ends with its standard input. Exit code: 0, or 1 where it could not start, 2 wrong arguments.
`;

const options = { namespace: { type: 'string', short: 'n', default: 'default' } } as const;

const sameSentence = 'Something went wrong; the log on standard error says what.';

const tellTo =
  (logger: Logger) =>
  (thrown: unknown): ToldFailure => {
    const err = errorToLog(thrown);
    if (err !== undefined) logger.error({ err }, 'request failed');
    const { code, message } = toKnowledgeError(thrown);
    return { error: code === 'internal' ? sameSentence : message, code };
  };

export const mcpCommand = createCommand({ help, options, allowPositionals: false }, async ({ values }, environment) => {
  const config = parseCommandConfig(environment);
  const { api, logger, openToAsk } = await composeCommand(config);
  await requireFolders(config, false);
  const stopping = interruption();
  // The client is answered while the documents are still being read; what needs them waits.
  const whenOpen = openToAsk();
  let protocolVersion: string | undefined;
  const server = createMcpServer(api, {
    owner: 'stdio',
    isOneCaller: true,
    actingUser: undefined,
    addressed: true,
    mayIngest: false,
    namespace: api.parseNamespace(values.namespace),
    mayUse: () => true,
    requireNamespace: () => undefined,
    stopping,
    whenOpen,
    protocolVersion: () => protocolVersion,
    tellFailure: tellTo(logger),
  });
  const transport = new StdioServerTransport();
  transport.onmessage = (message: unknown) => {
    if (isInitializeRequest(message)) ({ protocolVersion } = message.params);
  };
  const ended = Promise.race([
    once(process.stdin, 'end'),
    once(stopping, 'abort'),
    new Promise<void>((resolve) => (server.onclose = resolve)),
  ]);
  await server.connect(transport);
  await Promise.all([Promise.race([whenOpen, ended]), ended]);
  await server.close();
  return exitCodes.done;
});
