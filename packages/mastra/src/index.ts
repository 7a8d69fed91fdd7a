/** `@knowledge-agent/mastra`: parts that make any Mastra agent answer only from passages. */
export type { SourcePassage } from '../../grounding/src/index.ts';
export { type FoundPassages, passagesIn } from './found-passages.ts';
export { createGroundingProcessor, type GroundingProcessorOptions } from './grounding-processor.ts';
export { createMentionGate, type MentionGate, type MentionGateOptions } from './mention.ts';
export { createMentionGateProcessor, type MentionedTurn, type MentionGateProcessorOptions } from './mention-gate-processor.ts';
export { createReplyProcessor, type ReplyProcessor, type ReplyWriter, type WriterRequest } from './reply-processor.ts';
export { type AnswerScorerOptions, createCitationsScorer, createGroundingScorer, createRefusalScorer } from './scorers.ts';
export { createSearchDocsTool, type SearchDocsToolOptions } from './search-docs-tool.ts';
