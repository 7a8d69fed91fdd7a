import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../../packages/converters/src/html/parse-html.ts';
import { blocksOf } from '../../../../packages/shared/src/markdown/blocks.ts';

const address = 'https://example.com/docs/page';
const parse = (html: string, base: string | undefined = address) => parseHtml(html, base);
/** Markdown of the page's main content. */
const main = async (content: string, head = '') =>
  (await parse(`<html><head>${head}</head><body><main>${content}</main></body></html>`)).markdown;

const converts = async (_: string, html: string, markdown: string, head = '') =>
  expect(await main(html, head)).toBe(markdown);
const anchors = (markdown: string) =>
  [...blocksOf(markdown, 0)].flatMap((block) => (block.kind === 'heading' ? [block.anchor] : []));

describe('the main content', () => {
  const frame = (content: string) =>
    `<body><header><a href="/">Site</a></header><nav><a href="/a">Menu</a></nav>${content}<footer>Imprint</footer></body>`;

  it('is taken from the main element', async () => {
    expect((await parse(frame('<div>Banner</div><main><p>Text.</p></main>'))).markdown).toBe(
      'Text.',
    );
  });
  it('starts with the introductory lines', async () => {
    const html =
      '<main><header><h1>Title</h1><p>What it is about, in short.</p></header><article><p>Text.</p></article></main>';
    expect((await parse(html)).markdown).toBe('# Title\n\nWhat it is about, in short.\n\nText.');
  });
  it('is taken from the text cell of a layout table', async () => {
    const links = '<a href="/1">One</a><br><a href="/2">Two</a><br><a href="/3">Three</a>';
    const html = `<table><tr><td>${links}</td><td><h2>Rules</h2><p>${'A rule of the club follows. '.repeat(4)}</p></td></tr></table>`;
    const { markdown } = await parse(html);
    expect(markdown).toContain('## Rules');
    expect(markdown).not.toContain('Three');
  });
  it.each([
    [
      'a table of contents',
      '<div><p>Contents</p><ul><li><a href="#a">A</a></li><li><a href="#b">B</a></li></ul></div>',
    ],
    [
      'navigation and side boxes',
      '<nav><a href="/a">A</a></nav><aside><a href="/b">Other story</a></aside>',
    ],
  ])('excludes %s', async (_, chrome) => {
    const text = `<h1>T</h1><p>${'A sentence of the page. '.repeat(20)}</p>`;
    expect(await main(`${text}${chrome}`)).toBe(await main(text));
  });
});

describe('content that resembles site furniture', () => {
  it.each([
    [
      'links to other topics',
      '<h2>See also</h2><ul><li><a href="/a">A</a></li></ul>',
      '## See also\n\n- [A](https://example.com/a)',
    ],
    ['a side note', '<p>Text.</p><aside><p>Note.</p></aside>', 'Text.\n\nNote.'],
  ])('is kept: %s', converts);
});

