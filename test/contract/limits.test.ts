import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { generated } from '../support/answer-contract.ts';
import { sharedModel, startService, type TestService } from '../support/workspace.ts';

const ingest = (service: TestService, namespace: string, sources: unknown[]) =>
  service.ingest({ namespace, sources });
const text = (number: number, words = 1) => ({
  title: `T${number}`,
  text: `Text number ${number}. ${'Filling. '.repeat(words)}`,
});
const failuresOf = (body: { results: { error?: { code: string; message: string } }[] }) =>
  body.results.flatMap(({ error }) => error ?? []);

describe('the storage limits', () => {
  it('restrict the documents of a namespace, also for concurrent sources; stored documents can still change', async () => {
    const service = await startService({ LIMITS: 'documents=10' });
    const sources = Array.from({ length: 15 }, (_, number) => text(number));
    const { status, body } = await ingest(service, 'docs', sources);
    expect([status, body.added, body.failed]).toEqual([200, 10, 5]);
    for (const { code, message } of failuresOf(body)) {
      expect(code).toBe('limit_reached');
      expect(message).toMatch(
        /"docs" already has the maximum of 10 documents.*LIMITS: documents.*Delete/,
      );
    }
    const { total, documents } = (await service.get('/api/namespaces/docs/documents')).body;
    expect(total).toBe(10);
    const [{ id, title }] = documents;
    const added = async (source: object, namespace = 'docs') =>
      (await ingest(service, namespace, [source])).body;
    expect(await added({ title, text: 'Another wording.' })).toMatchObject({ updated: 1 });
    await service.delete(`/api/namespaces/docs/documents/${id}`);
    expect(await added(text(99))).toMatchObject({ added: 1 });
    expect(await added(text(99), 'other')).toMatchObject({ added: 1 });
  });

  it('restrict the bytes of a namespace; a document may still shrink', async () => {
    const service = await startService({ LIMITS: 'bytes=4096' });
    expect((await ingest(service, 'docs', [text(1, 300)])).body).toMatchObject({ added: 1 });
    const { status, body } = await ingest(service, 'docs', [text(2, 300)]);
    expect(status).toBe(422);
    expect(failuresOf(body)).toMatchObject([
      { code: 'limit_reached', message: expect.stringContaining('LIMITS: bytes') },
    ]);
    expect((await ingest(service, 'docs', [text(1, 500)])).body).toMatchObject({ failed: 1 });
    expect((await ingest(service, 'docs', [text(1, 100)])).body).toMatchObject({ updated: 1 });
    expect((await ingest(service, 'docs', [text(2, 100)])).body).toMatchObject({ added: 1 });
  });

  it('restrict the number of namespaces, also if several are created concurrently', async () => {
    const service = await startService({ LIMITS: 'namespaces=3' });
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ingest(service, name, [text(1), text(2)])),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(4);
    expect((await service.get('/api/namespaces')).body.namespaces).toHaveLength(3);
    expect(failuresOf(refused[0]?.body)[0]).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('LIMITS: namespaces'),
    });
  });
});

it('an endless model reply is a model error, and reading stops', async () => {
  const { provider, service } = await sharedModel(
    {},
    { 'docs/a.md': '# Refunds\n\nIn 30 days.\n' },
  );
  const piece = 'x'.repeat(100_000);
  let bytes = 0;
  provider.reply(async (_, response) => {
    const closed = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"');
    for (; !response.destroyed && bytes < 200_000_000; bytes += piece.length)
      if (!response.write(piece)) await Promise.race([closed, once(response, 'drain')]);
    response.end();
    return undefined;
  });
  expect(await generated(service, 'refunds?')).toMatchObject({ status: 502, code: 'model_failed' });
  expect(bytes).toBeLessThan(40_000_000);
});
