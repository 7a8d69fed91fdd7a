import { describe, expect, it } from 'vitest';
import { KnowledgeError } from '../../../../src/errors.ts';
import { createBatchEmbedder } from '../../../../src/search/vectors/embedding-queue.ts';
import { createFakeEmbedder } from '../../../support/fake-embeddings.ts';

const refusal = () => new KnowledgeError('model_failed', 'no');
const texts = (count: number) => Array.from({ length: count }, (_, number) => `text ${number}`);
const signal = new AbortController().signal;

/** Which texts got a vector (1), were refused (0) or told nothing (-). */
async function embed(embedder: ReturnType<typeof createFakeEmbedder>, of: readonly string[], batches = createBatchEmbedder(embedder)) {
  const told = of.map(() => '-');
  const error = await batches
    .embed(of, signal, (position, vector) => {
      told[position] = vector ? '1' : '0';
    })
    .catch((thrown: unknown) => thrown);
  return { told: told.join(''), error, batches };
}

describe('a batch', () => {
  it('is one call', async () => {
    const embedder = createFakeEmbedder(8);
    expect((await embed(embedder, texts(8))).told).toBe('11111111');
    expect(embedder.asked).toHaveLength(1);
  });

  it('leaves out the one text that is refused, and no other', async () => {
    const embedder = createFakeEmbedder(8);
    embedder.before = (asked) => {
      if (asked.some((text) => text.startsWith('bad'))) throw refusal();
    };
    const { told, error, batches } = await embed(embedder, texts(8).with(5, 'bad text'));
    expect([told, error]).toEqual(['11111011', undefined]);
    expect(batches.maxTexts()).toBe(8);
  });

  it('takes the beginning of a text that is too long for the model', async () => {
    const embedder = createFakeEmbedder(8);
    embedder.before = (asked) => {
      if (asked.some((text) => text.length > 512)) throw refusal();
    };
    expect((await embed(embedder, ['short', 'x'.repeat(1_000), 'y'.repeat(2_000), 'z'.repeat(4_000)])).told).toBe('1110');
  });

  it('gets smaller where the provider takes fewer texts than it is said to', async () => {
    const embedder = createFakeEmbedder(64);
    embedder.before = (asked) => {
      if (asked.length > 10) throw refusal();
    };
    const { told, batches } = await embed(embedder, texts(64));
    expect(told).toBe('1'.repeat(64));
    expect(batches.maxTexts()).toBe(8);
    embedder.asked.length = 0;
    await embed(embedder, texts(8), batches);
    expect(embedder.asked).toHaveLength(1);
    expect(batches.maxTexts()).toBe(8);
  });

  it('gets smaller after a timeout, and slowly larger again', async () => {
    const embedder = createFakeEmbedder(64);
    embedder.before = () => {
      throw new KnowledgeError('timeout', 'slow');
    };
    const { told, error, batches } = await embed(embedder, texts(64));
    expect([told, error]).toMatchObject(['-'.repeat(64), { code: 'timeout' }]);
    expect(batches.maxTexts()).toBe(32);
    embedder.before = () => undefined;
    await embed(embedder, texts(32), batches);
    expect(batches.maxTexts()).toBe(33);
  });

  it('gives up on a provider that refuses everything, after few calls', async () => {
    const embedder = createFakeEmbedder(96);
    embedder.before = () => {
      throw refusal();
    };
    const { told, error } = await embed(embedder, texts(96));
    expect(error).toMatchObject({ code: 'model_failed' });
    expect(told).toBe(`0000${'-'.repeat(92)}`);
    expect(embedder.asked.length).toBeLessThan(20);
  });

  it('ends at once where the provider is down', async () => {
    const embedder = createFakeEmbedder(8);
    const down = new KnowledgeError('model_unavailable', 'down');
    embedder.before = () => {
      throw down;
    };
    expect(await embed(embedder, texts(8))).toMatchObject({ told: '--------', error: down });
    expect(embedder.asked).toHaveLength(1);
  });
});
