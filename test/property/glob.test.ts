import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/ingest/glob.ts';

/** Reference by regular expression, fast enough for these short patterns. */
function naive(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:[^]*/)?';
      if (part === '**') return '[^]*';
      if (part === '*') return '[^/]*';
      return part === '?' ? '[^/]' : part.replace(/[.\\+^$()[\]{}|]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}

const part = fc.constantFrom('a', 'b', '.', '/', '*', '?', '**', '**/');
const path = fc
  .array(fc.constantFrom('a', 'b', '.', '/'), { maxLength: 8 })
  .map((parts) => parts.join(''));

describe('a glob pattern', () => {
  it('matches like the equivalent regular expression', () =>
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }).map((parts) => parts.join('').replace(/\*{3,}/g, '**')),
        path,
        (pattern, text) => createMatcher([pattern])(text) === naive(pattern).test(text),
      ),
    ));

  it.each([
    ['**/*.{md,pdf}', 'a/b/c.pdf', true],
    ['**/*.{md,pdf}', 'c.md', true],
    ['{a,b}/{c,d}', 'b/c', true],
    ['a{b', 'a{b', true],
  ])('%s matches %s: %s', (pattern, text, matches) =>
    expect(createMatcher([pattern])(text)).toBe(matches),
  );

  it('can match across path segments for crawls', () => {
    expect(createMatcher(['/docs/*'], { acrossParts: true })('/docs/a/b')).toBe(true);
    expect(createMatcher(['/docs/*'], { acrossParts: true })('/blog/docs/a')).toBe(false);
  });
});
