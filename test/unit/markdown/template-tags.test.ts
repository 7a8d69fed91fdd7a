import { describe, expect, it } from 'vitest';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { withoutTemplateTags } from '../../../packages/shared/src/markdown/template-tags.ts';

const unitsOf = (text: string) =>
  [...segments(text)].map(({ start, end }) => text.slice(start, end));

describe('template tags', () => {
  it.each([
    '{%\n  include alert.html\n  content="Refunds take 30 days."\n%}',
    '{{% note\n  title="Refunds take 30 days" %}}',
    '{# Refunds take 30 days. #}',
    '{{ refunds.days }}',
    '{: .subtitle }',
    '!!! note "Refunds take 30 days"',
  ])('are not text segments: %s', (tag) => {
    expect(unitsOf(`Before.\n\n${tag}\n\nBehind.\n`)).toEqual(['Before.', 'Behind.']);
  });
  it('end at their closing mark, at most ten lines later', () => {
    expect(unitsOf('{{< note >}}\nRefunds take 30 days.\n{{< /note >}}\n')).toEqual([
      'Refunds take 30 days.',
    ]);
    expect(unitsOf(`{%\n${'a\n'.repeat(12)}%}`)).not.toEqual([]);
  });
  it('are kept in code', () => {
    expect(unitsOf('```liquid\n{% include a.html %}\n```\n')).toEqual(['{% include a.html %}']);
    expect(withoutTemplateTags('Write `{{ name }}` {% x %}there.')).toBe(
      'Write `{{ name }}` there.',
    );
  });
});

describe('a padded table row', () => {
  it('keeps its header however wide it is', () => {
    const wide = (cell: string) => cell.padEnd(1_500);
    const text = `| ${wide('Country')} | ${wide('Notice')} |\n| ${'-'.repeat(1_500)} | ${'-'.repeat(1_500)} |\n| ${wide('Spain')} | ${wide('15 days')} |\n`;
    expect([...segments(text)]).toMatchObject([{ kind: 'row', header: { start: 0 } }]);
  });
});
