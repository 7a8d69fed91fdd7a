import { describe, expect, it } from 'vitest';
import { explicitAnchorOf, plainHeading } from '../../../packages/shared/src/markdown/headings.ts';

describe('a heading with attributes', () => {
  it.each([
    ['Fees { #fees .wide }', 'Fees', 'fees'],
    ['Fees {: .wide #fees }', 'Fees', 'fees'],
    ['Fees { data-label="Cost" }', 'Fees', undefined],
    ['Fees [#fees]', 'Fees', 'fees'],
    ['Fees {/* #fees */}', 'Fees', 'fees'],
    ['The {count} of fees', 'The {count} of fees', undefined],
  ])('%s', (source, text, anchor) => {
    expect(plainHeading(source)).toBe(text);
    expect(explicitAnchorOf(source)).toBe(anchor);
  });
});
