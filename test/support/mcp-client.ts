/** The official MCP clients of both eras of the protocol, over any transport. */
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type ClientAnswer, type ClientQuestion, messageOf } from './chat-client.ts';

/** Connects and lists the tools, so that the client validates results against their schemas. */
export async function connectMcp(transport: object): Promise<Client> {
  const client = new Client({ name: 'scenarios', version: '1.0.0' });
  // The SDK's transports do not match its own type under exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  await client.listTools();
  return client;
}

/** As `connectMcp`, with the package of the protocol that has no sessions and no handshake. */
export async function connectModernMcp(transport: object): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'scenarios', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport as Parameters<ModernClient['connect']>[0]);
  await client.listTools();
  return client;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { message?: string | undefined }) => void;
}

/** Calls a tool with either client. */
export const callTool = (
  client: Client | ModernClient,
  name: string,
  input: object,
  options: CallOptions = {},
): Promise<any> => {
  const params = { name, arguments: { ...input } };
  return client instanceof ModernClient
    ? client.callTool(params, options)
    : client.callTool(params, undefined, options);
};

export async function askMcp(
  client: Client | ModernClient,
  { text: question, namespace, conversation, signal, onText }: ClientQuestion,
): Promise<ClientAnswer> {
  let text = '';
  const onprogress = ({ message = '' }: { message?: string | undefined }) => {
    text = message;
    onText?.(text);
  };
  try {
    const thread = conversation === undefined ? {} : { thread: conversation };
    const input = { question, ...(namespace === undefined ? {} : { namespace }), ...thread };
    const result = await callTool(client, 'askKnowledge', input, {
      onprogress,
      ...(signal ? { signal } : {}),
    });
    const [content] = result.content;
    if (result.isError) return { text, quotes: [], error: content.text };
    return {
      text: content.text,
      quotes: result.structuredContent.citations.map(({ quote }: { quote: string }) => quote),
    };
  } catch (thrown) {
    return { text, quotes: [], error: messageOf(thrown) };
  }
}
