/** Questions about the sample documents without a key, the first use of many users. */
import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generated } from '../support/answer-contract.ts';
import { read, root } from '../support/repository.ts';
import { sharedService } from '../support/workspace.ts';

const files = Object.fromEntries(
  globSync('knowledge/default/**/*.md', { cwd: root }).map((path) => [
    path.replace('knowledge/', ''),
    read(path),
  ]),
);

it.each(['how much is Business a month', 'What is the monthly price of the Business plan?'])(
  'the sample documents answer with the table of prices: %s',
  async (question) => {
    const { text } = await generated(await sharedService({}, files), question, 'default');
    expect(text).toMatch(
      /\*\*\n\n(?:.+\n\n)?\| Plan \| Billed monthly \| .*\|\n\| --- .*\n(?:\|.*\n)*\| Business \| \$35 per/,
    );
  },
);
