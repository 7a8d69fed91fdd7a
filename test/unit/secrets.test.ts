import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../scripts/secrets.ts';

/** Split in two, so that this file contains no secret. */
const planted = {
  'an AWS key': `aws_secret_access_key = ${'wJalrXUtnFEMI'}/K7MDENG/bPxRfiCYzzzzzzKEYA`,
  'an OpenAI key': `sk-proj-${'aB3dE6gH'.repeat(8).slice(6)}T3BlbkFJ${'aB3dE6gH'.repeat(8).slice(6)}`,
  'a password in an address': `https://${'admin:hunter2hunter2'}@intern.example.com/`,
};

describe('a secret in a file', () => {
  it.each(Object.entries(planted))('is found: %s', async (_, secret) => {
    const found = await secretsIn('docs/example.md', `# Example\n\n${secret}\n`);
    expect(found).toEqual([expect.stringMatching(/^docs\/example\.md:3: secretlint-rule-[\w-]+$/)]);
    expect(found.join()).not.toContain(secret);
  });

  it('is allowed only in the exempted file', async () => {
    const text = `fetch("${'https://user:pass'}@example.com")`;
    expect(await secretsIn('test/contract/ingest.test.ts', text)).toEqual([]);
    expect(await secretsIn('src/main.ts', text)).toHaveLength(1);
  });
});
