/**
 * `npm run secrets`: searches all tracked files for keys, tokens and passwords in URLs. Part of
 * `npm run check`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

/** Intended credentials of tests: the file, and user and password of its URLs. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'test/contract/conversations.test.ts': ['u:secret-word'],
  'test/contract/ingest.test.ts': ['user:pass'],
  'test/contract/outbound.test.ts': ['user:secret'],
  'test/unit/ingest/fetch/address-guard.test.ts': ['user:pass'],
  'test/unit/compose-file.test.ts': ['knowledge:abc123'],
};

/**
 * Returns a line with place and kind of each finding. The secret itself is not shown, because logs
 * are public.
 */
export async function secretsIn(path: string, content: string): Promise<string[]> {
  const { messages } = await lintSource({
    source: { content, filePath: path, ext: extname(path), contentType: 'text' },
    options: {
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] },
    },
  });
  const isAllowed = (found: string) =>
    (allowed[path] ?? []).some((one) => found.includes(`//${one}@`));
  return messages
    .filter(({ range: [start, end] }) => !isAllowed(content.slice(start, end)))
    .map(({ ruleId, loc }) => `${path}:${loc.start.line}: ${ruleId.split('/').at(-1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL('../', import.meta.url);
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  const found: string[] = [];
  for (const path of files)
    found.push(...(await secretsIn(path, readFileSync(new URL(path, root), 'utf8'))));
  if (found.length > 0) {
    process.stderr.write(
      `These look like secrets. Remove them and revoke valid ones:\n${found.join('\n')}\n`,
    );
    process.exitCode = 1;
  }
}
