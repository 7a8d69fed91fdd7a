import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { extractiveReply } from '../../src/app/ask/extractive-reply.ts';
import { toRetrieverResult } from '../../src/app/search/search-docs.ts';
import type { Passage } from '../../src/documents/document.ts';
import { AnswerWriter } from '../../src/reply/answer-writer.ts';
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

import { sentencesOf } from '../support/citations.ts';
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

/** Removes white space and quotation marks, which an answer formats differently. */
const bare = (text: string) => text.replace(/[\s>]/g, '');

describe('an answer to any reply', () => {
  it('has citations that match the stored text, its passages and its markers', () => {
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
          expect(answer.citations.map((citation) => citation.index)).toEqual(
            answer.citations.map((_, position) => position + 1),
          );
          expect(answer.text).not.toContain('evil.example');
          expect(answer.text).not.toContain('999');
          const sources = answer.text.split(/\n\nSources:\n?/).at(-1) ?? '';
          if (answer.reason === 'no_context') expect(sources).toBe(' none');
          else
            expect(
              sources.split('\n').map((line) => /^\[(\d+)\] .*\(.*\)$/.exec(line)?.[1]),
            ).toEqual(answer.citations.map(({ index }) => String(index)));
        },
      ),
      { numRuns: cases(80) },
    );
  });

  it('is the same however its reply is split, and never retracts sent text', () => {
    fc.assert(
      fc.property(
        passages.chain((given) =>
          fc.tuple(
            fc.constant(given),
            reply(given),
            fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }),
          ),
        ),
        ([given, text, sizes]) => {
          const writer = new AnswerWriter({ passages: given });
          let shown = '';
          for (let from = 0, turn = 0; from < text.length; turn++) {
            const size = 1 + (sizes[turn % sizes.length] ?? 0);
            shown += writer.push(text.slice(from, from + size));
            from += size;
          }
          const { rest, answer } = writer.end();
          expect(shown + rest).toBe(answer.text);
          expect(answer).toEqual(groundReply(text, given));
        },
      ),
      { numRuns: cases(80) },
    );
  });

  it.each([
    ['keeps every sentence of the extractive model verbatim', (reply: string) => reply],
    [
      'keeps them with wrong citations too',
      (reply: string) =>
        reply.replace(/\[(\d+)\]/g, (_, number) => `[${(Number(number) * 7) % 6}]`),
    ],
  ])('%s', (_, numbered) => {
    let answered = 0;
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
          const search = {
            query: question,
            passages: given,
            coverage: 1,
            asked,
            mode: 'lexical',
            degraded: undefined,
          } as const;
          const use = {
            toolName: 'docsRetriever',
            toolCallId: 'call',
            args: { query: question, namespace: 'n' },
            search,
          } as const;
          const toolUses = [{ ...use, result: toRetrieverResult(search) }];
          const turn = {
            question,
            earlier: [],
            background: undefined,
            smallTalk: undefined,
            namespace: 'n',
            toolUses,
            passages: given,
          };
          const text = extractiveReply(turn);
          const answer = groundReply(numbered(text), given);
          const wanted = [...text.matchAll(/\[\d+\]/g)].length;
          const kept =
            answer.reason === 'answered'
              ? sentencesOf(answer.text.split('\n\nSources:\n')[0] ?? '')
              : [];
          if (kept.length > 0) answered++;
          // A list item can contain several sentences, each with a citation.
          expect(kept.length).toBeGreaterThanOrEqual(wanted);
          expect(answer.dropped).toBe(0);
          for (const sentence of kept)
            expect(
              given.some((passage) =>
                bare(toPlainPassage(passage.text).text).includes(bare(sentence)),
              ),
            ).toBe(true);
        },
      ),
      { numRuns: cases(200) },
    );
    expect(answered).toBeGreaterThan(10);
  });
});
