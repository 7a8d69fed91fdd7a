import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cruise } from 'dependency-cruiser';
import readConfig from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { describe, expect, it } from 'vitest';
import { read, root } from '../support/repository.ts';

/** Excludes declarations, in which the page repeats names of the API. */
const isModule = (path: string) => path.endsWith('.ts') && !path.endsWith('.d.ts');
const modulesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isModule(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);
const folders = ['src', ...packages.filter((folder) => existsSync(join(root, folder)))];
const sources = folders.flatMap(modulesBelow);
const isOwn = (path: string) =>
  folders.some((folder) => path.startsWith(`${folder}/`)) && isModule(path);
const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

async function cruised() {
  const { output } = await cruise(folders, await readConfig(join(root, '.dependency-cruiser.cjs')));
  if (typeof output === 'string') throw new Error(output);
  return output;
}

/**
 * A folder of src or of packages/shared, a single file, or a package. `config.ts` belongs to the
 * folder of the same name.
 */
const roomOf = (path: string) =>
  /^packages\/(?!shared\/)\w+/.exec(path)?.[0] ??
  (path.replace('packages/shared/', '').split('/')[1] ?? '').replace('config.ts', 'config');

describe('the rooms', async () => {
  const { modules, summary } = await cruised();
  const own = modules.filter(({ source }) => isOwn(source));

  it('import only lower rooms', () => {
    expect(summary.violations).toEqual([]);
    // A cruiser that cannot read TypeScript sees no module and finds no violation.
    expect(own.length).toBe(sources.length);
    expect(own.filter(({ dependencies }) => dependencies.length > 0).length).toBeGreaterThan(
      sources.length / 2,
    );
  });

  it('form at most twelve layers without cycles', () => {
    const imports = new Map<string, Set<string>>();
    for (const { source, dependencies } of own) {
      const others = dependencies.map(({ resolved }) => resolved).filter(isOwn);
      const known = imports.get(roomOf(source)) ?? new Set();
      for (const other of others) if (roomOf(other) !== roomOf(source)) known.add(roomOf(other));
      imports.set(roomOf(source), known);
    }
    let layers = 0;
    for (let left = imports; left.size > 0; layers++) {
      const above = [...left].filter(([, others]) => [...others].some((one) => left.has(one)));
      const names = above.map(([room]) => room);
      expect(names.length, `a cycle among ${names}`).toBeLessThan(left.size);
      left = new Map(above);
    }
    expect(layers).toBeLessThanOrEqual(12);
  });

  it('are exactly those that the design lists', () => {
    const rooms = /## Rooms\n(.*?)\n## /s.exec(read('docs/architecture.md'))?.[1] ?? '';
    const named = [...rooms.matchAll(/^\| ((?:`[\w/.-]+`(?:, )?)+) \|/gm)].flatMap(
      ([, names = '']) =>
        [...names.matchAll(/`((?:packages\/)?[\w.-]+)\/?`/g)].map(([, name]) => name),
    );
    expect(named.toSorted()).toEqual([...new Set(sources.map(roomOf))].toSorted());
  });
});

it('identifiers are exported once each', () => {
  const homes = new Map<string, string[]>();
  for (const path of sources)
    for (const [, name = ''] of read(path).matchAll(exported))
      homes.set(name, [...(homes.get(name) ?? []), path]);
  // An overloaded function has several declarations in one file.
  const doubles = [...homes].filter(([, paths]) => new Set(paths).size > 1);
  expect(doubles).toEqual([]);
});

it('the design names only files and functions that exist', () => {
  const named = [
    ...read('docs/architecture.md').matchAll(/`((?:src|packages)\/[\w/.-]+\.ts):(\w+)`/g),
  ];
  expect(named.length).toBeGreaterThan(15);
  const missing = named.filter(
    ([, path = '', name = '']) =>
      !sources.includes(path) ||
      ![...read(path).matchAll(exported)].some(([, known]) => known === name),
  );
  expect(missing.map(([place]) => place)).toEqual([]);
});

it('only process entry points read the environment', () => {
  const readers = sources.filter((path) => /process\.env\b/.test(read(path)));
  expect(readers.sort()).toEqual(['src/cli/main.ts', 'src/main.ts', 'src/mastra/index.ts']);
});

it('no test compares a duration with a limit instead of counting work', () => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.includes('node_modules'),
  );
  const clock =
    /(?:performance\.now\(|Date\.now\(|[cC]puUsage\(|hrtime[.(]).*\.toBeLess|expect\((?:ms|took|elapsed|milliseconds)\).*\.toBeLess/;
  expect(tests.filter((path) => clock.test(read(join('test', path))))).toEqual([]);
});
