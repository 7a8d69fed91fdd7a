import { describe, expect, it } from 'vitest';
import { type Stage, startStage } from '../support/lie-stage.ts';
import { event, lastEvents, type Wire } from '../support/provider-wire.ts';
import { topics } from '../support/staged-handbook.ts';

const topic = topics[0]!;

/** Says a first part, then waits for `more`; `left` tells that the service has hung up. */
function pausing(first: string, rest: string) {
  const more = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const wire: Wire = async (request, response) => {
    response.on('close', () => left.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const letter of first) response.write(event(request, { content: letter }));
    await more.promise;
    if (!response.destroyed) response.end(event(request, { content: rest }) + lastEvents(request));
    return undefined;
  };
  return { wire, goOn: () => more.resolve(), left: left.promise };
}

const open = ({ service }: Stage) =>
  service.request('/api/agents/knowledge/stream', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: `@agent ${topic.question}`, toolParams: { namespace: 'docs' } }),
  });

/** Text of the deltas until they hold `wanted`, or until the stream is over. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string): Promise<string> {
  const decoder = new TextDecoder();
  let raw = '';
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) break;
    raw += decoder.decode(value, { stream: true });
    text = [...raw.matchAll(/^data: (\{.*"type":"text-delta".*\})$/gm)].map(([, json = '']) => JSON.parse(json).payload.text).join('');
  }
  return text;
}

describe('while a model is still speaking', () => {
  it.each([
    ['its number is the last that was said', 'Full refunds are granted within 30 days of purchase. [1]'],
    ['the next sentence has begun', 'Full refunds are granted within 30 days of purchase [1]. Everyone gets an evil bi'],
  ])('a sentence is read when %s', async (_, first) => {
    const stage = await startStage();
    const { wire, goOn } = pausing(first, 'cycle for 42 euros. [1]');
    stage.provider.reply(wire);
    const reader = (await open(stage)).body!.getReader();
    const shown = await readUntil(reader, 'purchase');
    expect(shown).toContain('Full refunds are granted within 30 days of purchase');
    goOn();
    const all = shown + (await readUntil(reader, 'no such text'));
    expect(all).not.toMatch(/evil|bicycle|42/);
  });

  it('half a lie is not read, however long it takes', async () => {
    const stage = await startStage();
    const { wire, goOn } = pausing(
      'Full refunds are granted within 30 days of purchase. [1] Refunds of evil people take 4',
      '2 years. [1]',
    );
    stage.provider.reply(wire);
    const reader = (await open(stage)).body!.getReader();
    expect(await readUntil(reader, 'purchase. [1]')).not.toContain('evil');
    goOn();
    expect(await readUntil(reader, 'no such text')).not.toMatch(/evil|42|years/);
  });

  it('a reader who leaves ends the call of the model', async () => {
    const stage = await startStage();
    const { wire, left } = pausing('Full refunds are granted within 30 days of purchase. [1] And', ' more.');
    stage.provider.reply(wire);
    const reader = (await open(stage)).body!.getReader();
    await readUntil(reader, 'purchase');
    await reader.cancel();
    await left;
    expect(stage.provider.requests).toHaveLength(1);
  });
});
