import { describe, expect, it } from 'vitest';
import {
  createCitationsScorer,
  createGroundingScorer,
  createRefusalScorer,
} from '../../../packages/mastra/src/scorers.ts';

const refunds = {
  title: 'Refunds',
  file: 'refunds.md',
  source: 'https://example.com/refunds',
  text: 'Refunds are open for 30 days.',
};
const office = {
  title: 'Office',
  file: 'office.md',
  source: '',
  text: 'The office opens at nine.',
};
const sources = 'Sources:\n[1] Refunds (https://example.com/refunds)\n[2] Office (office.md)';
const refused = 'I could not find that in the documents.\n\nSources: none';

/** Messages of an answer. @param coverage null: nothing was searched */
function messagesOf(text: string, coverage: number | null = 1, toolName = 'docsRetriever'): any[] {
  const result = { coverage, mode: 'lexical', results: [refunds, office] };
  const use = {
    type: 'tool-invocation',
    toolInvocation: { state: 'result', toolCallId: '1', toolName, args: {}, result },
  };
  return [
    {
      role: 'assistant',
      content: { format: 2, parts: [...(coverage === null ? [] : [use]), { type: 'text', text }] },
    },
  ];
}

const run = (
  scorer: ReturnType<typeof createGroundingScorer>,
  output: any[],
  groundTruth?: unknown,
) =>
  scorer.run({
    output,
    groundTruth,
    input: {
      inputMessages: [],
      rememberedMessages: [],
      systemMessages: [],
      taggedSystemMessages: {},
    },
  });

describe.each([
  ['the grounding scorer', createGroundingScorer],
  ['the citations scorer', createCitationsScorer],
])('%s', (_, create) => {
  const score = (...given: Parameters<typeof messagesOf>) => run(create(), messagesOf(...given));

  it('scores 1 if each sentence is in its source', async () => {
    const text = `Refunds are open for 30 days. [1] The office opens at nine. [2]\n\n${sources}`;
    expect(await score(text)).toMatchObject({ score: 1, reason: '2 of 2 sentences pass.' });
  });

  it('scores the share of supported sentences, and quotes the others', async () => {
    const text = `Refunds are open for 30 days. [1] The office opens at ten. [2]\n\n${sources}`;
    expect(await score(text)).toMatchObject({
      score: 0.5,
      reason: expect.stringContaining('The office opens at ten.'),
    });
  });

  it('does not score silence, small talk, refusals, sections and answers from other tools', async () => {
    const section = `**Refunds**\n\nRefunds are open for 30 days. [1]\n\n${sources}`;
    const given: Parameters<typeof messagesOf>[] = [[''], ['Hello!', null], [refused], [section]];
    given.push([`This may answer it:\n\n${section}`]);
    const calls = messagesOf(`You had 2 calls. [1]\n\nSources:\n[1] Your calls`, 1, 'listCalls');
    const results = [run(create(), []), run(create(), calls), ...given.map((one) => score(...one))];
    for (const { notScorable } of await Promise.all(results))
      expect(notScorable).toMatchObject({ step: 'preprocess' });
  });
});

it.each([createGroundingScorer, createCitationsScorer])(
  'a scorer asks its judge',
  async (create) => {
    const scorer = create({
      judge: (sentences) => sentences.map((one) => !one.includes('closed')),
    });
    const text = `Refunds are closed for 30 days. [1] Money comes back within 30 days. [1]\n\n${sources}`;
    expect(await run(scorer, messagesOf(text))).toMatchObject({
      score: 0.5,
      reason: expect.stringContaining('Refunds are closed for 30 days.'),
    });
  },
);

describe('the citations scorer', () => {
  it.each([
    ['Refunds are open for 30 days.', 'Cites nothing'],
    ['Refunds are open for 30 days. [3]', 'not listed'],
    ['Refunds are open for 30 days. [2]', 'Its source does not support it'],
  ])('scores 0 for: %s', async (text, reason) => {
    const result = await run(createCitationsScorer(), messagesOf(`${text}\n\n${sources}`));
    expect(result).toMatchObject({ score: 0, reason: expect.stringContaining(reason) });
    expect(await run(createGroundingScorer(), messagesOf(`${text}\n\n${sources}`))).toMatchObject({
      score: 1,
    });
  });
});

describe('the refusal scorer', () => {
  const answer = `Refunds are open for 30 days. [1]\n\n${sources}`;

  it.each([
    ['an answer with a source', answer, 1, undefined, 1],
    ['an answer without a source', 'Refunds are open for 30 days.', 1, undefined, 0],
    ['a refusal of a question that the passages do not cover', refused, 0.1, undefined, 1],
    ['a refusal of a question that the passages cover', refused, 0.9, undefined, 0],
    ['a refusal that the ground truth expects', refused, 0.9, { answered: false }, 1],
    ['an answer that the ground truth does not expect', answer, 1, { answered: false }, 0],
  ])('scores %s', async (_, text, coverage, groundTruth, score) => {
    expect(await run(createRefusalScorer(), messagesOf(text, coverage), groundTruth)).toMatchObject(
      { score },
    );
  });

  it('does not score silence and small talk', async () => {
    expect(await run(createRefusalScorer(), messagesOf(''))).toHaveProperty('notScorable');
    expect(await run(createRefusalScorer(), messagesOf('Hello!', null))).toHaveProperty(
      'notScorable',
    );
  });
});
