/** Replies whose sentences are modified passage units are repaired with the original units. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { AnswerWriter, type AnswerWriterOptions } from '../../src/reply/answer-writer.ts';
import { cases } from '../support/depth.ts';
import { groundReply } from '../support/grounded.ts';
import { passageOf } from '../support/passages.ts';

const passage = (title: string, text: string) =>
  passageOf(text, title, { start: 40, headingPath: [title] });

const passages = [
  passage(
    'Refunds',
    'Refunds are paid within 30 days of purchase. Gift cards are never refunded. Write to billing@example.com about refunds.\n\n| Plan | Price |\n|---|---|\n| Team | $28 |\n| Solo | $9 |',
  ),
  passage(
    'Calls',
    'Recordings of calls are kept for 90 days and then deleted.\n\n- Video calls hold 50 people.\n- Audio calls hold 200 people.\n\nInstall it:\n\n```sh\nnpm ci --omit=dev\nnpm start\n```\n\nSet `max_calls` to 1,000 per hour.',
  ),
];

const isCode = (unit: string) => unit.startsWith('```');
/** Units as a model writes them, with list, row or code marks. */
const units = passages.flatMap(({ text }, position) =>
  [...segments(text)].map(({ start, end, kind }) => {
    const own = text.slice(start, end);
    const marks = {
      code: `\`\`\`sh\n${own}\n\`\`\``,
      item: `- ${own}`,
      sentence: own,
      row: own,
    } as const;
    return { unit: marks[kind as keyof typeof marks] ?? own, position };
  }),
);

const changes: readonly ((unit: string) => string)[] = [
  (unit) => unit,
  (unit) => unit.replace(/\d/, '7'),
  (unit) => unit.replace(' are ', ' are not '),
  (unit) => unit.replace('$', '€').replace('days', 'weeks'),
  (unit) =>
    unit
      .replace('--omit=dev', '--force')
      .replace('example.com', 'evil.example')
      .replace('max_', 'min_'),
  (unit) =>
    isCode(unit) || unit.startsWith('|')
      ? unit
      : unit.replace(/\.$/, ' by courier, says Maria Lopez.'),
];

const cite = (unit: string, numbers: string) => {
  if (isCode(unit)) return `${unit}\n${numbers}`;
  return unit.startsWith('|') ? unit.replace(/\|$/, `${numbers} |`) : `${unit} ${numbers}`;
};

const sentence = fc
  .tuple(
    fc.constantFrom(...units),
    fc.constantFrom(...changes),
    fc.constantFrom('own', 'own', 'own', '[1][2]', '[2]', '[9]', ''),
  )
  .map(([{ unit, position }, change, numbers]) => {
    const text = cite(change(unit), numbers === 'own' ? `[${position + 1}]` : numbers);
    return /^[-|`]/.test(text) ? `\n\n${text}\n\n` : `${text} `;
  });
const replies = fc
  .array(fc.oneof(sentence, fc.constant('The moon is made of cheese. [1] ')), { maxLength: 8 })
  .map((unit) => unit.join(''));

const question = 'within how many days are refunds paid?';
const asked = contentWords(question).map(({ term, isName }) => ({
  word: term,
  forms: [{ term, weight: 1 }],
  idf: 1,
  isName,
}));
const options: fc.Arbitrary<Partial<AnswerWriterOptions>> = fc.constantFrom(
  {},
  { question, asked },
  { maxSentences: 2 },
);

const bare = (text: string) => text.replace(/\s/g, '');

describe('a reply of modified units', () => {
  it('produces the same answer however it is split', () => {
    let repaired = 0;
    fc.assert(
      fc.property(
        replies,
        options,
        fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 40 }),
        (text, some, sizes) => {
          const writer = new AnswerWriter({ passages, ...some });
          let shown = '';
          for (let from = 0, turn = 0; from < text.length; turn++) {
            const size = 1 + (sizes[turn % sizes.length] ?? 0);
            shown += writer.push(text.slice(from, from + size));
            from += size;
          }
          const { rest, answer } = writer.end();
          expect(shown + rest).toBe(answer.text);
          expect(answer).toEqual(groundReply(text, passages, some));
          repaired += answer.repaired ?? 0;
        },
      ),
    );
    expect(repaired).toBeGreaterThan(cases(10));
  });

  it('is repaired with whole cited units, each once, at most two in a row from one passage', () => {
    fc.assert(
      fc.property(replies, options, (text, some) => {
        const {
          sentences = [],
          citations,
          repaired = 0,
          text: shown,
        } = groundReply(text, passages, some);
        const repairs = sentences.filter((one) => one.repaired);
        expect(repairs).toHaveLength(repaired);
        let row: string[] = [];
        for (const one of sentences) {
          const cited = citations[one.index - 1];
          if (!one.repaired || !cited) {
            row = [];
            continue;
          }
          expect(one.score).toBe(1);
          expect(one.repaired.text).not.toBe(one.text);
          const plain = toPlainPassage(cited.passage.text).text;
          expect(
            [...segments(plain)].map(({ start, end }) => bare(plain.slice(start, end))),
          ).toContain(bare(one.text));
          expect(bare(cited.quote)).toContain(bare(one.text));
          row =
            row.at(-1) === cited.passage.chunkId
              ? [...row, cited.passage.chunkId]
              : [cited.passage.chunkId];
          expect(row.length).toBeLessThanOrEqual(2);
        }
        expect(new Set(sentences.map((one) => one.text)).size).toBe(sentences.length);
        expect(shown).not.toMatch(/evil\.example|--force|min_calls|€|Maria Lopez|moon/);
      }),
    );
  });
});
