/** The official client of the Model Context Protocol, over whichever transport, as the scenarios of the chat clients ask. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type ClientAnswer, type ClientQuestion, messageOf } from './chat-client.ts';

/** Connected; its list of tools was read, so that it holds results to their schemas. */
export async function connectMcp(transport: object): Promise<Client> {
  const client = new Client({ name: 'scenarios', version: '1.0.0' });
  // Its own transports do not fit its own type where optional properties are exact.
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
    const params = { name: 'askKnowledge', arguments: { question, ...(namespace === undefined ? {} : { namespace }), ...thread } };
    const result: any = await client.callTool(params, undefined, { onprogress, ...(signal ? { signal } : {}) });
    const [said] = result.content;
    if (result.isError) return { text, quotes: [], error: said.text };
    return { text: said.text, quotes: result.structuredContent.citations.map(({ quote }: { quote: string }) => quote) };
  } catch (thrown) {
    return { text, quotes: [], error: messageOf(thrown) };
  }
}
