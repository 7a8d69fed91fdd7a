import { describe, expect, it } from 'vitest';
import { shownLine } from '../../../packages/shared/src/language/invisible.ts';
import { summaryTable } from '../../../src/cli/terminal.ts';
import type { ReportRow } from '../../../src/ingest/ingest-source.ts';

const row = (status: ReportRow['status'], source: string): ReportRow => ({
  source,
  kind: 'url',
  status,
});

describe('summaryTable', () => {
  it('shows every source of a short report, failed ones first, and counts them', () => {
    const rows = [row('added', 'one'), row('failed', 'two'), row('unchanged', 'three')];
    const table = summaryTable('docs', rows);
    const starts = table.split('\n').map((line) => line.split(/\s+/).slice(0, 2).join(' '));
    expect(starts.slice(2, 5)).toEqual(['failed two', 'added one', 'unchanged three']);
    expect(table).toContain('docs: 1 added, 1 unchanged, 1 failed');
  });

  it('omits unchanged sources of a long report and counts hidden rows', () => {
    const rows = [
      ...Array.from({ length: 60 }, () => row('added', 'new')),
      ...Array.from({ length: 60 }, () => row('unchanged', 'old')),
    ];
    expect(summaryTable('docs', rows)).not.toContain('old');
    expect(summaryTable('docs', rows)).toContain('… and 10 more');
  });

  it('removes control characters of sources', () => {
    expect(shownLine('a\u001b[2Jb\rc\u202ed')).toBe('a [2Jb c d');
    expect(summaryTable('docs', [row('failed', '\u001b]0;title\u0007')])).toContain(' ]0;title');
  });
});
