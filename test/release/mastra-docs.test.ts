/** Real input: the documentation in @mastra/core, some 400 Markdown files. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { expectProof } from '../support/citations.ts';
import { startService } from '../support/workspace.ts';

const folder = fileURLToPath(
  new URL('../../node_modules/@mastra/core/dist/docs/references', import.meta.url),
);

/**
 * Question and the file that answers it. The last four questions share few words with their file.
 */
const questions: readonly (readonly [question: string, file: string])[] = [
  ['How do I create a custom tool with an input schema?', 'reference-tools-create-tool.md'],
  ['Which parameters does agent.generate accept?', 'reference-agents-generate.md'],
  [
    'How do I pass per-request values such as a user tier to a tool?',
    'docs-server-request-context.md',
  ],
  ['How do I configure PinoLogger?', 'reference-logging-pino-logger.md'],
  [
    'How do I limit the number of tokens of the conversation history?',
    'reference-processors-token-limiter-processor.md',
  ],
  ['How do I suspend a workflow and resume it later?', 'docs-workflows-suspend-and-resume.md'],
  [
    'Which processor detects personally identifiable information?',
    'reference-processors-pii-detector.md',
  ],
  ['In which order do processors run when memory is enabled?', 'docs-agents-processors.md'],
  [
    'Stop the assistant from swearing or producing hateful content',
    'reference-processors-moderation-processor.md',
  ],
  ['Require a human to approve a tool before it executes', 'docs-agents-human-in-the-loop.md'],
  [
    'Cut a long document into smaller pieces before embedding',
    'reference-rag-chunking-and-embedding.md',
  ],
  ['Which language is the user writing in?', 'reference-processors-language-detector.md'],
];

it('12 questions among 400 files: the right file is first at least 8 times and in the top five at least 11 times', async () => {
  const service = await startService({ ALLOWED_FILE_ROOTS: folder });
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  expect(names.length).toBeGreaterThan(400);
  for (let from = 0; from < names.length; from += 100) {
    const { body } = await service.ingest({
      namespace: 'mastra',
      files: names.slice(from, from + 100).map((name) => join(folder, name)),
    });
    expect(body.failed).toBe(0);
  }
  const ranks: [rank: number, question: string][] = [];
  for (const [question, file] of questions) {
    const { body } = await service.find({ namespace: 'mastra', query: question, maxResults: 50 });
    const sources = [...new Set(body.results.map((result: any) => result.source))];
    ranks.push([sources.indexOf(file) + 1, question]);
    const asked = { messages: `@agent ${question}`, toolParams: { namespace: 'mastra' } };
    await expectProof(service, (await service.generate(asked)).body, true);
  }
  const within = (limit: number) => ranks.filter(([rank]) => rank >= 1 && rank <= limit).length;
  expect(within(5), JSON.stringify(ranks)).toBeGreaterThanOrEqual(11);
  expect(within(1), JSON.stringify(ranks)).toBeGreaterThanOrEqual(8);
});