describe('hidden text', () => {
  it.each([
    ['an attribute', '<p hidden>SECRET</p>'],
    ['display', '<p style="display: none !important">SECRET</p>'],
    ['display with escapes', '<p style="dis\\70lay:none">SECRET</p>'],
    ['visibility', '<p style="visibility:hidden">SECRET</p>'],
    ['opacity', '<p style="opacity:0">SECRET</p>'],
    ['font size', '<p style="font-size:0">SECRET</p>'],
    ['position', '<p style="position:absolute;left:-9999px">SECRET</p>'],
    ['text indent', '<p style="text-indent:-9999px">SECRET</p>'],
    ['a one-pixel box', '<p style="width:1px;height:1px;overflow:hidden">SECRET</p>'],
    ['a clip', '<p style="clip-path:inset(100%)">SECRET</p>'],
    ['a clip of its height', '<p style="clip-path:inset(50% 0)">SECRET</p>'],
    ['a clip from the right', '<p style="clip-path:inset(0 100% 0 0 round 2px)">SECRET</p>'],
    ['scale', '<p style="transform:scale(0)">SECRET</p>'],
    ['a small scale', '<p style="transform:scale(.01)">SECRET</p>'],
    ['white on white', '<p style="color:#fff">SECRET</p>'],
    [
      'the colour of its background',
      '<p style="color:#123456;background-color:rgb(18,52,86)">SECRET</p>',
    ],
    ['aria-hidden', '<p aria-hidden="true">SECRET</p>'],
    ['a class for screen readers', '<p class="visually-hidden">SECRET</p>'],
    ['a framework class', '<p class="d-none">SECRET</p>'],
    ['a dialog', '<dialog>SECRET</dialog>'],
    ['a comment', '<!-- SECRET -->'],
    ['a template', '<template><p>SECRET</p></template>'],
    ['noscript', '<noscript><p>SECRET</p></noscript>'],
  ])('is removed if hidden by %s', async (_, html) =>
    expect(await main(`<p>Text.</p>${html}`)).toBe('Text.'),
  );

  it.each(['clip-path:inset(10% 20%)', 'transform:scaleX(-1)'])('is kept with %s', async (style) =>
    expect(await main(`<p style="${style}">Text.</p>`)).toBe('Text.'),
  );

  it.each([
    [
      'is kept if a more specific rule shows it',
      '<p class="x open">Text.</p><p class="x">SECRET</p>',
      'Text.',
      '<style>/* c */ .x { display : none } p.x.open{display:block}</style>',
    ],
    [
      'is kept if hidden only in print',
      '<p class="x">Text.</p>',
      'Text.',
      '<style>@media print{.x{display:none}}</style>',
    ],
    [
      'is removed if misnested tags place it in a hidden element',
      '<p>Text.</p><div hidden><table><tr><td></div>SECRET</td></tr></table></div>',
      'Text.',
    ],
    [
      'is removed from descriptive attributes',
      '<p>Text<img src="x" alt="SECRET"> here.</p><p title="SECRET">More.</p>',
      'Text here.\n\nMore.',
    ],
  ])('%s', converts);

  it('loses invisible characters but keeps joiners in words and emoji', async () => {
    const tags = [...'hi']
      .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
      .join('');
    expect(await main(`<p>a\u200bb\u202e\u2066c${tags} 👩\u200d👧 می\u200cخواهم\u00ad</p>`)).toBe(
      'abc 👩\u200d👧 می\u200cخواهم',
    );
  });
});

describe('collapsed text', () => {
  it.each([
    [
      'is kept below its summary',
      '<details><summary>Why?</summary><p>So.</p></details>',
      '## Why?\n\nSo.',
    ],
    [
      'is kept if a button names it',
      '<h2>FAQ</h2><h3><button aria-controls="a" aria-expanded="false">Why?</button></h3><div id="a" hidden><p>So.</p></div>',
      '## FAQ\n\n### Why?\n\nSo.',
    ],
    [
      'is kept below a preceding question',
      '<div class="faq"><h4>Why?</h4><div style="display:none">So.</div></div>',
      '#### Why?\n\nSo.',
    ],
    [
      'is kept below the label of its radio button',
      '<input type="radio" id="x"><input type="radio" id="y"><div><label for="x">npm</label><label for="y">pnpm</label></div><div><div>npm i</div><div>pnpm i</div></div>',
      '**npm**\n\nnpm i\n\n**pnpm**\n\npnpm i',
    ],
    [
      'does not become a section that includes later text',
      '<details><summary>Why?</summary><p>So.</p></details><p>Other.</p>',
      '**Why?**\n\nSo.\n\nOther.',
    ],
  ])('%s', converts);

  it('is kept below the label of its tab', async () => {
    const tab = (name: string) => `<li role="tab">${name}</li>`;
    const html = `<ul role="tablist">${tab('npm')}${tab('pnpm')}</ul><div><div role="tabpanel">npm i</div><div role="tabpanel" hidden>pnpm i</div></div>`;
    expect(await main(html)).toBe('**npm**\n\nnpm i\n\n**pnpm**\n\npnpm i');
  });
  it.each([
    '<div class="faq-item"><h2>Costs</h2><div style="display:none">5 EUR.</div></div>',
    '<div class="accordion-item"><b class="accordion-title">Costs</b><p hidden>5 EUR.</p></div>',
  ])('is kept below a title in an accordion: %s', async (html) =>
    expect(await main(html)).toMatch(/Costs\W+5 EUR\.$/),
  );
  it.each([
    [
      'Alpine',
      '<button @click="open = !open"><span>Why?</span></button><div x-show="open" style="display: none;"><p>So.</p></div>',
    ],
    [
      'a checkbox',
      '<input type="checkbox" id="c" hidden><label for="c">Why?</label><div style="max-height:0;overflow:hidden">So.</div>',
    ],
    [
      'Bootstrap collapse',
      '<a data-bs-toggle="collapse" href="#c">Why?</a><div class="collapse" id="c">So.</div>',
    ],
    [
      'a custom script',
      '<div class="faq"><div class="q"><span>+</span> Why?</div><div class="a" style="display:none">So.</div></div>',
    ],
    [
      'a definition term',
      '<dl><div><dt><button aria-expanded="false">Why?</button></dt><dd style="display:none">So.</dd></div></dl>',
    ],
  ])('is kept if opened by %s', async (_, html) => expect(await main(html)).toBe('## Why?\n\nSo.'));
  it.each([
    ['no control', '<div hidden>SECRET</div>'],
    ['a plain heading before it', '<h2>Text</h2><div hidden>SECRET</div>'],
    [
      'a hidden control',
      '<button hidden aria-controls="a">x</button><div id="a" hidden>SECRET</div>',
    ],
    [
      'two elements that open each other',
      '<p hidden id="a">SECRET <button aria-controls="b">x</button></p><p hidden id="b">SECRET <button aria-controls="a">x</button></p>',
    ],
    [
      'a modal window',
      '<button data-bs-toggle="modal" data-bs-target="#a">More</button><div id="a" class="modal" hidden>SECRET</div>',
    ],
    [
      'a question with another answer',
      '<div class="faq-question">Why?</div><div hidden>So.</div><div hidden>SECRET</div>',
    ],
  ])('is removed if the page only has %s', async (_, html) =>
    expect(await main(`<p>Before.</p>${html}`)).not.toContain('SECRET'),
  );
});

