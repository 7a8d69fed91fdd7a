import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  answerWithMeaning,
  answerWithStatus,
  type FakeEmbeddings,
  meaningOf,
  startFakeEmbeddings,
} from '../support/fake-embeddings.ts';
import { startService, type TestService, temporaryFolder } from '../support/workspace.ts';

const files = {
  'docs/access.md': '# Entry\n\nLog in from any device.\n',
  'docs/kitchen.md': '# Kitchen\n\nThe coffee machine is cleaned by the caretaker.\n',
  'docs/parking.md': '# Parking\n\nBicycles are parked in the cellar of the house.\n',
};
/** Means the same as a word of `parking.md`, but shares no word or lexicon synonym with it. */
const paraphrase = 'velocipedes';
const knowsVelocipedes: Parameters<FakeEmbeddings['script']>[0] = ({ input }) =>
  input.map((text) => meaningOf(text.toLowerCase().replace(/velocipedes/g, 'bicycles')));

async function startEmbeddings(): Promise<FakeEmbeddings> {
  const provider = await startFakeEmbeddings();
  provider.script(knowsVelocipedes);
  return provider;
}

const settingsOf = ({ baseUrl }: FakeEmbeddings) => ({
  EMBEDDING_MODEL: 'fake',
  LLM_BASE_URL: baseUrl,
  LLM_API_KEY: 'sk-server-secret',
});
const search = async ({ find }: TestService, query: string) =>
  (await find({ query, namespace: 'docs' })).body;
const filesOf = (body: { results: { file: string }[] }) => body.results.map(({ file }) => file);
const untilHybrid = (service: TestService) =>
  vi.waitUntil(async () => (await search(service, 'anything')).mode === 'hybrid', {
    interval: 10,
    timeout: 60_000,
  });
const embeddedTexts = ({ requests }: FakeEmbeddings) => requests.flatMap(({ input }) => input);

/** Answers without a model: the provider offers only embeddings. */
async function start() {
  const provider = await startEmbeddings();
  const service = await startService(settingsOf(provider), files, { model: 'extractive' });
  return { provider, service };
}

describe('with an embedding model', () => {
  it('searches only words until the vectors are ready', async () => {
    const provider = await startEmbeddings();
    const released = Promise.withResolvers<void>();
    provider.script(async ({ input }) => {
      await released.promise;
      return input.map(meaningOf);
    }, answerWithMeaning);
    const service = await startService(settingsOf(provider), files);
    const kitchen = { file: 'kitchen.md' };
    const early = await search(service, 'coffee');
    expect(early).toMatchObject({ mode: 'lexical', results: [kitchen] });
    expect(early).not.toHaveProperty('degraded');
    released.resolve();
    await untilHybrid(service);
    const found = await search(service, 'coffee machine');
    expect(found).toMatchObject({ mode: 'hybrid', namespace: 'docs', results: [kitchen, {}, {}] });
    expect(found).not.toHaveProperty('degraded');
  });

  it('finds a paraphrase without a common word', async () => {
    const { service } = await start();
    const words = await startService({}, files);
    expect(filesOf(await search(words, paraphrase))).toEqual([]);
    await untilHybrid(service);
    const found = await search(service, paraphrase);
    expect(found.mode).toBe('hybrid');
    expect(filesOf(found)[0]).toBe('parking.md');
    for (const { start: from, end, text, file } of found.results)
      expect((await service.storedText('docs', file)).slice(from, end)).toBe(text);
  });
});

it('a provider that fails leaves word search, and its reason is reported', async () => {
  const { provider, service } = await start();
  await untilHybrid(service);
  provider.script(answerWithStatus(400, {}, 'upstream says sk-server-secret'));
  const before = provider.requests.length;
  const found = await search(service, 'coffee machine');
  expect(provider.requests).toHaveLength(before + 1);
  const results = [{ file: 'kitchen.md' }];
  expect(found).toMatchObject({ mode: 'lexical', degraded: 'model_failed', results });
  expect(found.coverage).toBeGreaterThan(0.35);
  expect(JSON.stringify(found)).not.toMatch(/upstream|sk-/);
});

it('vectors are stored and reused after a restart, and removed without an embedding model', async () => {
  const provider = await startEmbeddings();
  const INDEX_DIR = join(await temporaryFolder(), 'index');
  const first = await startService({ ...settingsOf(provider), INDEX_DIR }, files);
  await untilHybrid(first);
  await first.close();
  const before = embeddedTexts(provider).length;
  const second = await startService({ ...settingsOf(provider), INDEX_DIR }, files);
  const found = await search(second, paraphrase);
  expect(found).toMatchObject({ mode: 'hybrid', results: [{ file: 'parking.md' }, {}, {}] });
  await second.close();
  const third = await startService({ LLM_BASE_URL: provider.baseUrl, INDEX_DIR }, files);
  const wordsOnly = await search(third, 'coffee');
  expect(wordsOnly).toMatchObject({ mode: 'lexical', results: [{ file: 'kitchen.md' }] });
  expect(wordsOnly).not.toHaveProperty('degraded');
  await third.close();
  expect(existsSync(join(INDEX_DIR, 'vectors'))).toBe(false);
  expect(readdirSync(INDEX_DIR)).not.toEqual([]);
  expect(embeddedTexts(provider).slice(before)).toEqual([paraphrase]);
});

it('the agent uses vectors', async () => {
  const { service } = await start();
  await untilHybrid(service);
  const { body } = await service.generate({
    messages: '@agent who cleans the coffee machine?',
    toolParams: { namespace: 'docs' },
  });
  expect(body.toolResults[0].result).toMatchObject({
    mode: 'hybrid',
    results: [{ file: 'kitchen.md' }, {}, {}],
  });
});
