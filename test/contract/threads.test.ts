import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { page, startSite } from '../support/site.ts';
import { everythingIn, startService, type TestService } from '../support/workspace.ts';

const ask = (service: TestService, thread: string, headers = {}, namespace = 'docs') =>
  service.generate(
    {
      messages: '@agent what does the quokka eat?',
      toolParams: { namespace },
      memory: { thread, resource: 'user-1' },
    },
    headers,
  );
const files = { 'docs/quokka.md': '# Quokka\n\nThe quokka eats eucalyptusleaves at night.\n' };
const remove = async (service: TestService, path: string, headers = {}) =>
  (await service.delete(path, headers)).status;

/** Counts the occurrences of a word in all files of INDEX_DIR. */
const traces = (service: TestService, word: string) =>
  everythingIn(join(service.folder, 'index')).split(word).length - 1;

describe('a deleted text', () => {
  it.each(['document', 'namespace'])(
    'is removed from conversations, answers and all files with its %s',
    async (what) => {
      const service = await startService({}, files);
      expect((await ask(service, 'thread-1')).body.text).toContain('eucalyptusleaves');
      expect(await remove(service, '/api/memory/threads/none')).toBe(404);
      expect(traces(service, 'eucalyptusleaves')).toBeGreaterThan(0);
      const [{ id }] = (await service.get('/api/namespaces/docs/documents')).body.documents;
      const path =
        what === 'document' ? `/api/namespaces/docs/documents/${id}` : '/api/namespaces/docs';
      expect(await remove(service, path)).toBe(200);
      await service.close();
      expect(traces(service, 'eucalyptusleaves')).toBe(0);
    },
  );

  it('does not return with an answer that was in progress', async () => {
    const provider = await startFakeProvider();
    const service = await startService({ LLM_BASE_URL: provider.baseUrl }, files);
    const [{ id }] = (await service.get('/api/namespaces/docs/documents')).body.documents;
    provider.reply(async () => {
      expect(await remove(service, `/api/namespaces/docs/documents/${id}`)).toBe(200);
      return 'The quokka eats eucalyptusleaves at night. [1]';
    });
    const { body } = await ask(service, 'thread-1');
    expect(body.text).toContain('eucalyptusleaves');
    expect((await service.get(`/api/answers/${body.runId}`)).status).toBe(404);
    expect((await service.get('/api/memory/threads')).body.total).toBe(0);
    await service.close();
    expect(traces(service, 'eucalyptusleaves')).toBe(0);
  });

  it('is removed from them if its source disappeared and was pruned', async () => {
    const site = await startSite({
      '/q': page('Quokka', 'The quokka eats eucalyptusleaves at night.'),
    });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    await service.ingest({
      namespace: 'docs',
      sources: [`${site.url}/q`],
    });
    const { body } = await ask(service, 'thread-1');
    expect(body.text).toContain('eucalyptusleaves');
    expect((await service.get('/api/memory/threads')).body.total).toBe(1);
    site.set('/q', undefined);
    expect(
      (await service.post('/api/namespaces/docs/refresh', { prune: true })).body,
    ).toMatchObject({ removed: 1 });
    expect((await service.get('/api/memory/threads')).body.total).toBe(0);
    expect((await service.get(`/api/answers/${body.runId}`)).status).toBe(404);
  });
});

describe('threads', () => {
  const keys = { API_KEYS: 'first,second' };
  const first = { 'x-api-key': 'first' };
  const second = { 'x-api-key': 'second' };
  const named = async (service: TestService, query: string, headers: Record<string, string>) =>
    (await service.get(`/api/memory/threads${query}`, headers)).body.threads
      .map(({ id }: { id: string }) => id)
      .sort();

  it('are listed and deleted only by their owner, under their original names', async () => {
    const service = await startService(keys, { ...files, 'hr/quokka.md': files['docs/quokka.md'] });
    await ask(service, 'a/b', first);
    await ask(service, 'c', first);
    await ask(service, 'c', first, 'hr');
    await ask(service, 'd', second);
    expect(await named(service, '', first)).toEqual(['a/b', 'c', 'c']);
    expect(await named(service, '?namespace=hr', first)).toEqual(['c']);
    expect(await named(service, '?resourceId=user-2', first)).toEqual([]);
    expect((await service.get('/api/memory/threads?perPage=2&page=1', first)).body).toMatchObject({
      total: 3,
      hasMore: false,
    });
    expect((await service.get('/api/memory/threads')).status).toBe(401);
    expect((await service.get('/api/memory/threads?perPage=0', first)).status).toBe(400);
    expect(await remove(service, '/api/memory/threads/d', first)).toBe(404);
    expect(await remove(service, '/api/memory/threads/c?namespace=docs', first)).toBe(200);
    expect(await remove(service, '/api/memory/threads/a%2Fb', first)).toBe(200);
    expect(await named(service, '', first)).toEqual(['c']);
    expect(await named(service, '', second)).toEqual(['d']);
  });

  it('are named by their answers, but only to their owner', async () => {
    const service = await startService(keys, files);
    const { runId, text } = (await ask(service, 'a/b', first)).body;
    const { body } = await service.get(`/api/answers/${runId}`, first);
    expect(body.thread).toEqual({ id: 'a/b', resourceId: 'user-1' });
    const { messages } = (await service.get('/api/memory/threads/a%2Fb/messages', first)).body;
    expect(messages).toMatchObject([
      { role: 'user' },
      { id: runId, role: 'assistant', content: { content: text } },
    ]);
    const foreign = await service.get(`/api/answers/${runId}`, second);
    expect([foreign.status, foreign.body.runId, foreign.body.thread]).toEqual([
      200,
      runId,
      undefined,
    ]);
  });
});
