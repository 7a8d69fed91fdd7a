/** Labels show headings without anything active or misleading. */
import { describe, expect, it } from 'vitest';
import { plainLabel } from '../../../../packages/shared/src/language/label.ts';
import { isListed, SectionNumbers, sourceLines } from '../../../../src/ask/reply/sources.ts';
import type { Document, Passage } from '../../../../src/documents/document.ts';

describe('a label', () => {
  it.each([
    [
      'Outside Employment (Paid or Unpaid), Projects',
      'Outside Employment (Paid or Unpaid), Projects',
    ],
    ['Terms &amp; Conditions', 'Terms & Conditions'],
    ['LLM_MAX_TOKENS', 'LLM_MAX_TOKENS'],
  ])('keeps %s', (heading, label) => {
    expect(plainLabel(heading)).toBe(label);
  });
  it.each([
    ['[1] Evil (https://evil.example)', '1 Evil'],
    ['x](javascript:alert(1))', 'x'],
    ['Evil ( a', 'Evil a'],
    ['&lt;img src=x&gt; y', 'img src=x y'],
    ['two\nlines', 'two lines'],
    ['**bold** _it_ `code`', 'bold it code'],
  ])('defuses %s', (heading, label) => {
    expect(plainLabel(heading)).toBe(label);
  });
});

const web = 'https://example.com/refunds_(eu)';
const cited = (index: number, more: object = {}) => ({
  index,
  documentId: 'd',
  file: 'refunds.md',
  title: 'Refunds',
  source: 'refunds.md',
  headingPath: ['Refunds', 'Window'],
  anchor: 'window',
  page: null,
  ...more,
});

describe('the list of sources', () => {
  it.each([
    ['a document without a URL by its title', [cited(1)], '[1] Refunds › Window'],
    [
      'a web page with its section',
      [cited(1, { source: web })],
      '[1] Refunds › Window (https://example.com/refunds_%28eu%29#window)',
    ],
    [
      'the file without a title or a URL',
      [cited(1, { title: '[]', headingPath: [] })],
      '[1] refunds.md',
    ],
    ['two quotes of a section once', [cited(1), cited(1)], '[1] Refunds › Window'],
    [
      'sections of a page in one line, with its address',
      [
        cited(1, { source: web }),
        cited(3, { source: web, headingPath: ['Refunds', 'Fees'], anchor: 'fees' }),
      ],
      '[1][3] Refunds › Window; Fees (https://example.com/refunds_%28eu%29)',
    ],
    [
      'a page of a PDF with another printed number',
      [cited(1, { headingPath: [], page: 3, pageLabel: 'iv' })],
      '[1] Refunds, page iv',
    ],
    [
      'and links to the page of a PDF',
      [cited(1, { source: 'https://example.com/sla.pdf', headingPath: [], page: 3 })],
      '[1] Refunds, page 3 (https://example.com/sla.pdf#page=3)',
    ],
    [
      'nothing active of a title and a heading',
      [cited(1, { title: 'A](https://evil.example)\n[2] B', headingPath: ['<b>x</b>'] })],
      '[1] A 2 B › b x /b',
    ],
  ])('names %s', (_, citations, line) => expect(sourceLines(citations)).toEqual([line]));

  it('has a line for each document', () =>
    expect(sourceLines([cited(1), cited(2, { documentId: 'e', title: 'Fees' })])).toEqual([
      '[1] Refunds › Window',
      '[2] Fees › Refunds › Window',
    ]));
});

const document = (more: object) =>
  ({ title: 'Time off (PTO)', source: 'a.md', ...more }) as Document;

describe('a list in a conversation', () => {
  it.each([
    ['its title', {}, '[1] Time off (PTO)', true],
    ['its title above a section', {}, '[1][2] Time off (PTO) › Rules; Notice', true],
    [
      'its URL',
      { source: web },
      '[2] Refunds › Fees (https://example.com/refunds_%28eu%29#fees)',
      true,
    ],
    [
      'its URL in a Markdown link',
      { source: web },
      '[2] [Refunds](https://example.com/refunds_%28eu%29)',
      true,
    ],
    ['a longer title', {}, '[1] Time off (PTO) of others', false],
    ['another URL', { source: web }, '[1] Time off (PTO) (https://example.com/other)', false],
  ])('names a document by %s', (_, more, list, names) =>
    expect(isListed(document(more), list)).toBe(names),
  );
});

it('citations of a section and page have one number, and those of others the next', () => {
  const numbers = new SectionNumbers();
  const passage = (id: string, anchor: string | null, page: number | null = null) =>
    ({ document: { id }, anchor, headingPath: [], page }) as unknown as Passage;
  expect(
    [
      passage('a', 'x'),
      passage('a', 'y'),
      passage('a', 'x'),
      passage('b', 'x'),
      passage('a', 'x', 2),
    ].map((one) => numbers.of(one)),
  ).toEqual([1, 2, 1, 3, 4]);
});
