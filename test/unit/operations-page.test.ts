import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const page = readFileSync(at('docs/operations.md'), 'utf8');

it('the table of protections names existing files and tests', () => {
  const [, table = ''] = page.split('| against | by | held by |\n|---|---|---|\n');
  const rows = table
    .slice(0, table.indexOf('\n\n'))
    .split('\n')
    .map((row) => row.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)));
  expect(rows.length).toBeGreaterThan(20);
  for (const [, , by = [], heldBy = []] of rows) {
    expect(Math.min(by.length, heldBy.length)).toBeGreaterThan(0);
    expect(heldBy.filter((path) => !path.startsWith('test/'))).toEqual([]);
    expect([...by, ...heldBy].filter((path) => !existsSync(at(path)))).toEqual([]);
  }
});

it('links of the page lead to existing sections and files', () => {
  const sections = new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(
      ([, title = '']) =>
        `#${title
          .toLowerCase()
          .replaceAll(/[^a-z ]/g, '')
          .replaceAll(' ', '-')}`,
    ),
  );
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link).filter((link) => !link.startsWith('http'));
  const [path, within] = [links.filter((link) => !link.startsWith('#')), links.filter((link) => link.startsWith('#'))];
  expect(within.filter((link) => !sections.has(link))).toEqual([]);
  expect(path.filter((link) => !existsSync(at(`docs/${link.replace(/#.*/, '')}`)))).toEqual([]);
});

it('settings that the page names exist', () => {
  const names = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  expect([...new Set(names)].filter((name) => !(name in settings))).toEqual([]);
});
