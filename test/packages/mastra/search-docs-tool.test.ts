/** The search tool against the real app in this process, and against servers that misbehave. */
import { describe, expect, it, vi } from 'vitest';
import { createSearchDocsTool } from '../../../packages/mastra/src/index.ts';
import { useService } from '../../support/workspace.ts';

const key = 'sk-secret-of-the-search';
const service = useService(
  { API_KEYS: `${key}=docs` },
  { 'docs/refunds.md': '# Refunds\n\nRefunds are open for 30 days.\n' },
);
const inProcess: typeof fetch = async (address, init) =>
  service().request(new URL(String(address)).pathname, init);
const options = { url: 'https://docs.example/', apiKey: key, namespace: 'docs', fetch: inProcess };

const search = async (
  given: Partial<Parameters<typeof createSearchDocsTool>[0]>,
  input: unknown = { query: 'refunds' },
): Promise<any> =>
  createSearchDocsTool({ ...options, ...given }).execute?.(input as never, {} as never);
const failure = (given: Parameters<typeof search>[0]) =>
  search(given).catch((error: Error) => error.message);

describe('the search tool', () => {
  it('returns passages of the server', async () => {
    const { results, coverage } = await search({});
    expect(results[0]).toMatchObject({
      title: 'Refunds',
      file: 'refunds.md',
      text: expect.stringContaining('30 days'),
    });
    expect(coverage).toBeGreaterThan(0.5);
  });

  it('lets the model choose the query only', async () => {
    let sent: any;
    const record: typeof fetch = async (address, init) => {
      sent = JSON.parse(String(init?.body));
      return inProcess(address, init);
    };
    const input = { query: 'refunds', namespace: 'hr', maxResults: 50 };
    await search({ fetch: record, maxResults: 3 }, input);
    expect(sent).toEqual({ query: 'refunds', namespace: 'docs', maxResults: 3 });
  });

  it('rejects an empty query', async () => {
    expect(await search({}, { query: '' })).toMatchObject({ error: true });
  });

  it('quotes the sentence of a server that rejects the key or the namespace', async () => {
    expect(await failure({ apiKey: 'wrong' })).toMatch(/key/i);
    expect(await failure({ namespace: 'hr' })).toContain('hr');
  });

  it.each([
    [
      'that is down',
      () => Promise.reject(new TypeError(`fetch failed with ${key}`)),
      'The connection to https://docs.example failed.',
    ],
    [
      'that returns a web page',
      async () => new Response('<html>'),
      'https://docs.example returned an unexpected response.',
    ],
    [
      'that returns status 502',
      async () => new Response('<html>', { status: 502 }),
      'returned the unexpected status 502.',
    ],
  ])('explains a server %s, without the key', async (_, fetch, message) => {
    const sentence = await failure({ fetch });
    expect(sentence).toContain(message);
    expect(sentence).not.toContain(key);
  });

  it('gives up when the agent is aborted or the time is over', async () => {
    let signal: AbortSignal | null | undefined;
    const hang: typeof fetch = async (_, init) => {
      signal = init?.signal;
      signal?.throwIfAborted();
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal?.reason)),
      );
    };
    const aborting = new AbortController();
    const context = { abortSignal: aborting.signal } as never;
    const tool = createSearchDocsTool({ ...options, fetch: hang });
    const searching = tool.execute?.({ query: 'refunds' }, context);
    await expect.poll(() => signal).toBeDefined();
    aborting.abort(new Error('the caller left'));
    await expect(searching).rejects.toThrow('the caller left');
    const timeout = vi
      .spyOn(AbortSignal, 'timeout')
      .mockReturnValue(AbortSignal.abort(new Error('too late')));
    await expect(search({ fetch: hang })).rejects.toThrow('too late');
    expect(timeout).toHaveBeenCalledWith(10_000);
    timeout.mockRestore();
  });

  it('keeps the path prefix of the server', async () => {
    const asked: string[] = [];
    const record: typeof fetch = async (address) => {
      asked.push(String(address));
      return Response.json({ results: [] });
    };
    await search({ url: 'https://docs.example/knowledge/', fetch: record });
    expect(asked).toEqual(['https://docs.example/knowledge/api/tools/searchDocs']);
  });
});
