/** The packages of this repository that are published, besides the service itself. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly private?: boolean;
  readonly exports?: Readonly<
    Record<string, string | { readonly types: string; readonly default: string }>
  >;
  readonly bin?: Readonly<Record<string, string>>;
}

/** @param folder relative to the repository: `.` is the service */
export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** `packages/calls`, … */
export const publishedFolders = (): string[] =>
  readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}`)
    .filter(
      (folder) => existsSync(join(root, folder, 'package.json')) && !manifestOf(folder).private,
    );
