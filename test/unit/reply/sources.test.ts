/** Labels show headings without anything active or misleading. */
import { describe, expect, it } from 'vitest';
import { plainLabel } from '../../../packages/shared/src/language/label.ts';
import { sourceLine } from '../../../src/reply/sources.ts';

describe('a label', () => {
  it.each([
    [
      'Outside Employment (Paid or Unpaid), Projects',
      'Outside Employment (Paid or Unpaid), Projects',
    ],
    ['Terms &amp; Conditions', 'Terms & Conditions'],
    ['LLM_MAX_TOKENS', 'LLM_MAX_TOKENS'],
    ['Time off (PTO)', 'Time off (PTO)'],
  ])('keeps %s', (heading, label) => {
    expect(plainLabel(heading)).toBe(label);
  });
  it.each([
    ['[1] Evil (https://evil.example)', '1 Evil'],
    ['x](javascript:alert(1))', 'x'],
    ['Refunds (refunds.md)', 'Refunds refunds.md'],
    ['Evil ( a', 'Evil a'],
    ['Evil ) a', 'Evil a'],
    ['&lt;img src=x&gt; y', 'img src=x y'],
    ['two\nlines', 'two lines'],
    ['**bold** _it_ `code`', 'bold it code'],
  ])('defuses %s', (heading, label) => {
    expect(plainLabel(heading)).toBe(label);
  });
  it('precedes the target, which ends the line in parentheses', () => {
    const document = {
      id: 'd',
      namespace: 'n',
      file: 'time (off).md',
      title: 'Time off (PTO)',
      source: 'time (off).md',
      kind: 'file',
      revision: 'r',
      bytes: 1,
      textLanguage: 'en',
    } as const;
    const passage = {
      chunkId: 'c',
      text: '',
      score: 1,
      start: 0,
      end: 0,
      headingPath: ['Rules (new)'],
      anchor: null,
      page: null,
      document,
    };
    expect(sourceLine(1, passage)).toBe('[1] Time off (PTO) › Rules (new) (time off .md)');
  });
});
