/**
 * The pages that users read: README.md, CONTRIBUTING.md, SECURITY.md, bench/README.md, docs/ and
 * the chart's README.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Slugger from 'github-slugger';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { settingsPage } from '../../scripts/settings.ts';
import { hitsIn, readRules } from '../../scripts/words.ts';
import { settings } from '../../src/config/settings.ts';
import { read, root } from '../support/repository.ts';

const below = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const manual = ['README.md', ...below('docs')];
const pages = [
  ...manual,
  ...below('docs/decisions'),
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'deploy/helm/knowledge-agent/README.md',
];

const withoutCode = (page: string) => page.replaceAll(/^```.*?^```/gms, '');
const prose = (page: string) => withoutCode(page).replaceAll(/^ *\|.*$/gm, '');
const anchorsOf = (page: string) => {
  const slugger = new Slugger();
  return new Set(
    [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      slugger.slug(title.replaceAll(/\]\([^)]*\)/g, '')),
    ),
  );
};

describe('docs', () => {
  it.each(pages)('%s links only to existing files and sections', (path) => {
    const page = read(path);
    const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !link.includes('://'));
    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('name only settings that exist', () => {
    const others =
      /^(?:(?:ERR|AUTH_ERR|OTEL)_.*|(?:CHAT|KNOWLEDGE)_API_KEY|NODE_OPTIONS|CHROMIUM_BIN|MASTRA_TELEMETRY_DISABLED|SECURITY_CONTACT)$/;
    const known = (name: string) => name in settings || others.test(name);
    for (const path of manual) {
      const names = [...read(path).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(
        ([, name = '']) => name,
      );
      expect(
        [...new Set(names)].filter((name) => !known(name)),
        path,
      ).toEqual([]);
    }
  });

  it('list every setting with default and values; npm run docs writes the page', () => {
    expect(read('docs/settings.md')).toBe(settingsPage());
  });

  it.each([
    ['all', manual, 17_000],
    ['clients.md', ['docs/clients.md'], 1_700],
    ['extend.md', ['docs/extend.md'], 760],
  ])('are short: %s', (_, paths, most) => {
    const words = paths.flatMap((path) => read(path).match(/\S+/g) ?? []);
    expect(words.length).toBeLessThanOrEqual(most);
  });

  it('are short: README has at most 130 lines, all pages have at most 3 sentences over 40 words', () => {
    expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(130);
    const sentences = manual.flatMap((path) =>
      prose(read(path)).split(/\n\s*\n|\n(?=\s*[-*\d#])|(?<=[.!?:])\s+(?=[A-Z`*[(])/),
    );
    const long = sentences.filter((sentence) => sentence.trim().split(/\s+/).length > 40);
    expect(long.length, long.join('\n')).toBeLessThanOrEqual(3);
  });

  it('begin with what the reader can do afterwards', () => {
    for (const path of below('docs'))
      expect(read(path).split('\n')[2], path).toMatch(/^After reading this page you /);
  });
});

describe('the threats of docs/secure.md', () => {
  it('are covered by files and tests that exist', () => {
    const [, table = ''] = read('docs/secure.md').split(
      '| threat | protected by | tested by |\n|---|---|---|\n',
    );
    const rows = table
      .slice(0, table.indexOf('\n\n'))
      .split('\n')
      .map((row) =>
        row.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)),
      );
    expect(rows.length).toBeGreaterThan(20);
    for (const [, , by = [], testedBy = []] of rows) {
      expect(Math.min(by.length, testedBy.length)).toBeGreaterThan(0);
      expect(testedBy.filter((path) => !path.startsWith('test/'))).toEqual([]);
      expect([...by, ...testedBy].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });
});

describe('docs/decisions/0023-dependencies.md', () => {
  const code = (path: string): string =>
    path.endsWith('.ts')
      ? read(path)
      : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
          .map((name) => read(join(path, name)))
          .join('\n');
  const imports = (text: string, name: string) =>
    new RegExp(`(?:from |import\\(|resolve\\(|\\)\\()'${name}['/]`).test(text);

  it('has one line for each dependency and optional peer, with a file or folder that imports it', () => {
    const rows = [
      ...read('docs/decisions/0023-dependencies.md').matchAll(
        /^\| `([^`]+)` \| (.+) \| `([^`]+)` \|$/gm,
      ),
    ];
    const direct = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    expect(rows.map(([, name]) => name)).toEqual(direct.sort());
    const unused = rows.filter(
      ([, name = '', , path = '']) => !existsSync(join(root, path)) || !imports(code(path), name),
    );
    expect(unused.map(([row]) => row)).toEqual([]);
  });

  it('keeps each optional peer as an exact development dependency, so that a checkout has it', () => {
    expect(manifest.devDependencies).toMatchObject(manifest.peerDependencies);
    expect(Object.keys(manifest.peerDependenciesMeta).sort()).toEqual(
      Object.keys(manifest.peerDependencies).sort(),
    );
  });

  it('the packages of the design are imported', () => {
    const all = ['src', 'packages', 'test'].map(code).join('\n');
    const design =
      '@mastra/core @mastra/rag @ai-sdk/openai zod hono @hono/swagger-ui vitest msw'.split(' ');
    expect(design.filter((name) => !imports(all, name))).toEqual([]);
  });
});

describe('CHANGELOG.md', () => {
  it('has short entries: at most 5 % exceed 26 words', () => {
    const entries = [...read('CHANGELOG.md').matchAll(/^- (.+)$/gm)].map(
      ([, entry = '']) => entry.split(/\s+/).length,
    );
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.filter((words) => words > 26).length / entries.length).toBeLessThanOrEqual(0.05);
  });
});

describe('npm run words', () => {
  it('reports a pattern with its line and the advice above it, and overlapping hits once', () => {
    const rules = readRules('# say "use"\n\\butilise\\b\n# no\nutilise it\n');
    expect(hitsIn('one\nthey Utilise it', rules)).toEqual([
      { line: 2, text: 'they Utilise it', found: 'Utilise', reason: 'say "use"' },
    ]);
  });
});
