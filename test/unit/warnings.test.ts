import { expect, it } from 'vitest';
import { Warnings } from '../../src/warnings.ts';

it('a warning is logged once when it begins and once when it ends, and listed in between', () => {
  const lines: unknown[] = [];
  const warnings = new Warnings({
    warn: (details) => void lines.push({ level: 'warn', ...details }),
    info: (details) => void lines.push({ level: 'info', ...details }),
  });
  const cause = new Error('EACCES');
  const warning = 'namespace_unreadable';
  warnings.end(warning, 'hr');
  warnings.begin(warning, 'hr', cause);
  warnings.begin(warning, 'hr', cause);
  warnings.begin(warning, 'docs');
  expect(warnings.list()).toEqual([{ code: warning, count: 2, namespaces: ['docs', 'hr'] }]);
  warnings.end(warning, 'hr');
  warnings.end(warning, 'docs');
  expect(warnings.list()).toEqual([]);
  warnings.begin(warning);
  expect(warnings.list()).toEqual([{ code: warning, count: 1, namespaces: [] }]);
  expect(lines).toEqual([
    { level: 'warn', warning, namespace: 'hr', err: cause },
    { level: 'warn', warning, namespace: 'docs' },
    { level: 'info', warning, namespace: 'hr' },
    { level: 'info', warning, namespace: 'docs' },
    { level: 'warn', warning },
  ]);
});
