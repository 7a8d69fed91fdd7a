import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ChatClient, messageOf } from '../chat-client.ts';
import { askMcp, connectMcp } from '../mcp-client.ts';

export const client: ChatClient = {
  name: '`@modelcontextprotocol/sdk`: `askKnowledge` over HTTP',
  sources: '`citations` of the structured content, and links',
  hidesNoSources: true,
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    return {
      async ask(question) {
        const { addressed } = question;
        const headers = {
          authorization: `Bearer ${key}`,
          ...(addressed === undefined ? {} : { addressed: String(addressed) }),
        };
        try {
          const mcp = await connectMcp(
            new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
          );
          const answer = await askMcp(mcp, question);
          await mcp.close();
          return answer;
        } catch (thrown) {
          return { text: '', quotes: [], error: messageOf(thrown) };
        }
      },
    };
  },
};
