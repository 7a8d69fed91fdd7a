import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../packages/converters/src/markdown/parse-markdown.ts';
import { listed } from '../support/listed.ts';

const parsed = (text: string, format: 'markdown' | 'mdx' | 'text' = 'markdown') =>
  parseMarkdown(text, format).markdown;

/** Markup pieces that can follow each other in any order. */
const piece = fc.constantFrom(
  'word ',
  'a < b & c ',
  '{x} ',
  '\n',
  '\n\n',
  '\n- item ',
  '\n1. step ',
  '\n# Heading ',
  '\n> quote ',
  '\n    indented ',
  '\n| a | b |\n|---|---|\n| c | d |\n',
  ...listed(`
    <b> | </b> | <i> | <div hidden> | <div> | </div> | <br/> | <a href="https://a.b/c"> | </a> | <details><summary>Q</summary>
    </details> | <table><tr><td> | </td></tr></table> | <!-- | -->
  `),
  '`',
  '``',
  '\n```\n',
  '\n~~~js\n',
  ...listed(`
    &lt; | &amp; | &nbsp; | < | >
  `),
  '\\',
  '![alt](x.png)',
  '[link](https://x.y)',
  '\n:::tip T\n',
  '\n:::\n',
  '\n> [!NOTE]\n',
  ...listed(`
    <script> | </script> | <ul><li> | </li></ul> | <pre><code> | </code></pre> | <Card title="T"> | </Card> | {/* c */} | {"s"}
  `),
);
const document = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));
const codeLine = fc
  .array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 6 })
  .map((pieces) => pieces.join('').replace(/[^\n\P{C}]/gu, ''));

describe('parsed Markdown', () => {
  it('keeps every code fence unchanged, in Markdown and MDX', () =>
    fc.assert(
      fc.property(codeLine, fc.constantFrom('```', '~~~', '````'), (content, mark) => {
        const body = content
          .split('\n')
          .filter((line) => !/^[ \t>]*[`~]{3}/.test(line) && !/^[`~]+\s*$/.test(line.trim()));
        const fence = `${mark}js title="x"\n${body.join('\n')}\n${mark}`;
        for (const format of ['markdown', 'mdx'] as const)
          expect(parsed(`Before\n\n${fence}\n\nAfter`, format)).toBe(`Before\n\n${fence}\n\nAfter`);
      }),
    ));

  it('contains no active tags', () =>
    fc.assert(
      fc.property(
        document,
        fc.constantFrom('markdown' as const, 'mdx' as const),
        (text, format) => {
          const prose = parsed(text.replace(/[`~\\]| {4}/g, ''), format);
          expect(prose.replace(/`<[^`]*>`/g, '')).not.toMatch(/<(?:script|div hidden|a href)[ >]/);
        },
      ),
    ));
});