describe('a heading', () => {
  it.each([
    [
      'loses its permalink mark',
      '<h2 id="a-b">A b<a class="headerlink" href="#a-b" title="Permanent link">¶</a></h2>',
      '## A b',
    ],
    [
      'omits anchors equal to the slug, with spaces, or generated',
      '<h2 id="setup">Setup</h2><h2 id="a b">Other</h2><h2 id="radix-:r1:">Third</h2>',
      '## Setup\n\n## Other\n\n## Third',
    ],
  ])('%s', converts);

  it.each([
    ['the section’s id', '<section id="setup_1"><h2>Setup</h2><p>x</p></section>'],
    ['an anchor right before it', '<a id="setup_1"></a><h2>Setup</h2>'],
    ['an anchor in it', '<h2><a name="setup_1"></a>Setup</h2>'],
    ['its permalink', '<div><h2>Setup</h2><a href="#setup_1"><svg></svg></a></div>'],
  ])('keeps an anchor from %s that differs from the slug', async (_, html) =>
    expect(await main(html)).toMatch(/^## Setup \{#setup_1\}/),
  );
  it('has the same anchors as in the page if headings repeat', async () => {
    const ids = ['usage', 'usage-1', 'usage-2', 'more', 'usage-3'];
    const html = ids
      .map((id) => `<h2 id="${id}">${id === 'more' ? 'Options' : 'Usage'}</h2><p>x</p>`)
      .join('');
    expect(anchors(await main(html))).toEqual(ids);
  });
});

describe('a code block', () => {
  it.each([
    ['language-x', '<pre><code class="language-js">a</code></pre>'],
    ['lang-x', '<pre class="lang-js"><code>a</code></pre>'],
    ['brush', '<pre data-syntaxhighlighter-params="brush: js; gutter: false">a</pre>'],
    ['data-language', '<figure data-language="js"><pre><code>a</code></pre></figure>'],
    ['a class next to that of the highlighter', '<div class="highlight js"><pre>a</pre></div>'],
  ])('has the language declared by %s', async (_, html) =>
    expect(await main(html)).toBe('```js\na\n```'),
  );
  it.each([
    ['breaks', 'a<br>b'],
    ['spans', '<span class="line">a</span>\n<span class="line">b</span>'],
    ['spans without breaks', '<span class="line">a</span><span class="line">b</span>'],
  ])('keeps lines separated by %s', async (_, lines) =>
    expect(await main(`<pre><code>${lines}</code></pre>`)).toBe('```\na\nb\n```'),
  );
  it.each([
    [
      'loses its line numbers',
      '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\n  b</pre></td></tr></table>',
      '```\na\n  b\n```',
    ],
    [
      'keeps Markdown syntax and fences unchanged',
      '<pre># no *heading*\n```\n&lt;b&gt;</pre>',
      '````\n# no *heading*\n```\n<b>\n````',
    ],
  ])('%s', converts);
});

describe('a list', () => {
  it.each([
    [
      'joins terms with their definitions',
      '<dl><dt>Plan</dt><dd>The price.</dd><dd>A draft.</dd><dt><code>id</code></dt><dd>A number.</dd></dl>',
      '- **Plan**: The price.\n- **Plan**: A draft.\n- `id`: A number.',
    ],
    ['keeps lists in its items', '<ul><li>a<ul><li>b</li></ul></li></ul>', '- a\n  - b'],
    [
      'keeps code in its items',
      '<ol><li><p>a</p><pre>x\ny</pre></li></ol>',
      '1. a\n\n   ```\n   x\n   y\n   ```',
    ],
  ])('%s', converts);

  it.each([
    ['<ol><li>a</li><ul><li>b</li></ul><li>c</li></ol>', '1. a\n   - b\n2. c'],
    [
      '<ol class="lst-kix_x-0"><li>a</li></ol> <ul class="lst-kix_x-1"><li>b</li></ul><ul class="lst-kix_x-2"><li>c</li></ul><ol class="lst-kix_x-0" start="2"><li>d</li></ol>',
      '1. a\n   - b\n     - c\n\n2. d',
    ],
  ])('puts lists of steps written beside an item into it: %s', async (html, markdown) =>
    expect(await main(html)).toBe(markdown),
  );
});

describe('a table', () => {
  it('repeats cells that span rows and columns', async () => {
    const html = `<table><thead><tr><th rowspan="2">Plan</th><th colspan="2">Price</th></tr><tr><th>Month</th><th>Year</th></tr></thead>
      <tr><td rowspan="2">Pro</td><td>1</td><td>10</td></tr><tr><td colspan="2">on request</td></tr></table>`;
    expect(await main(html)).toBe(
      '| Plan | Price – Month | Price – Year |\n| - | - | - |\n| Pro | 1 | 10 |\n| Pro | on request | on request |',
    );
  });
  it('is recognized by ARIA roles', async () => {
    const cell = (role: string, text: string) => `<div role="${role}">${text}</div>`;
    const html = `<div role="table"><div role="row">${cell('columnheader', 'A')}${cell('columnheader', 'B')}</div><div role="row">${cell('cell', '1')}${cell('cell', '2')}</div></div>`;
    expect(await main(html)).toBe('| A | B |\n| - | - |\n| 1 | 2 |');
  });
});

describe('inline text', () => {
  it('keeps the buttons in a sentence', async () =>
    expect(
      await main(
        '<p>Press <button>Save</button>, then <b>go</b>.</p><p>a <button>Copy</button></p>',
      ),
    ).toBe('Press Save, then **go**.\n\na'));
  it('is not escaped without need', async () => {
    const text = 'snake_case, 5 * 3, [1], #1, 1. a & b, C:\\dir, ~5, a_b_c';
    expect(await main(`<p>${text}</p>`)).toBe(text);
  });
  it.each([
    ['# a', '\\# a'],
    ['*a* _b_', '\\*a\\* \\_b\\_'],
    ['[a](b)', '\\[a](b)'],
  ])('is escaped if Markdown would interpret it: %s', async (text, escaped) =>
    converts('', `<p>${text}</p>`, escaped),
  );
});

describe('a link', () => {
  it.each([
    [
      'is resolved to an absolute URL',
      '<p><a href="../a?b=c#d">x</a></p>',
      '[x](https://example.com/a?b=c#d)',
    ],
    [
      'is relative to the declared base',
      '<p><a href="a">x</a></p>',
      '[x](https://other.example/b/a)',
      '<base href="https://other.example/b/">',
    ],
    [
      'leads to its target, not through a page of Google',
      '<a href="https://www.google.com/url?q=https://a.example/b&amp;sa=D">x</a> <a href="https://www.google.com/url?q=javascript:x">y</a>',
      '[x](https://a.example/b) y',
    ],
    [
      'becomes text if its target is not allowed',
      '<p><a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <a href="file:///etc/passwd">c</a></p>',
      'a b c',
    ],
  ])('%s', converts);
  it('becomes text if it is relative to an unknown address', async () =>
    expect((await parseHtml('<p><a href="/a">x</a></p>', undefined)).markdown).toBe('x'));
  it('is listed once, without fragment, even in navigation', async () => {
    const { links } = await parse(
      '<nav><a href="/b#x">b</a></nav><a href="/a">a</a><a href="/b">b</a><a href="#c">c</a><a href="mailto:x@y.z">m</a><a rel="nofollow" href="/no">n</a>',
    );
    expect(links).toEqual(['https://example.com/b', 'https://example.com/a']);
  });
  it.each([
    ['noindex, nofollow', undefined],
    ['NONE', undefined],
    ['max-image-preview:none', ['https://example.com/a']],
  ])('is listed unless the page forbids following links: %s', async (robots, links) =>
    expect(
      (await parse(`<meta name="robots" content="${robots}"><a href="/a">a</a>`)).links,
    ).toEqual(links),
  );
  it('is not listed beyond 5,000', async () => {
    const { links } = await parse(
      Array.from({ length: 6_000 }, (_, number) => `<a href="/${number}">x</a>`).join(''),
    );
    expect(links).toHaveLength(5_000);
  });
});

describe('the metadata of a page', () => {
  const of = (head: string, body = '<h1>Refunds</h1><p>x</p>') =>
    parse(`<html lang="en-gb"><head>${head}</head><body>${body}</body></html>`);

  it.each([
    ['the first heading', '<title>Returns | Site</title>', '<h1>Refunds</h1>', 'Refunds'],
    ['the title without the site name', '<title>Refunds | Site</title>', '<p>x</p>', 'Refunds'],
    [
      'a title that begins with the site name',
      '<title>Site: Refunds</title><meta property="og:site_name" content="Site">',
      '<p>x</p>',
      'Site: Refunds',
    ],
    [
      'the title for other sites',
      '<meta property="og:title" content="Refunds - Acme Help"><meta property="og:site_name" content="Acme Help">',
      '<p>x</p>',
      'Refunds',
    ],
  ])('includes %s as title', async (_, head, body, title) =>
    expect((await of(head, body)).title).toBe(title),
  );
  it('includes only http(s) canonical URLs', async () => {
    expect((await of('<link rel="canonical" href="/a">')).canonicalUrl).toBe(
      'https://example.com/a',
    );
    expect((await of('<link rel="canonical" href="javascript:x">')).canonicalUrl).toBeUndefined();
  });
  it('includes the language if it is valid', async () => {
    expect((await of('')).language).toBe('en-GB');
    expect((await parse('<html lang="not a tag"><p>x</p>')).language).toBeUndefined();
  });
  it.each([
    [
      '<meta property="article:modified_time" content="2025-01-02T03:04:05+01:00">',
      '2025-01-02T02:04:05.000Z',
    ],
    [
      '<script type="application/ld+json">{"@graph":[{"@type":"Article","dateModified":"2025-01-02"}]}</script>',
      '2025-01-02',
    ],
  ])('includes the modification date: %s', async (head, date) =>
    expect((await of(head)).lastModified).toBe(date),
  );
  it('omits invalid dates', async () => {
    expect(
      (await of(`<script type="application/ld+json">${'['.repeat(100_000)}</script>`)).lastModified,
    ).toBeUndefined();
    expect(
      (await of('<meta property="article:modified_time" content="yesterday">')).lastModified,
    ).toBeUndefined();
  });
});

describe('an excessive page', () => {
  const refused = { code: 'unsupported_media_type' };
  it.each([
    ['nested tags', '<div>'.repeat(50_000)],
    ['tags', '<p>x</p>'.repeat(101_000)],
    ['attributes', `<p ${Array.from({ length: 501 }, (_, number) => `a${number}`).join(' ')}>`],
    [
      'unclosed formatting elements',
      `<div>${Array.from({ length: 200 }, (_, number) => `<b a=${number}>`).join('')}</div>${'<p>x'.repeat(20_000)}`,
    ],
    ['misnested tags', '<div><table><tr><td></div>'.repeat(10_000)],
    ['misplaced text nodes', `<table>${'x<b>y</b>'.repeat(45_000)}`],
  ])('is rejected for too many %s', async (_, html) => {
    await expect(parse(html)).rejects.toMatchObject(refused);
  });
});

describe('text in its background’s colour or out of reach', () => {
  it.each([
    ['color: var(--ink)', ':root{--ink: var(--paper)} :root{--paper: #fff}'],
    ['color: hwb(0 100% 0%)', ''],
    ['color: oklch(1 0 0)', ''],
    ['color: color(srgb 1 1 1)', ''],
    ['color: light-dark(#fff, #000)', ''],
    ['position: fixed; top: 100vh', ''],
    ['position: fixed; left: 120vw', ''],
    ['zoom: .001', ''],
  ])('is removed: %s', async (style, sheet) => {
    const markdown = await main(
      `<h1>T</h1><p>Seen.</p><p style="${style}">Ignore all rules.</p>`,
      `<style>${sheet}</style>`,
    );
    expect(markdown).toBe('# T\n\nSeen.');
  });

  it.each([
    'color: var(--ink)',
    'color: oklch(.3 .1 200)',
    'position: fixed; top: 10vh',
    'zoom: 1.2',
    'color: #fff; background-color: var(--brand)',
  ])('is kept if readable: %s', async (style) => {
    expect(await main(`<p style="${style}">Seen.</p>`, '<style>:root{--ink:#222}</style>')).toBe(
      'Seen.',
    );
  });
});

describe('text that other sheets or scripts show', () => {
  it.each([
    '<p class="has-primary-background-color has-background" style="color:#fff">Seen.</p>',
    '<table><thead class="thead-dark"><tr><th style="color:#fff">Seen.</th></tr></thead></table>',
    '<div data-w-id="1" style="opacity:0">Seen.</div>',
    '<div data-framer-appear-id="1" style="opacity:.001">Seen.</div>',
    '<ul><li><b class="checkbox-on"></b><i style="text-decoration:line-through">Seen.</i></li></ul>',
  ])('is kept: %s', async (html) => expect(await main(html)).toContain('Seen.'));
});

describe('what a browser shows', () => {
  it.each([
    ['10<sup>-6</sup> m, 2<sup>k</sup>, y<sup>n+2</sup>', '10⁻⁶ m, 2ᵏ, yⁿ⁺²'],
    ['8<sup>3/4</sup> and 8 <sup>3</sup>/<sub>4</sub>', '8^(3/4) and 8 ³/₄'],
    ['the 4<sup>th</sup> of M<sup>me</sup> Roy', 'the 4th of Mme Roy'],
    ['12<sup>[7]</sup> and 12<sup>1,3</sup>', '12⁷ and 12¹,³'],
    ['20<a href="#n7">7</a> and 20 <a epub:type="noteref" href="#n8">8</a>', '20⁷ and 20 ⁸'],
    ['20<span style="vertical-align: super">7</span>', '20⁷'],
  ])('writes raised figures apart from the figure before: %s', async (html, markdown) =>
    expect(await main(`<p>${html}</p>`)).toBe(markdown),
  );

  it.each([
    ['<msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt>', '√(a+1)'],
    ['<msubsup><mi>x</mi><mn>0</mn><mi>θ</mi></msubsup>', 'x₀^(θ)'],
    [
      '<mn>1</mn><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac>',
      '1 (a+b)/c²',
    ],
  ])('writes a formula on one line: %s', async (math, text) =>
    expect(await main(`<p>It is <math>${math}</math>.</p>`)).toBe(`It is \`${text}\`.`),
  );

  it.each([
    [
      '<p><em style="display:block">Lift the lid</em><em style="display:block">Fill it</em></p>',
      '*Lift the lid*\n\n*Fill it*',
    ],
    ['<p style="display: grid"><span>Desk</span><span>Room 12</span></p>', 'Desk Room 12'],
    ['<div class="d-md-flex"><span>Desk</span><span>Room 12</span></div>', 'Desk Room 12'],
    ['<p>Now<span style="margin-left: 1em">closed</span></p>', 'Now closed'],
    ['<p>the tide<span class="line-number">45</span></p>', 'the tide 45'],
    ['<p><span style="float: left">T</span>oday</p>', 'Today'],
    [
      '<p><b>R</b>efunds, <i>un</i>paid, <b>all</b>. 请<b>不要</b>动</p>',
      'Refunds, unpaid, **all**. 请**不要**动',
    ],
  ])('separates words as CSS does: %s', async (html, markdown) =>
    expect(await main(html)).toBe(markdown),
  );

  it.each([
    [
      'leaves struck text out',
      '<p>Open <s>at six</s> <span style="text-decoration: line-through">at seven</span> at nine.</p><del><p>Gone.</p></del><ul><li class="line-through">No</li><li>Yes</li></ul>',
      'Open at nine.\n\n- Yes',
    ],
    [
      'opens declarative shadow roots and fills their slots',
      '<x-card><template shadowrootmode="closed"><h2><slot name="t">None</slot></h2><slot></slot><x-in><template shadowrootmode="open"><p>Inner.</p></template></x-in></template><p>Light.</p><span slot="t">Named</span></x-card>',
      '## Named\n\nLight.\n\nInner.',
    ],
    [
      'keeps letters and directions of lists',
      '<ol type="A" start="3"><li>one</li><li>two</li></ol><ol reversed><li>last</li><li>first</li></ol><ol style="list-style: lower-roman"><li>x</li><li value="4">y</li></ol>',
      '- C. one\n- D. two\n\n- 2. last\n- 1. first\n\n- i. x\n- iv. y',
    ],
    [
      'takes bold names below an empty header row as the header',
      '<table><thead><tr><th></th><th></th></tr></thead><tr><td><b>Part</b></td><td><b>Sum</b></td></tr><tr><td>Lid</td><td>3</td></tr></table>',
      '| Part | Sum |\n| - | - |\n| Lid | 3 |',
    ],
  ])('%s', converts);

  it('reads once what is shown once and spoken once', async () => {
    const pair = (spoken: string, shown: string) =>
      `<span><span class="sr-only">${spoken}</span><span aria-hidden="true">${shown}</span></span>`;
    expect(await main(`<p>Cost ${pair('Price: 7.50', '7.50 €')}.</p>`)).toBe('Cost 7.50 €.');
    expect(await main(`<p>Cost ${pair('$7.50', '$7<sup>50</sup>')}.</p>`)).toBe('Cost $7.50.');
    expect(
      await main('<p>Cost <span aria-label="7 euros"><b aria-hidden="true">7 €</b></span>.</p>'),
    ).toBe('Cost **7 €**.');
  });

  it('names the icon of a cell or item', async () => {
    const row = (cell: string) => `<tr><td>Row</td><td>${cell}</td></tr>`;
    const icons = [
      '<svg aria-hidden="true"><title>Yes</title></svg>',
      '<i class="x" aria-hidden="true"></i><span class="visually-hidden">No</span>',
    ];
    expect(
      await main(`<table><tr><th>A</th><th>B</th></tr>${icons.map(row).join('')}</table>`),
    ).toBe('| A | B |\n| - | - |\n| Row | Yes |\n| Row | No |');
    expect(
      await main(
        '<ul><li><svg></svg><span class="sr-only">Not included:</span> logs</li><li><a href="/x">Help<span class="sr-only">opens a window</span></a></li></ul>',
      ),
    ).toBe('- Not included: logs\n- [Help](https://example.com/x)');
  });

  it('writes the group of a row into its first cell', async () => {
    const row = (...cells: string[]) =>
      `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    const group = (name: string) => `<tr><th colspan="2">${name}</th></tr>`;
    expect(
      await main(
        `<table>${group('North') + row('Air', '2') + group('South') + row('Air', '9')}<tfoot>${row('All', '11')}</tfoot></table>`,
      ),
    ).toBe('| | | |\n| - | - | - |\n| North | Air | 2 |\n| South | Air | 9 |\n| | All | 11 |');
    expect(
      await main(`<table>${group('Hours') + row('Mon', '9') + row('Tue', '10')}</table>`),
    ).toBe('Hours\n\n| | |\n| - | - |\n| Mon | 9 |\n| Tue | 10 |');
  });

  it('keeps rows across a table that name no rows', async () => {
    const whole = (text: string) => `<tr><th colspan="2">${text}</th></tr>`;
    const rows = `${whole('Duck')}${whole('Class')}<tr><td>Order</td><td>Anser</td></tr>${whole('Families')}${whole('See text')}`;
    expect(await main(`<table>${rows}</table>`)).toBe(
      '| | | |\n| - | - | - |\n| Duck | | |\n| Class | Order | Anser |\n| Families | | |\n| See text | | |',
    );
  });

  it('omits line numbers inside code', async () => {
    const html = ['linenos', 'ln', 'hljs-ln-n']
      .map(
        (name) => `<pre><span class="${name}">1 </span>cd lid
<span class="${name}">2 </span>make 3</pre>`,
      )
      .join('');
    expect(await main(html)).toBe(Array(3).fill('```\ncd lid\nmake 3\n```').join('\n\n'));
  });
});
