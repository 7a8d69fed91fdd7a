/** Questions about the sample documents without a key, the first use of many users. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/workspace.ts';

const folder = fileURLToPath(new URL('../../knowledge/default', import.meta.url));
const files = Object.fromEntries(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [`default/${name}`, readFileSync(join(folder, name), 'utf8')]),
);
const bodyOf = (question: string) => ({ messages: `@agent ${question}` });
const path = '/api/agents/knowledge/generate';

describe('the sample documents, without a key', () => {
  it('answer a question about a monthly price with the table that has it, in any wording', async () => {
    const { post } = await startService({}, files);
    for (const question of [
      'What does Business cost per month?',
      'how much is Business a month',
      'monthly price of business',
      'how much does Business cost?',
      'What is the monthly price of the Business plan?',
    ])
      expect((await post(path, bodyOf(question))).body.text, question).toMatch(
        /\*\*\n\n(?:.+\n\n)?\| Plan \| Billed monthly \| Billed annually \|\n\| --- .*\n(?:\|.*\n)*\| Business \| \$35 per agent per month \| \$336 per agent per year \|\n/,
      );
  });
});
