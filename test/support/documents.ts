/** Random Markdown for property tests, including hostile text. */
import fc from 'fast-check';

const line = fc.oneof(
  fc.lorem({ mode: 'sentences', maxCount: 3 }),
  fc.constantFrom(
    '',
    '',
    '# Title',
    '## Setup',
    '### Deep `code` heading {#own}',
    'Underlined\n---',
    '> quoted text here',
    '***',
    '<Tabs>',
    '[a]: https://example.com',
  ),
  fc.constantFrom(
    '- one item',
    '- [x] done\n  more of it',
    '1. first\n2. second',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '    indented code',
  ),
  fc.constantFrom(
    '```js\nconst a = 1;\n\n# not a heading\n```',
    '~~~\nopen fence',
    '返金は購入後30日以内に行われます。',
    '👩‍👩‍👧 emoji \u0000 \u200b end',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

/** Lines that end in \n or \r\n, sometimes with front matter. */
export const markdown: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '---\ntitle: A title\n---\n', '\uFEFF---\r\ntitle: x\r\n---\r\n'),
    fc.array(line, { maxLength: 40 }),
    fc.constantFrom('\n', '\n\n', '\r\n'),
  )
  .map(([front, lines, end]) => front + lines.join(end));
