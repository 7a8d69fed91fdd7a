import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { quotedAnswerOf } from '../../src/ask/reply/answer.ts';
import { quotedSections } from '../../src/ask/reply/section-reply.ts';
import type { Passage } from '../../src/documents/document.ts';
import { markdown } from '../support/documents.ts';
import { groundReply } from '../support/grounded.ts';

/** Passage at a random place of a stored file. */
const snippet = fc
  .record({
    text: markdown,
    start: fc.nat({ max: 10_000 }),
    title: fc.string({ unit: 'binary', maxLength: 30 }),
    heading: fc.string({ maxLength: 20 }),
  })
  .map(({ text, start, title, heading }) =>
    passageOf(text, title, {
      start,
      headingPath: [heading],
      document: { id: 'd', file: 'f.md', source: 'f.md' },
    }),
  );
const passages = fc.array(snippet, { minLength: 1, maxLength: 4 });

import { cases } from '../support/depth.ts';
import { passageOf } from '../support/passages.ts';

const lies = [
  'Refunds take 999 days.',
  'See https://evil.example/x.',
  '![x](https://evil.example)',
  '<b>bold</b>',
  'Sources:',
  '[7]',
  '| a | 999 |',
  '```\ncode\n```',
  '',
];

/** Reply of a model: true sentences and lies with right and wrong citations. */
const reply = (given: readonly Passage[]) => {
  const truths = given.flatMap(({ text }) =>
    [...segments(text)].map((unit) => text.slice(unit.start, unit.end)),
  );
  return fc
    .array(
      fc.tuple(
        fc.constantFrom(...truths, ...lies),
        fc.constantFrom('', ' [1]', ' [2]', '[1][2]', ' [1, 3]', ' [9]'),
        fc.constantFrom(' ', '\n\n'),
      ),
      { maxLength: 12 },
    )
    .map((sentences) => sentences.map((parts) => parts.join('')).join(''));
};

/** Removes white space and marks that an answer formats differently. */
const bare = (text: string) => text.replace(/[\s>|*_`-]/g, '');

describe('an answer to any reply', () => {
  it('has citations that match stored text and markers, and no lie', () => {
    fc.assert(
      fc.property(
        passages.chain((given) => fc.tuple(fc.constant(given), reply(given))),
        ([given, text]) => {
          const answer = groundReply(text, given);
          for (const { passage: cited, quote, start, end } of answer.citations) {
            expect(given).toContain(cited);
            expect(cited.start <= start && end <= cited.end && start < end).toBe(true);
            expect(cited.text.slice(start - cited.start, end - cited.start)).toBe(quote);
          }
          const numbers = [...new Set(answer.citations.map(({ index }) => index))];
          expect(numbers).toEqual(numbers.map((_, position) => position + 1));
          expect(answer.text).not.toContain('evil.example');
          expect(answer.text).not.toContain('999');
          const sources = answer.text.split(/\n\nSources:\n?/).at(-1) ?? '';
          if (answer.reason === 'no_context') expect(sources).toBe(' none');
          else
            expect(
              sources
                .split('\n')
                .flatMap((line) => /^(?:\[\d+\])+(?= )/.exec(line)?.[0].match(/\d+/g) ?? [line])
                .map(Number)
                .toSorted((a, b) => a - b),
            ).toEqual(numbers);
        },
      ),
      { numRuns: cases(80) },
    );
  });
});

describe('sections quoted without a model', () => {
  it('are text of their passages, at most three, with 1,800 characters in all', () => {
    let quoted = 0;
    fc.assert(
      fc.property(
        passages,
        fc.constantFrom(
          'quote here',
          'item more',
          'one item',
          'quoted text here',
          'lorem ipsum dolor',
          '返金 30日',
        ),
        (given, question) => {
          const asked = contentWords(question).map(({ term, isName }) => ({
            word: term,
            forms: [{ term, weight: 1 }],
            idf: 1,
            isName,
          }));
          const sections = quotedSections(given, asked, question);
          const { text, citations } = quotedAnswerOf(sections, given);
          quoted += sections.length;
          expect(sections.length).toBeLessThanOrEqual(3);
          expect(sections.reduce((sum, one) => sum + one.text.length, 0)).toBeLessThanOrEqual(
            1_800,
          );
          expect(citations).toHaveLength(sections.length);
          for (const { passage, quote, start, end } of citations)
            expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(quote);
          const [body = ''] = text.split('\n\nSources:\n');
          const evidence = bare(given.map((one) => toPlainPassage(one.text).text).join('\n'));
          for (const { text: section } of sections)
            for (const line of section.split('\n').slice(2))
              if (!line.startsWith('**')) expect(evidence).toContain(bare(line));
          for (const { index } of citations) expect(body).toContain(`[${index}]`);
        },
      ),
      { numRuns: cases(200) },
    );
    expect(quoted).toBeGreaterThan(10);
  });
});
