/** Global setup: the release suite has packages of its own, which `npm ci` does not install. */
import { existsSync } from 'node:fs';

/** @throws Error if they are not installed */
export default function requirePackages(): void {
  if (!existsSync(new URL('node_modules', import.meta.url)))
    throw new Error('Run npm ci --prefix test/release first.');
}
