import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createProviderModel, ProviderEmbedder } from '../../src/models/provider.ts';
import { describeFailure } from '../../src/models/provider-failure.ts';
import { whenDone } from '../support/when-done.ts';

/** A server that redirects every request to another server, which records its requests. */
async function startRedirect(status: number) {
  const reached: string[] = [];
  const listen = async (answer: Parameters<typeof createServer>[1]) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    whenDone(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const other = await listen((request, response) => {
    reached.push(request.url ?? '');
    response.end('{}');
  });
  const first = await listen((request, response) => {
    request.resume();
    response.writeHead(status, { location: `${other}${request.url}` }).end();
  });
  const options = { apiKey: 'sk-secret', baseUrl: `${first}/v1`, model: 'small' };
  return { options, reached };
}

describe.each([301, 302, 307, 308])('an endpoint that redirects with %i', (status) => {
  it('gets no question of a language model, and the log says what to do', async () => {
    const { options, reached } = await startRedirect(status);
    const model = await createProviderModel(options, 100);
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'a private question' }] },
    ];
    const failure = await Promise.resolve(model.doStream({ prompt })).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(describeFailure(failure)).toBe('the endpoint redirects: give its final address');
    expect(reached).toEqual([]);
  });

  it('gets no text of an embedding model', async () => {
    const { options, reached } = await startRedirect(status);
    const embedder = new ProviderEmbedder(options);
    await expect(embedder.embed(['a private text'], new AbortController().signal)).rejects.toThrow(
      'The embedding model redirects: give its final address.',
    );
    expect(reached).toEqual([]);
  });
});
