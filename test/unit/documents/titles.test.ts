import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../../packages/shared/src/markdown/headings.ts';
import {
  readDocumentFile,
  renderDocumentFile,
  toStored,
} from '../../../src/documents/document-file.ts';
import { TitledEntries } from '../../../src/documents/titles.ts';

const titled = (file: string, text: string) =>
  readDocumentFile('docs', file, { text, bytes: Buffer.byteLength(text), revision: 'sha256-0' });
const entry = (id: string, ...titles: string[]) => ({
  document: { id, file: `${id}.md`, title: titles[0] ?? '', source: `https://example.com/${id}` },
  titles,
});
type Entry = ReturnType<typeof entry>;
function entriesOf(all: Entry[], ageOf: (entry: Entry) => string = () => '') {
  const entries = new TitledEntries(ageOf);
  for (const one of all) entries.put(one);
  return entries;
}

describe('alternative titles of a document', () => {
  it('are its front matter, the next heading, the name of its source and its path', () => {
    expect(
      titled('a/some_page.md', '---\ntitle: Product\n---\n\n# Product\n\n## Window\n').titles,
    ).toEqual(['Product', 'Window', 'some page', 'a/some_page.md']);
    expect(titled('Server.md', '# Product\n\nText.').titles).toEqual([
      'Product',
      'Server',
      'Server.md',
    ]);
    expect(titled('a.md', '# Alpha page\r\n\r\nText.\r\n').document.title).toBe('Alpha page');
    expect(titled('a.md', '---\ntitle: 2.10 # now\n---\n').document.title).toBe('2.10');
    expect(titled('plain.md', 'Text.').titles).toEqual(['plain', 'plain.md']);
  });
  it('are cut, unlike the canonical URL', () => {
    const long = `https://example.com/${'x'.repeat(400)}`;
    const { document } = titled('a.md', `---\ntitle: ${long}\ncanonical: ${long}\n---\n`);
    expect([document.title, document.canonicalUrl]).toEqual([long.slice(0, 300), long]);
  });
  it('use the name of the ingested source, not the stored name with its hash', () => {
    const stored = (source: string, kind: string) =>
      titled(
        'fastify-0123456789ab.md',
        `---\ntitle: Fastify\nsource: ${source}\nkind: ${kind}\n---\n\nText.\n`,
      ).titles;
    expect(stored('https://fastify.dev/docs/Getting-Started/index.html#x', 'url')).toEqual([
      'Fastify',
      'Getting Started',
      'docs/Getting-Started',
    ]);
    expect(stored('./docs/README.md', 'file')).toEqual(['Fastify', 'docs']);
    expect(stored('https://fastify.dev/%E0%A4%A', 'url')).toEqual(['Fastify', '%E0%A4%A']);
    expect(stored('Some text', 'text')).toEqual(['Fastify']);
  });
  it('ignore lines of code', () => {
    const code = '```sh\n# curl -H x\n```\n\n## Context ##\n\n# ##\n\n# Real `<T>` in C#\n';
    expect([...headingsOf(code)]).toEqual([
      { level: 2, text: 'Context' },
      { level: 1, text: 'Real <T> in C#' },
    ]);
    expect(titled('a.md', code).document.title).toBe('Real <T> in C#');
  });
  it('decode character references of headings and front matter once', () => {
    const titleOf = (text: string) => titled('a.md', text).document.title;
    expect(titleOf('# Terms &amp; Conditions\n')).toBe('Terms & Conditions');
    expect(titleOf('---\ntitle: A &amp; B&#39;s &#8220;C&#x201d;&nbsp;&mdash; D\n---\n')).toBe(
      "A & B's “C” — D",
    );
    expect(titleOf('---\ntitle: Write &amp;lt; for &lt;\n---\n')).toBe('Write &lt; for <');
    expect(titleOf('# Write `&lt;` or \\&lt; for &lt;b&gt;\n')).toBe('Write &lt; or &lt; for <b>');
    expect(titleOf('# A &#8238;B &#0;&#xD800;&#x200b; &unknown; &\n')).toBe(
      'A &#8238;B &#0;&#xD800;&#x200b; &unknown; &',
    );
  });
  it('are read back unchanged from the stored file', async () => {
    for (const title of ['A & B', 'Write &amp;lt; for &lt;', '&lt;'.repeat(75)]) {
      const source = toStored({ title, origin: 'a', kind: 'text', markdown: 'Text.' });
      const text = await renderDocumentFile(source, new Date(0));
      expect(titled('a.md', text).document.title).toBe(title);
    }
  });
});

