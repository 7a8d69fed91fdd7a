import { describe, expect, it } from 'vitest';
import { generated, problemsOf, streamed } from '../support/answer-contract.ts';
import { type BrokenWire, brokenWires } from '../support/broken-wires.ts';
import { isKept, type Stage, sentBy, startStage } from '../support/lie-stage.ts';
import { saying } from '../support/provider-wire.ts';
import { topics } from '../support/staged-handbook.ts';

const topic = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';

/** One broken reply, whole and streamed. */
async function hear({ provider, service, secrets }: Stage, { name, wire, keeps }: BrokenWire) {
  const problems: string[] = [];
  for (const ask of [generated, streamed]) {
    const asked = provider.requests.length;
    provider.reply(wire(`${sentence}. [1]`));
    const one = await ask(service, topic.question);
    const at = `${name}, ${ask.name}`;
    for (const problem of await problemsOf(one, service, provider.requests.at(-1), secrets)) problems.push(`${at}: ${problem}`);
    if (/evil|42 days/.test(sentBy(one))) problems.push(`${at}: it is told: ${one.text || one.raw}`);
    if (provider.requests.length - asked > 3) problems.push(`${at}: ${provider.requests.length - asked} calls of the model`);
    if (one.toolCalls.length !== 1) if (one.body) problems.push(`${at}: ${one.toolCalls.length} searches`);
    const isWanted = keeps === 'always' || (keeps === 'streamed' && ask === streamed);
    if (isWanted && !isKept(one, { kept: sentence })) problems.push(`${at}: what is honest is lost: ${one.code ?? one.text}`);
  }
  return problems;
}

describe('of a provider that breaks', () => {
  it('nothing but checked text or an error with a code reaches a caller', async () => {
    const stage = await startStage();
    const problems: string[] = [];
    for (const wire of brokenWires) problems.push(...(await hear(stage, wire)));
    console.log(`${brokenWires.length} broken replies, each whole and streamed`);
    expect(problems).toEqual([]);
  });

  it('a failure of the model is an error with a code', async () => {
    const { provider, service } = await startStage();
    for (const { name, wire } of brokenWires.filter(({ isFailure, name }) => isFailure && name !== 'no finish')) {
      if (name === 'a whole reply where a stream was asked for') continue;
      provider.reply(wire(`${sentence}. [1]`));
      expect((await generated(service, topic.question)).code, name).toMatch(/^model_/);
    }
  });

  // What is no stream, or ends before the model has said that it ended, is answered by "I could not find that in the documents."
  it.each(brokenWires.filter(({ isFailure, isSlow }) => isFailure && !isSlow))(
    'a failure of the model is an error with a code also in a stream: $name',
    async ({ wire }) => {
      const { provider, service } = await startStage();
      provider.reply(wire(`${sentence}. [1]`));
      expect((await streamed(service, topic.question)).code).toBe('model_failed');
    },
  );

  // The last sentence of a reply that was cut at its greatest length is taken for a whole one.
  it.each([
    ['Annual plans are refunded for the mon', generated],
    ['Annual plans are refunded for the mon', streamed],
    ['A refund of more than $500 is approved by the finance', generated],
  ] as const)('half a sentence is shown: %s', async (half, ask) => {
    const { provider, service } = await startStage();
    provider.reply(saying({ content: `${sentence}. [1] ${half}` }, 'length'));
    const told = await ask(service, `${topic.question} what is the price?`);
    expect(told.text).toContain(sentence);
    expect(told.text).not.toContain(half);
  });

  // How its checking grows is held by `reply-reader.test.ts`.
  it('a reply of 100 kB of citations is answered', async () => {
    const { provider, service } = await startStage();
    provider.reply('[1]'.repeat(33_000));
    expect((await generated(service, topic.question)).body.reason).not.toBe('answered');
  });
});
