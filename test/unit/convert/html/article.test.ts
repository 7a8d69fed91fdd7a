import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../../packages/converters/src/html/parse-html.ts';

const story = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
  .map(
    (number) =>
      `<p>The ${number} paragraph of the story says, in some words, what happened in the town, and to whom.</p>`,
  )
  .join('');
const around = `<div class="byline">By Ada Writer</div><div class="related-stories"><h3>More stories</h3><p>Another story of the day, told at length,
  with commas, elsewhere.</p></div><div class="comments"><h3>Comments</h3><div class="comment"><p>A reader found this, to be honest, too long, and
  said so below it.</p></div></div><div class="sidebar"><p>A box next to the story, with an offer, and one more.</p></div>`;
const openGraph = '<meta property="og:type" content="article">';
const markdownOf = async (body: string, head = openGraph) =>
  (
    await parseHtml(
      `<html><head><title>A story – The Paper</title>${head}</head><body>${body}</body></html>`,
      'https://example.com/a',
    )
  ).markdown;
const page = (inside = '') =>
  `<div class="page"><h1>A story</h1><div class="story">${story}${inside}</div>${around}</div>`;

describe('a page that declares itself an article', () => {
  it.each([
    ['Open Graph', openGraph],
    ['JSON-LD', '<script type="application/ld+json">{"@type":"NewsArticle"}</script>'],
    [
      'JSON-LD with several types',
      '<script type="application/ld+json">{"@graph":[{"@type":["Thing","BlogPosting"]}]}</script>',
    ],
  ])('is reduced to the article if declared by %s', async (_, head) => {
    const markdown = await markdownOf(page(), head);
    expect(markdown).toMatch(/^# A story\n\nThe first paragraph/);
    expect(markdown).toContain('The fifth paragraph');
    for (const other of ['Ada Writer', 'Another story', 'A reader', 'A box next'])
      expect(markdown).not.toContain(other);
  });
  it('is reduced to the article if declared by microdata', async () => {
    expect(
      await markdownOf(`<div itemscope itemtype="http://schema.org/Article">${page()}</div>`, ''),
    ).not.toContain('A reader');
  });
  it('keeps closed answers below their questions', async () => {
    const faq =
      '<button aria-expanded="false" aria-controls="a">Who was there?</button><div id="a" hidden><p>Everybody.</p></div><details><summary>When?</summary><p>At noon.</p></details>';
    expect(await markdownOf(page(faq))).toContain(
      '## Who was there?\n\nEverybody.\n\n## When?\n\nAt noon.',
    );
  });
  it('loses hidden text', async () =>
    expect(await markdownOf(page('<p style="color:#fff">SECRET</p>'))).not.toContain('SECRET'));
  it('keeps escaped markup as text', async () => {
    const markdown = await markdownOf(
      page('<p>Write &lt;script&gt; and &amp;lt; &quot;so&quot;, then stop, as they all did.</p>'),
    );
    expect(markdown).toContain('Write `<script>` and \\&lt; "so", then stop');
  });
  it('keeps lists, tables and notes', async () => {
    const table =
      '<table><tr><th>Day</th><th>Guests</th></tr><tr><td>Monday</td><td>12</td></tr></table>';
    const markdown = await markdownOf(
      page(`<ol start="3"><li>Third of them</li></ol>${table}<aside><p>A note on it.</p></aside>`),
    );
    for (const text of ['3. Third of them', '| Day | Guests |', 'A note on it.'])
      expect(markdown).toContain(text);
  });
  it('is parsed as an ordinary page if it contains no article', async () => {
    expect(await markdownOf('<h1>A story</h1><p>Soon.</p>')).toBe('# A story\n\nSoon.');
  });
  it('is parsed as an ordinary page if it contains code', async () => {
    expect(await markdownOf(page('<pre>npm install</pre>'))).toContain('By Ada Writer');
  });
});

it('a page that declares itself a technical article is parsed as an ordinary page', async () => {
  const markdown = await markdownOf(
    page(),
    '<script type="application/ld+json">{"@type":"TechArticle"}</script>',
  );
  expect(markdown).toContain('By Ada Writer');
});
