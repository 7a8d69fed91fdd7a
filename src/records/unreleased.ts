/** Refuses the state of versions that were never released: no code reads it. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';

/** State files before `state.db`. */
const files = [
  'answers/answers.db',
  'conversations/conversations.db',
  'model-tokens.json',
  'chat-webhooks.jsonl*',
  'calls-events.jsonl',
  'jobs/*.jsonl',
];

export const unreleasedError = (path: string) =>
  new KnowledgeError(
    'internal',
    `${path} was written by an unreleased version. Move it away, or start with another STATE_DIR.`,
  );

/** @throws KnowledgeError `internal` that names the first such file */
export function refuseUnreleasedFiles(folders: readonly string[]): void {
  for (const folder of folders) {
    const [found] = globSync(files, { cwd: folder });
    if (found !== undefined) throw unreleasedError(join(folder, found));
  }
}
