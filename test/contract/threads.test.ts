import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { page, startSite } from '../support/site.ts';
import { everythingIn, startService, type TestService } from '../support/workspace.ts';

const sentence = 'The quokka eats eucalyptusleaves at night.';
const files = { 'docs/quokka.md': `# Quokka\n\n${sentence}\n` };
const threads = '/api/memory/threads';
async function ask(service: TestService, thread: string, headers = {}, namespace = 'docs') {
  const messages = '@agent what does the quokka eat?';
  const memory = { thread, resource: 'user-1' };
  return (await service.generate({ messages, toolParams: { namespace }, memory }, headers)).body;
}
const documentPath = async ({ get }: TestService) => {
  const [{ id }] = (await get('/api/namespaces/docs/documents')).body.documents;
  return `/api/namespaces/docs/documents/${id}`;
};

/** Counts the occurrences of the word in all files of INDEX_DIR. */
const traces = (service: TestService) =>
  everythingIn(join(service.folder, 'index')).split('eucalyptusleaves').length - 1;

async function expectForgotten({ get }: TestService, runId: string) {
  expect((await get(`/api/answers/${runId}`)).status).toBe(404);
  expect((await get(threads)).body.total).toBe(0);
}

describe('a deleted text', () => {
  it.each(['document', 'namespace'])(
    'is removed from conversations, answers and all files with its %s',
    async (what) => {
      const service = await startService({}, files);
      expect((await ask(service, 'thread-1')).text).toContain('eucalyptusleaves');
      await expect.poll(() => traces(service)).toBeGreaterThan(0);
      const path = what === 'document' ? await documentPath(service) : '/api/namespaces/docs';
      expect((await service.delete(path)).status).toBe(200);
      await service.close();
      expect(traces(service)).toBe(0);
    },
  );

  it('does not return with an answer that was in progress', async () => {
    const provider = await startFakeProvider();
    const service = await startService({ LLM_BASE_URL: provider.baseUrl }, files);
    const path = await documentPath(service);
    provider.reply(async () => {
      expect((await service.delete(path)).status).toBe(200);
      return `${sentence} [1]`;
    });
    const { text, runId } = await ask(service, 'thread-1');
    expect(text).toContain('eucalyptusleaves');
    await expectForgotten(service, runId);
    await service.close();
    expect(traces(service)).toBe(0);
  });

  it('is removed from them if its source disappeared and was pruned', async () => {
    const site = await startSite({ '/q': page('Quokka', sentence) });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    await service.ingest({ namespace: 'docs', sources: [`${site.url}/q`] });
    const { text, runId } = await ask(service, 'thread-1');
    expect(text).toContain('eucalyptusleaves');
    site.set('/q', undefined);
    const { body } = await service.post('/api/namespaces/docs/refresh', { prune: true });
    expect(body).toMatchObject({ removed: 1 });
    await expectForgotten(service, runId);
  });
});

describe('threads', () => {
  const keys = { API_KEYS: 'first,second' };
  const first = { 'x-api-key': 'first' };
  const second = { 'x-api-key': 'second' };

  it('are listed and deleted only by their owner, under their original names', async () => {
    const service = await startService(keys, { ...files, 'hr/quokka.md': files['docs/quokka.md'] });
    const named = async (query: string, headers: Record<string, string>) =>
      (await service.get(threads + query, headers)).body.threads
        .map(({ id }: { id: string }) => id)
        .sort();
    const remove = async (path: string) => (await service.delete(threads + path, first)).status;
    await ask(service, 'a/b', first);
    await ask(service, 'c', first);
    await ask(service, 'c', first, 'hr');
    await ask(service, 'd', second);
    expect(await named('', first)).toEqual(['a/b', 'c', 'c']);
    expect(await named('?namespace=hr', first)).toEqual(['c']);
    expect(await named('?resourceId=user-2', first)).toEqual([]);
    expect((await service.get(`${threads}?perPage=2&page=1`, first)).body).toMatchObject({
      total: 3,
      hasMore: false,
    });
    expect((await service.get(`${threads}?perPage=0`, first)).status).toBe(400);
    expect(await remove('/d')).toBe(404);
    expect(await remove('/c?namespace=docs')).toBe(200);
    expect(await remove('/a%2Fb')).toBe(200);
    expect(await named('', first)).toEqual(['c']);
    expect(await named('', second)).toEqual(['d']);
  });

  it('are named by their answers, but only to their owner', async () => {
    const service = await startService(keys, files);
    const { runId, text } = await ask(service, 'a/b', first);
    const read = async (headers: Record<string, string>) =>
      (await service.get(`/api/answers/${runId}`, headers)).body;
    expect((await read(first)).thread).toEqual({ id: 'a/b', resourceId: 'user-1' });
    const { messages } = (await service.get(`${threads}/a%2Fb/messages`, first)).body;
    expect(messages).toMatchObject([
      { role: 'user' },
      { id: runId, role: 'assistant', content: { content: text } },
    ]);
    const foreign = await read(second);
    expect([foreign.runId, foreign.thread]).toEqual([runId, undefined]);
  });
});
