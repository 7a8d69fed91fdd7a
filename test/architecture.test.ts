import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name));

describe('the layers', () => {
  it('hold, over every module of src', () => {
    const output = execFileSync(
      process.execPath,
      [realpathSync(join(root, 'node_modules/.bin/depcruise')), '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src'],
      { cwd: root, maxBuffer: 50_000_000 },
    );
    const { modules, summary } = JSON.parse(output.toString());
    expect(summary.violations).toEqual([]);
    const seen = modules.filter((module: { source: string }) => module.source.startsWith('src/'));
    // A cruiser that cannot read the TypeScript at hand sees no module and finds no violation.
    expect(seen.length).toBe(sources.length);
    expect(seen.filter((module: { dependencies: unknown[] }) => module.dependencies.length > 0).length).toBeGreaterThan(sources.length / 2);
  });

  it('keep the environment at the process edges', () => {
    const readers = sources.filter((path) => /process\.env\b/.test(readFileSync(path, 'utf8'))).map((path) => path.slice(root.length));
    expect(readers.sort()).toEqual(['src/cli/main.ts', 'src/main.ts', 'src/mastra/index.ts']);
  });

  it('keep files to one thing', () => {
    expect(sources.filter((path) => readFileSync(path, 'utf8').split('\n').length > 260)).toEqual([]);
  });
});
