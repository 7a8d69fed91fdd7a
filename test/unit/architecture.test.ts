import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import readConfig from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Declaration files are excluded: one of the page repeats names of the API. */
const isModule = (path: string) => path.endsWith('.ts') && !path.endsWith('.d.ts');
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && isModule(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

async function cruised() {
  const { output } = await cruise(['src'], await readConfig(join(root, '.dependency-cruiser.cjs')));
  if (typeof output === 'string') throw new Error(output);
  return output;
}

/** A folder or a file directly in src. `compose.ts` and `config.ts` belong to the folders of their names. */
const roomOf = (path: string) => (path.split('/')[1] ?? '').replace(/^(compose|config)\.ts$/, '$1');

/** Layer of each room, from 1: one above the highest that it imports. @throws if rooms import each other in a cycle */
function floorsOf(imports: ReadonlyMap<string, ReadonlySet<string>>): Map<string, number> {
  const floors = new Map<string, number>();
  const visit = (room: string, path: readonly string[]): number => {
    if (path.includes(room)) throw new Error(`a cycle of rooms: ${[...path, room].join(' → ')}`);
    const known = floors.get(room);
    if (known !== undefined) return known;
    const below = [...(imports.get(room) ?? [])].map((other) => visit(other, [...path, room]));
    const floor = 1 + Math.max(0, ...below);
    floors.set(room, floor);
    return floor;
  };
  for (const room of imports.keys()) visit(room, []);
  return floors;
}

describe('the rooms', async () => {
  const { modules, summary } = await cruised();
  const own = modules.filter(({ source }) => source.startsWith('src/') && isModule(source));

  it('import only from lower rooms, in every module of src', () => {
    expect(summary.violations).toEqual([]);
    // If the cruiser cannot parse our TypeScript, it sees no modules and finds no violations.
    expect(own.length).toBe(sources.length);
    expect(own.filter(({ dependencies }) => dependencies.length > 0).length).toBeGreaterThan(sources.length / 2);
  });

  it('form at most ten layers, without a cycle', () => {
    const imports = new Map<string, Set<string>>();
    for (const { source, dependencies } of own) {
      const others = dependencies.map(({ resolved }) => resolved).filter((path) => path.startsWith('src/') && path.endsWith('.ts'));
      const known = imports.get(roomOf(source)) ?? new Set();
      for (const other of others) if (roomOf(other) !== roomOf(source)) known.add(roomOf(other));
      imports.set(roomOf(source), known);
    }
    expect(Math.max(...floorsOf(imports).values())).toBeLessThanOrEqual(10);
  });

  it('are exactly those that docs/design.md lists', () => {
    const named = [...read('docs/design.md').matchAll(/^\| ((?:`[\w/.]+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([\w.]+)\/?`/g)].flatMap(([, name]) => (name === 'compose.ts' ? [] : [name])),
    );
    expect(named.toSorted()).toEqual([...new Set(sources.map(roomOf))].toSorted());
  });
});

describe('names', () => {
  it('are exported only once', () => {
    const homes = new Map<string, string[]>();
    for (const path of sources)
      for (const [, name = ''] of read(path).matchAll(exported)) homes.set(name, [...(homes.get(name) ?? []), path]);
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it('in the glossary of the design number at most twenty', () => {
    const words = /## Words\n(.*?)\n## /s.exec(read('docs/design.md'))?.[1] ?? '';
    const rows = words.split('\n').filter((line) => line.startsWith('|')).length - 2;
    expect(rows).toBeGreaterThan(10);
    expect(rows).toBeLessThanOrEqual(20);
  });
});

it('every file and function that the design names exists', () => {
  const named = [...read('docs/design.md').matchAll(/`(src\/[\w/.-]+\.ts):(\w+)`/g)];
  expect(named.length).toBeGreaterThan(15);
  const missing = named.filter(
    ([, path = '', name = '']) => !sources.includes(path) || ![...read(path).matchAll(exported)].some(([, known]) => known === name),
  );
  expect(missing.map(([place]) => place)).toEqual([]);
});

it('only entry points read the environment', () => {
  const readers = sources.filter((path) => /process\.env\b/.test(read(path)));
  expect(readers.sort()).toEqual(['src/cli/main.ts', 'src/main.ts', 'src/mastra/index.ts']);
});

it('no test asserts a maximum duration; tests count work or measure its growth', () => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const clock =
    /(?:performance\.now\(|Date\.now\(|[cC]puUsage\(|hrtime[.(]).*\.toBeLess|expect\((?:ms|took|elapsed|milliseconds)\).*\.toBeLess/;
  expect(tests.filter((path) => clock.test(read(join('test', path))))).toEqual([]);
});
