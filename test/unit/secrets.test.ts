import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../scripts/secrets.ts';
import { read } from '../support/repository.ts';

/** Split in two, so that this file contains no secret. */
const planted = {
  'an AWS key': `aws_secret_access_key = ${'wJalrXUtnFEMI'}/K7MDENG/bPxRfiCYzzzzzzKEYA`,
  'a GitHub token': `${'ghp_'}wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx`,
  'an OpenAI key': `sk-proj-${'aB3dE6gH'.repeat(8).slice(6)}T3BlbkFJ${'aB3dE6gH'.repeat(8).slice(6)}`,
  'a Slack token': `${'xoxb-'}123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx`,
  'a private key': `-----BEGIN ${'RSA PRIVATE'} KEY-----\n${'MIIEpAIBAAKCAQEA7'.repeat(10)}\n-----END ${'RSA PRIVATE'} KEY-----`,
  'a password in an address': `https://${'admin:hunter2hunter2'}@intern.example.com/`,
};

describe('a secret in a file', () => {
  it.each(Object.entries(planted))('is found: %s', async (_, secret) => {
    const found = await secretsIn('docs/example.md', `# Example\n\n${secret}\n`);
    expect(found).toEqual([expect.stringMatching(/^docs\/example\.md:3: secretlint-rule-[\w-]+$/)]);
    expect(found.join()).not.toContain(secret);
  });

  it('is not found in this file or in exempted tests', async () => {
    for (const path of ['test/unit/secrets.test.ts', 'test/contract/ingest.test.ts'])
      expect(await secretsIn(path, read(path))).toEqual([]);
  });

  it('is allowed only in the exempted file', async () => {
    const text = `fetch("${'https://user:pass'}@example.com")`;
    expect(await secretsIn('test/contract/ingest.test.ts', text)).toEqual([]);
    expect(await secretsIn('src/main.ts', text)).toHaveLength(1);
  });
});
