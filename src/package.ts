/** Folder and manifest of this package, both in a checkout and in built files. */
import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const manifest = findPackageJSON(import.meta.url);
if (manifest === undefined)
  throw new Error('The package.json of Knowledge Agent is missing. Install the package again.');

/** Absolute path of the folder with `package.json`. */
export const packageRoot: string = dirname(manifest);
export const {
  version: packageVersion,
  peerDependencies: optionalPackages,
}: {
  readonly version: string;
  /** Name → version of packages that a setting may need. */
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(manifest, 'utf8'));

/**
 * Path of a packaged sample if the working folder has no such file; otherwise the path unchanged.
 */
export function orPackaged(path: string): string {
  const packaged = join(packageRoot, path);
  return !existsSync(path) && existsSync(packaged) ? packaged : path;
}

/** Whether `orPackaged` leads to the packaged sample of that name. */
export const isPackaged = (path: string, name: string): boolean =>
  resolve(orPackaged(path)) === join(packageRoot, name);