describe('the displayed title', () => {
  const shown = (entries: TitledEntries<Entry>) =>
    [...entries.values()].map(({ document }) => document.title);

  it('is the first unique alternative title, ignoring case, if several documents share a title', () => {
    const entries = entriesOf([
      entry('a', 'Product', 'Routes', 'a page'),
      entry('b', 'PRODUCT', 'Introduction', 'b page'),
      entry('c', 'product', 'introduction', 'page', 'c/page'),
      entry('d', 'page', 'd'),
    ]);
    expect(shown(entries)).toEqual(['Routes', 'b page', 'c/page', 'page']);
  });
  it('follows added, changed and removed documents in any order', () => {
    const entries = entriesOf([entry('a', 'Product', 'Routes'), entry('c', 'Product', 'Server')]);
    entries.put(entry('b', 'Product', 'Hooks'));
    // Entries with a displayed title are stored again.
    for (const one of [...entries.values()]) entries.put({ ...one });
    expect(shown(entries)).toEqual(['Routes', 'Server', 'Hooks']);
    entries.put(entry('b', 'Other', 'Hooks'));
    entries.put(entry('c', 'Third', 'Server'));
    expect(shown(entries).toSorted()).toEqual(['Other', 'Product', 'Third']);
    entries.put(entry('b', 'Product', 'Hooks'));
    expect([entries.remove('a'), entries.remove('a')]).toEqual([true, false]);
    expect(shown(entries).toSorted()).toEqual(['Product', 'Third']);
    expect(entries.size).toBe(2);
  });
  it('stays the same for the older of two documents', () => {
    const [older, newer] = [entry('b', 'Battery', 'Atlas'), entry('a', 'Battery', 'Planted')];
    const ageOf = ({ document }: Entry) => (document.id === 'b' ? '2026-01-01' : '2026-02-01');
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const entries = entriesOf(order, ageOf);
      expect([entries.get('b')?.document.title, entries.get('a')?.document.title]).toEqual([
        'Battery',
        'Planted',
      ]);
    }
  });
});

describe('the sorted list', () => {
  const files = (entries: TitledEntries<Entry>, query = '') =>
    entries.sorted(query).map(({ document }) => document.file);

  it('is ordered by file and follows changes and displayed titles', () => {
    const entries = entriesOf([entry('c', 'Product', 'Routes'), entry('a', 'Product', 'Hooks')]);
    expect(files(entries)).toEqual(['a.md', 'c.md']);
    entries.put(entry('b', 'Product', 'Server'));
    expect(entries.sorted().map(({ document }) => document.title)).toEqual([
      'Hooks',
      'Server',
      'Routes',
    ]);
    expect(files(entries, 'server')).toEqual(['b.md']);
    entries.put(entry('b', 'Changed'));
    expect([files(entries, 'server'), files(entries, 'changed')]).toEqual([[], ['b.md']]);
    entries.remove('b');
    expect([files(entries), files(entries, 'changed')]).toEqual([['a.md', 'c.md'], []]);
  });

  it.each([
    [' \u3000', ['a.md', 'b.md']],
    ['UBER strasse', ['a.md']],
    ['com/b', ['b.md']],
    ['price a.md', ['a.md']],
    ['price nothing', []],
  ])(
    'contains for the query %j the documents with all its words in title, file or source',
    (query, found) => {
      expect(
        files(entriesOf([entry('b', 'Price list'), entry('a', 'Über die Straße, Prices')]), query),
      ).toEqual(found);
    },
  );
});
