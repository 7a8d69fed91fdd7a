import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerWriter } from '../../src/knowledge/answer/answer-writer.ts';
import { toPlainPassage } from '../../src/knowledge/answer/plain-passage.ts';
import { renderTurnPrompt } from '../../src/knowledge/answer/turn-prompt.ts';
import { units } from '../../src/knowledge/text/units.ts';
import type { Snippet } from '../../src/knowledge/types.ts';
import { createExtractiveModel } from '../../src/mastra/models/extractive-model.ts';
import { markdown } from '../support/documents.ts';
import { groundReply } from '../support/grounded.ts';

/** A passage somewhere in a stored file. */
const snippet = fc
  .record({
    text: markdown,
    start: fc.nat({ max: 10_000 }),
    title: fc.string({ unit: 'binary', maxLength: 30 }),
    heading: fc.string({ maxLength: 20 }),
  })
  .map(
    ({ text, start, title, heading }): Snippet => ({
      chunkId: 'c',
      text,
      score: 1,
      start,
      end: start + text.length,
      headingPath: [heading],
      anchor: null,
      page: null,
      document: { id: 'd', namespace: 'n', file: 'f.md', title, source: 'f.md', kind: 'file', revision: 'r', bytes: 1, textLanguage: 'en' },
    }),
  );
const passages = fc.array(snippet, { minLength: 1, maxLength: 4 });

import { sentencesOf } from '../support/citations.ts';

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

/** A model's reply: true sentences with right and wrong numbers, and lies. */
const reply = (given: readonly Snippet[]) => {
  const truths = given.flatMap(({ text }) => [...units(text)].map((unit) => text.slice(unit.start, unit.end)));
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

describe('an answer made of anything', () => {
  it('has citations that slice back, lie in a given passage, and are the markers of its text', () => {
    fc.assert(
      fc.property(
        passages.chain((given) => fc.tuple(fc.constant(given), reply(given))),
        ([given, text]) => {
          const answer = groundReply(text, given, 'n');
          for (const { snippet: cited, quote, start, end } of answer.citations) {
            expect(given).toContain(cited);
            expect(cited.start <= start && end <= cited.end && start < end).toBe(true);
            expect(cited.text.slice(start - cited.start, end - cited.start)).toBe(quote);
          }
          expect(answer.citations.map((citation) => citation.index)).toEqual(answer.citations.map((_, position) => position + 1));
          expect(answer.text).not.toContain('evil.example');
          expect(answer.text).not.toContain('999');
          const sources = answer.text.split(/\n\nSources:\n?/).at(-1) ?? '';
          if (answer.reason === 'no_context') expect(sources).toBe(' none');
          else
            expect(sources.split('\n').map((line) => /^\[(\d+)\] .*\(.*\)$/.exec(line)?.[1])).toEqual(
              answer.citations.map(({ index }) => String(index)),
            );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is the same however its reply is cut on the way, and what was shown is never taken back', () => {
    fc.assert(
      fc.property(
        passages.chain((given) =>
          fc.tuple(fc.constant(given), reply(given), fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 })),
        ),
        ([given, text, sizes]) => {
          const writer = createAnswerWriter({ passages: given, namespace: 'n' });
          let shown = '';
          for (let from = 0, turn = 0; from < text.length; turn++) {
            const size = 1 + (sizes[turn % sizes.length] ?? 0);
            shown += writer.push(text.slice(from, from + size));
            from += size;
          }
          const { rest, answer } = writer.end();
          expect(shown + rest).toBe(answer.text);
          expect(answer).toEqual(groundReply(text, given, 'n'));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps every sentence of the extractive model, and each is a piece of a passage', async () => {
    const model = createExtractiveModel();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        passages,
        fc.constantFrom('quote here', 'item more', 'lorem ipsum dolor', 'text', '返金 30日'),
        async (given, question) => {
          const prompt = renderTurnPrompt({
            question,
            passages: given.map(({ text, headingPath }, position) => ({
              number: position + 1,
              label: headingPath.join(),
              text: toPlainPassage(text).text,
            })),
          });
          const { content } = await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }] });
          const [part] = content;
          const text = part?.type === 'text' ? part.text : '';
          const answer = groundReply(text, given, 'n');
          const wanted = text === 'NO_ANSWER' ? 0 : [...text.matchAll(/\[\d+\]/g)].length;
          const kept = answer.reason === 'answered' ? sentencesOf(answer.text.split('\n\nSources:\n')[0] ?? '') : [];
          if (kept.length > 0) answered++;
          expect(kept).toHaveLength(wanted);
          for (const sentence of kept) expect(given.some((passage) => toPlainPassage(passage.text).text.includes(sentence))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    expect(answered).toBeGreaterThan(30);
  });
});
