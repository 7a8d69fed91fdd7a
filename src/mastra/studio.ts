/**
 * The instance for Mastra Studio: agent, tools, memory, scorers, traces, logs and MCP server. Its
 * data is kept in memory until it stops.
 */
import { ConsoleLogger } from '@mastra/core/logger';
import type { Mastra } from '@mastra/core/mastra';
import type { MCPServerBase } from '@mastra/core/mcp';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore, MastraCompositeStore } from '@mastra/core/storage';
import { MCPServer } from '@mastra/mcp';
import { MastraStorageExporter, Observability, SensitiveDataFilter } from '@mastra/observability';
import {
  createCitationsScorer,
  createGroundingScorer,
  createRefusalScorer,
} from '../../packages/mastra/src/scorers.ts';
import { createAskTool } from '../ask/tools.ts';
import { isInstalled } from '../config/rules.ts';
import type { Config } from '../config.ts';
import { Context } from '../context.ts';
import { packageVersion } from '../package.ts';

/** Studio's trace and metrics pages need queries that the store of conversations cannot answer. */
const traceStore = '@mastra/duckdb';

/** Empty if the package is not installed: then Studio shows traces, but no metrics. */
async function openTraceStore() {
  if (!isInstalled(traceStore)) return {};
  const { DuckDBStore } = await import(traceStore);
  return { observability: new DuckDBStore({ path: ':memory:' }).observability };
}

/** Earlier messages of a thread that a question may refer to. */
const lastMessages = 12;

export async function openStudio(config: Config): Promise<Mastra> {
  const conversations = new InMemoryStore();
  const scorers = {
    grounding: createGroundingScorer(),
    citations: createCitationsScorer(),
    refusal: createRefusalScorer(),
  };
  const exporters = [new MastraStorageExporter({ maxBatchWaitMs: 500 })];
  const spanOutputProcessors = [new SensitiveDataFilter()];
  const { api, loadMastra, openForStudio } = new Context(config, {
    mastra: {
      agent: {
        memory: new MockMemory({ storage: conversations, options: { lastMessages } }),
        scorers: Object.fromEntries(
          Object.entries(scorers).map(([id, scorer]) => [id, { scorer }]),
        ),
      },
      mastra: {
        storage: new MastraCompositeStore({
          id: 'studio',
          default: conversations,
          domains: await openTraceStore(),
        }),
        scorers,
        logger: new ConsoleLogger(),
        observability: new Observability({
          configs: { default: { serviceName: 'knowledge-agent', exporters, spanOutputProcessors } },
        }),
      },
    },
  });
  await openForStudio();
  const mastra = await loadMastra();
  const named = ['searchDocs', 'listCalls', 'summarizeCalls'].map((id) => [
    id,
    mastra.getToolById(id),
  ]);
  const tools = {
    askKnowledge: createAskTool(api.ask, api.parseNamespace),
    ...Object.fromEntries(named),
  };
  const server = new MCPServer({
    id: 'knowledge',
    name: 'Knowledge Agent',
    version: packageVersion,
    tools,
  });
  // Mastra's types do not support exactOptionalPropertyTypes.
  mastra.addMCPServer(server as unknown as MCPServerBase, 'knowledge');
  return mastra;
}
