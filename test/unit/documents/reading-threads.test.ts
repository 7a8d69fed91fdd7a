import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { terms } from '../../../packages/shared/src/language/tokens.ts';
import { DocumentStore } from '../../../src/documents/document-store.ts';
import { readDocument } from '../../../src/documents/read-document.ts';
import { createBackgroundReader } from '../../../src/documents/reading-threads.ts';
import { splitProse } from '../../../src/documents/split-prose.ts';

const sentence = 'A refund takes five working days after the return has reached us. ';
const long = `# Refunds\n\n${sentence.repeat(40)}\n`;

async function start(maxMs = 600_000) {
  const folder = await mkdtemp(join(tmpdir(), 'read-documents-'));
  await mkdir(join(folder, 'docs'));
  const files = Array.from({ length: 40 }, (_, at) => `${at}.md`);
  for (const [at, file] of files.entries())
    await writeFile(
      join(folder, 'docs', file),
      at % 4 === 0 ? long : `---\ntags: [tag${at}]\n---\n# Title ${at}\n\nWord${at} is here §.\n`,
      at === 39 ? 'latin1' : 'utf8',
    );
  const store = new DocumentStore(folder);
  const read = createBackgroundReader(store, { folder, needsTexts: true }, maxMs);
  return { files, read, readHere: readDocument.bind(undefined, store, splitProse) };
}

describe('many files', () => {
  it('get the same result from the worker thread, in order, with terms', async () => {
    const { files, read, readHere } = await start();
    const order: string[] = [];
    const all = await Promise.all(
      files.map((file) => read('docs', file, undefined).finally(() => order.push(file))),
    );
    expect(order).toEqual(files);
    expect(files.filter((_, at) => all[at]!.content!.isDamaged)).toEqual(['39.md']);
    for (const [at, file] of files.entries()) {
      const { terms: numbered, ...content } = all[at]!.content!;
      expect({ ...all[at], content }).toEqual(await readHere('docs', file, undefined));
      const written = [...numbered!.numbers].map((number) => numbered!.words[number]);
      const expected = content.texts.flatMap(({ headingPath, text }, chunk) =>
        [
          all[at]!.document.title,
          ...(chunk === 0 && content.about ? [content.about] : []),
          ...headingPath,
          text,
        ].flatMap((field) => [...terms(field)]),
      );
      expect(written).toEqual(expected);
    }
  });

  it('report missing, unchanged and unreadable ones separately', async () => {
    const { files, read } = await start();
    const { document } = (await read('docs', '1.md', undefined))!;
    const asked = [
      read('docs', '1.md', document.revision),
      read('docs', 'no.md', undefined),
      read('No name', '1.md', undefined),
    ];
    const others = files.map((file) => read('docs', file, undefined));
    const [known, missing, refused] = await Promise.allSettled(asked);
    expect(known).toMatchObject({ value: { document } });
    expect(known).not.toHaveProperty('value.content');
    expect(missing).toEqual({ status: 'fulfilled', value: undefined });
    expect(refused).toMatchObject({ reason: { code: 'source_not_allowed' } });
    expect((await Promise.all(others)).every((one) => one?.content)).toBe(true);
  });

  it('are read without the thread if it times out', async () => {
    const { read } = await start(1);
    const all = await Promise.all(
      ['0.md', '1.md', '2.md', '3.md'].map((file) => read('docs', file, undefined)),
    );
    expect(all.map((one) => one?.document.title)).toEqual([
      'Refunds',
      'Title 1',
      'Title 2',
      'Title 3',
    ]);
    expect(all.every((one) => (one?.content?.chunks.length ?? 0) > 0)).toBe(true);
  });
});

describe('a single file', () => {
  it('is read by the thread only if its prose must be split', async () => {
    const { read, readHere } = await start();
    expect((await read('docs', '1.md', undefined))?.content?.terms).toBeUndefined();
    const cut = await read('docs', '0.md', undefined);
    expect(cut?.content?.terms).toBeDefined();
    expect(cut?.content?.chunks).toEqual(
      (await readHere('docs', '0.md', undefined))?.content?.chunks,
    );
  });
});
