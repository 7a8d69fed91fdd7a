import { expect, it } from 'vitest';
import { Warnings } from '../../src/warnings.ts';

it('a warning is logged once when it begins and once when it ends, and listed in between', () => {
  const lines: unknown[] = [];
  const warnings = new Warnings({
    warn: (details) => void lines.push({ level: 'warn', ...details }),
    info: (details) => void lines.push({ level: 'info', ...details }),
  });
  const cause = new Error('EACCES');
  warnings.end('namespace_unreadable', 'hr');
  warnings.begin('namespace_unreadable', 'hr', cause);
  warnings.begin('namespace_unreadable', 'hr', cause);
  warnings.begin('namespace_unreadable', 'docs');
  expect(warnings.list()).toEqual([
    { code: 'namespace_unreadable', count: 2, namespaces: ['docs', 'hr'] },
  ]);
  warnings.end('namespace_unreadable', 'hr');
  warnings.end('namespace_unreadable', 'docs');
  expect(warnings.list()).toEqual([]);
  warnings.begin('namespace_unreadable');
  expect(warnings.list()).toEqual([{ code: 'namespace_unreadable', count: 1, namespaces: [] }]);
  const warning = 'namespace_unreadable';
  expect(lines).toEqual([
    { level: 'warn', warning, namespace: 'hr', err: cause },
    { level: 'warn', warning, namespace: 'docs' },
    { level: 'info', warning, namespace: 'hr' },
    { level: 'info', warning, namespace: 'docs' },
    { level: 'warn', warning },
  ]);
});
