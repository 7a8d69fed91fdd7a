import {
  createGroundingProcessor,
  createMentionGate,
  createMentionGateProcessor,
  createSearchDocsTool,
} from '@knowledge-agent/mastra';
import { Agent } from '@mastra/core/agent';

const agent = new Agent({
  id: 'support',
  name: 'Support',
  instructions: 'Search the documents before you answer.',
  model: 'openai/gpt-5-mini',
  tools: { searchDocs: createSearchDocsTool({ url: 'http://localhost:4111' }) },
  inputProcessors: [createMentionGateProcessor(createMentionGate({ mentions: ['@agent'] }))],
  outputProcessors: [createGroundingProcessor()],
});
const { text } = await agent.generate('@agent How long do refunds take?');
console.log(text);
