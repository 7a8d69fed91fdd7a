/** Official MCP client for the chat client scenarios, over any transport. */
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

export async function askMcp(
  client: Client,
  { text: question, namespace, conversation, signal, onText }: ClientQuestion,
): Promise<ClientAnswer> {
  let text = '';
  const onprogress = ({ message = '' }: { message?: string | undefined }) => {
    text = message;
    onText?.(text);
  };
  try {
    const thread = conversation === undefined ? {} : { thread: conversation };
    const params = {
      name: 'askKnowledge',
      arguments: { question, ...(namespace === undefined ? {} : { namespace }), ...thread },
    };
    const result: any = await client.callTool(params, undefined, {
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
