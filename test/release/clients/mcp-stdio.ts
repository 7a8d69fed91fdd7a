import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ChatClient } from '../../support/chat-client.ts';
import { askMcp, connectMcp } from '../../support/mcp-client.ts';
import { root as cwd } from '../../support/repository.ts';

export const client: ChatClient = {
  name: '`@modelcontextprotocol/sdk`: `askKnowledge` over stdio',
  sources: '`citations` of the structured content, and links',
  hidesNoSources: true,
  needsMention: false,
  isStreamed: true,
  // A local process has neither keys nor headers.
  without: ['`addressed`', 'wrong key'],
  async open({ settings }) {
    const args = ['src/cli/main.ts', 'mcp'];
    const mcp = await connectMcp(
      new StdioClientTransport({
        command: process.execPath,
        args,
        cwd,
        env: { ...settings },
        stderr: 'ignore',
      }),
    );
    return { ask: (question) => askMcp(mcp, question), close: () => mcp.close() };
  },
};
