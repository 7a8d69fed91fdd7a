import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ChatClient, messageOf, Turn } from '../chat-client.ts';
import { askMcp, connectMcp } from '../mcp-client.ts';

export const client: ChatClient = {
  name: '`@modelcontextprotocol/sdk`: `askKnowledge` over HTTP',
  sources: '`citations` of the structured content, and links',
  hidesNoSources: true,
  needsMention: false,
  isStreamed: true,
  async open(server) {
    return {
      async ask(question) {
        const requestInit = { headers: new Turn(server, question).authorized };
        try {
          const mcp = await connectMcp(
            new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }),
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
