import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { fileNameFor, identifyUpload } from '../../../src/documents/document-file.ts';
import { parseUploadName } from '../../../src/ingest/uploads.ts';

it.each([
  ['policies\\sla.pdf', 'policies/sla.pdf'],
  ['cafe\u0301.md', 'caf\u00e9.md'],
  ['  two   blanks\u00a0here.md ', 'two blanks here.md'],
  ['C:\\fakepath\\sla.pdf', 'C:/fakepath/sla.pdf'],
  [`${'x'.repeat(497)}.md`, `${'x'.repeat(497)}.md`],
])('normalizes the upload name %j to %j', (sent, name) => {
  expect(parseUploadName(sent)).toBe(name);
});

it.each([
  ...['', ' ', '/etc/passwd', '\\\\server\\share', 'a/', '../a', 'a\\..\\b', './a', 'a/.git/b'],
  ...['a\0b', 'a\nb', 'a\u200bb', 'a\u202eb', 'a\u2028b', 'caf\ufffd.md', `${'x'.repeat(498)}.md`],
])('rejects the upload name %j', (sent) => {
  expect(parseUploadName(sent)).toMatchObject({
    code: 'source_not_allowed',
    message: expect.stringMatching(/\.$/),
  });
});

it('accepts only relative names that normalize to themselves and give a valid file name', () => {
  const piece = fc.oneof(
    fc.constantFrom('..', '.', '/', '\\', ' ', '\u00a0', '\u200d', '\0', 'a', 'é', '.md'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const name = parseUploadName(pieces.join(''));
      if (name instanceof KnowledgeError) return;
      expect(parseUploadName(name)).toBe(name);
      expect(name.split('/').every((part) => part !== '' && !part.startsWith('.'))).toBe(true);
      const { identity, fallbackTitle } = identifyUpload(name);
      expect(fileNameFor('file', identity, fallbackTitle)).toMatch(
        /^[^/\\.][^/\\]*-[0-9a-f]{12}\.md$/u,
      );
    }),
  );
});
