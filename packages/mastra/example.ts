/** Adds the gate and the check to an agent. `test/packages/mastra` runs it. */

import { createGroundingProcessor, createMentionGate, createMentionGateProcessor, createSearchDocsTool } from '@knowledge-agent/mastra';
import { Agent } from '@mastra/core/agent';

type Model = ConstructorParameters<typeof Agent>[0]['model'];

/** @param url address of a running server */
export const createSupportAgent = (model: Model, url: string) =>
  new Agent({
    id: 'support',
    name: 'Support',
    instructions: 'Search the documents before you answer.',
    model,
    tools: { searchDocs: createSearchDocsTool({ url }) },
    inputProcessors: [createMentionGateProcessor(createMentionGate({ mentions: ['@agent'] }))],
    outputProcessors: [createGroundingProcessor()],
  });
