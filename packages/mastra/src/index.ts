/** `@knowledge-agent/mastra`: parts that make any Mastra agent answer only from passages. */
export { passagesIn } from './found-passages.ts';
export { createGroundingProcessor, type GroundingProcessorOptions } from './grounding-processor.ts';
export { createMentionGate, type MentionGate } from './mention.ts';
export { createMentionGateProcessor } from './mention-gate-processor.ts';
export { createCitationsScorer, createGroundingScorer, createRefusalScorer } from './scorers.ts';
export { createSearchDocsTool, type SearchDocsToolOptions } from './search-docs-tool.ts';
