/** The Mastra registry: the agent under `knowledge` and the tools, nothing else. Its own logger and telemetry stay off. */
import type { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createIngestSourcesTool, type IngestSources } from './tools/ingest-sources.ts';
import { createSearchDocsTool, type SearchDocs } from './tools/search-docs.ts';

// Mastra's own types are not written for exactOptionalPropertyTypes, hence the two assertions.
type RegisteredTool = NonNullable<NonNullable<ConstructorParameters<typeof Mastra>[0]>['tools']>[string];

export const createMastra = (knowledge: Agent, ingestSources: IngestSources, searchDocs: SearchDocs) =>
  new Mastra({
    agents: { knowledge },
    tools: {
      ingestSources: createIngestSourcesTool(ingestSources) as RegisteredTool,
      searchDocs: createSearchDocsTool(searchDocs) as RegisteredTool,
    },
    logger: false,
  });
