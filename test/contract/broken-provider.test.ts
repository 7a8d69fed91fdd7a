import { describe, expect, it } from 'vitest';
import { generated, problemsOf, streamed } from '../support/answer-contract.ts';
import { type BrokenWire, brokenWires } from '../support/broken-wires.ts';
import { cases, sampled } from '../support/depth.ts';
import { isKept, type Stage, sentBy, sharedStage } from '../support/lie-stage.ts';
import { saying } from '../support/provider-wire.ts';
import { topics } from '../support/staged-handbook.ts';

const topic = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';

const isDeep = cases(1) > 1;

async function problemsWith(
  { provider, service, secrets }: Stage,
  { name, wire, keeps, isFailure }: BrokenWire,
  ask: typeof generated,
) {
  provider.reply(wire(`${sentence}. [1]`));
  const one = await ask(service, topic.question);
  const problems = await problemsOf(one, service, provider.requests.at(-1), secrets);
  if (/evil|42 days/.test(sentBy(one)))
    problems.push(`false text was sent: ${one.text || one.raw}`);
  if (provider.requests.length > 3) problems.push(`${provider.requests.length} calls of the model`);
  if (one.body && one.toolCalls.length !== 1) problems.push(`${one.toolCalls.length} searches`);
  // A reply that is not a stream, or ends early, is an error, never an answer.
  if (isFailure && !(name === 'no finish' && ask === generated) && !one.code?.startsWith('model_'))
    problems.push(`the code is ${one.code}`);
  const isWanted = keeps === 'always' || (keeps === 'streamed' && ask === streamed);
  if (isWanted && !isKept(one, { kept: sentence }))
    problems.push(`a supported sentence is lost: ${one.code ?? one.text}`);
  return problems.map((problem) => `${name}, ${ask.name}: ${problem}`);
}

describe('with a broken provider', () => {
  it('a caller receives only checked text or an error with a code', async () => {
    const problems: string[] = [];
    for (const [order, wire] of sampled(brokenWires, 30).entries())
      for (const [way, ask] of [generated, streamed].entries())
        if (isDeep || wire.isFailure || (order + way) % 2 === 0)
          problems.push(...(await problemsWith(await sharedStage(), wire, ask)));
    expect(problems).toEqual([]);
  });

  // The last sentence of a reply that reached its maximum length counts as complete.
  it.each([
    ['Annual plans are refunded for the mon', generated],
    ['Annual plans are refunded for the mon', streamed],
    ['A refund of more than $500 is approved by the finance', generated],
  ] as const)('no half sentence is shown: %s', async (half, ask) => {
    const { provider, service } = await sharedStage();
    provider.reply(saying({ content: `${sentence}. [1] ${half}` }, 'length'));
    const answer = await ask(service, `${topic.question} what is the price?`);
    expect(answer.text).toContain(sentence);
    expect(answer.text).not.toContain(half);
  });
});
