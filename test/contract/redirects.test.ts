import { describe, expect, it } from 'vitest';
import { createProviderModel, ProviderEmbedder } from '../../src/models/provider.ts';
import { describeFailure } from '../../src/models/provider-failure.ts';
import { startSite } from '../support/site.ts';

/** An endpoint that redirects every request to another server, which records its requests. */
async function startRedirect(status: number) {
  const { url: other, requests: reached } = await startSite();
  const first = await startSite({}, (path) => ({ status, headers: { location: other + path } }));
  return { options: { apiKey: 'sk-secret', baseUrl: `${first.url}/v1`, model: 'small' }, reached };
}

describe.each([301, 302, 307, 308])('an endpoint that redirects with %i', (status) => {
  it('gets no question of a language model, and the log says what to do', async () => {
    const { options, reached } = await startRedirect(status);
    const model = await createProviderModel(options, 100);
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'a private question' }] },
    ];
    const asked = Promise.resolve(model.doStream({ prompt }));
    expect(describeFailure(await asked.catch((error: unknown) => error))).toBe(
      'the endpoint redirects: give its final address',
    );
    expect(reached).toEqual([]);
  });

  it('gets no text of an embedding model', async () => {
    const { options, reached } = await startRedirect(status);
    const embedded = new ProviderEmbedder(options).embed(['x'], new AbortController().signal);
    await expect(embedded).rejects.toThrow('The embedding model redirects');
    expect(reached).toEqual([]);
  });
});
