import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../../../packages/converters/src/markdown/parse-markdown.ts';

const md = (text: string) => parseMarkdown(text, 'markdown').markdown;
const mdx = (text: string) => parseMarkdown(text, 'mdx').markdown;

describe('the Markdown parser', () => {
  it.each([
    'Refunds are paid in < 30 days & > 5 {x} <your-key> Map<String> a<b <https://a.b> <me@a.b> 1 <2',
    'Before\n\n    indented <b>code</b>\n\nAfter',
    'import your data from the menu\n\nexport it again',
    'The lone <data> and <script and a<!-- open',
  ])('keeps text without HTML unchanged: %j', (text) => expect(md(text)).toBe(text));

  it('converts HTML to Markdown or text', () => {
    expect(
      md(
        '<b>bold </b>and <i>it</i>, <kbd>Ctrl</kbd>, <a href="https://a.b/c">here</a>, <a href="javascript:x">there</a>, H<sub>2</sub>O<br>next',
      ),
    ).toBe('**bold** and *it*, `Ctrl`, [here](https://a.b/c), there, H₂O\nnext');
    expect(
      md(
        '<p align="center"><img src="a.png" alt="Logo"></p>\n<h2 id="other">Two <em>words</em></h2>\n<ul><li>a<ul><li>b</li></ul></li><li>c</ul>',
      ),
    ).toBe('Logo\n\n## Two *words* {#other}\n\n- a\n\n  - b\n\n- c');
    expect(
      md(
        '<table><thead><tr><th>Plan<th>Days</thead><tr><td rowspan=2>Pro<td>30|31</tr><tr><td><ul><li>x</li><li>y</li></ul></td></tr></table>',
      ),
    ).toBe('| Plan | Days |\n| - | - |\n| Pro | 30\\|31 |\n| Pro | x; y |');
    expect(md('<details>\n<summary>Is it free?</summary>\n\nYes.\n\n</details>')).toBe(
      '**Is it free?**\n\nYes.',
    );
    expect(md('| a | b |\n|---|---|\n| x<br/>y | <ul><li>1</li><li>2</li></ul> |')).toBe(
      '| a | b |\n|---|---|\n| x; y | 1; 2 |',
    );
    expect(md('<pre><code class="language-js">a &lt; b\n  c</code></pre>')).toBe(
      '```js\na < b\n  c\n```',
    );
    expect(md('<dl><dt>SLA</dt><dd>An agreement</dd></dl>')).toBe('**SLA**\n\nAn agreement');
  });

  it.each([61, 500])('removes hidden content, and only that, inside %i elements', (depth) => {
    const inside =
      'Seen.\n\n<div hidden>One <div>two</div> three.</div>\n<script>four()</script>\n\nSeen too.';
    expect(
      md(`${'<div>'.repeat(depth)}\n\n${inside}\n\n${'</div>'.repeat(depth)}\n\nSeen below.`),
    ).toBe('Seen.\n\nSeen too.\n\nSeen below.');
  });

  it('removes hidden content', () => {
    expect(
      md(
        'a<!-- zero -->b\n\n<!-- one\n```\ntwo\n``` -->\n<div style="display: none">three\n\n<div>four</div>\n\n```\nfive\n```\n</div>\n\n<script>\n# six\n</script><span hidden>seven</span>c<style>x{}</style>\n<template>eight</template>\n<iframe src="x">nine</iframe>',
      ),
    ).toBe('ab\n\nc');
  });

  it('replaces pictures by their descriptions and decodes references', () => {
    expect(
      md('![A chart](a.png "t") and [![Build](b.svg)](https://c.d) ![](x.png)![image](y.png)'),
    ).toBe('A chart and [Build](https://c.d)');
    expect(md('a &amp; b&nbsp;c &lt; 5 &copy; &eacute; &#8364; &lt;div&gt; &amp;lt; `&amp;`')).toBe(
      'a & b c < 5 © é € `<div>` &amp;lt; `&amp;`',
    );
    expect(md('a&#8203;b&#xe0041;&zwj; &hearts; &nosuch;')).toBe('ab ♥ &nosuch;');
    expect(
      md('no\u200b \u202ehid\u2060den\ufeff \u{e0041}x\u00ad\u0007 می\u200cخواهم 👨\u200d👩'),
    ).toBe('no hidden x می\u200cخواهم 👨\u200d👩');
  });

  it('writes callouts of Markdown dialects as labels', () => {
    expect(
      md(':::tip Good to know\nText.\n:::\n\n::: warning\nMore.\n:::\n\n> [!NOTE]\n> Quoted.'),
    ).toBe('**Tip: Good to know**\n\nText.\n\n**Warning**\n\nMore.\n\n> **Note**\n>\n> Quoted.');
    expect(
      md(
        '!!! note "Read me"\n    Text.\n\n    - item\n\nAfter\n\n=== "npm"\n\n    ```sh\n    npm i\n    ```',
      ),
    ).toBe('**Note: Read me**\n\nText.\n\n- item\n\nAfter\n\n**npm**\n\n```sh\nnpm i\n```');
  });

  it('does not create a tag by removing another', () => {
    for (const text of [
      '<<b>x</b>script>y</script>',
      '<scr<b></b>ipt>x</script>',
      '<<!-- -->b onclick="x">y</b>',
    ])
      expect(md(text)).not.toMatch(/<(script|b)[ >]/);
  });

  it('takes title and description from front matter', () => {
    expect(
      parseMarkdown('---\ntitle: T\ndescription: What it is about.\n---\n# H\n\nText', 'markdown'),
    ).toEqual({
      title: 'T',
      markdown: '# H\n\nWhat it is about.\n\nText',
    });
    expect(
      parseMarkdown('---\ndescription: Same text\n---\nSame *text* here', 'markdown').markdown,
    ).toBe('Same *text* here');
    expect(parseMarkdown('---js\nmodule.exports = 1\n---\nText', 'mdx').title).toBeUndefined();
  });
});

describe('the MDX parser', () => {
  it('removes statements and expressions and keeps string literals', () => {
    const source =
      'import A from "a"\nimport {\n  B,\n  C\n} from \'b\'\nexport const meta = {\n  a: "}",\n\n  b: `x\n  }`\n}\nexport default function Layout({ children }) {\n  return <div>{children}</div>\n}\n\n# Hi {props.name}\n\n{/* one\n\ntwo */}\n{"Text"} and {\'more\'}{" "}{`tpl`} {`no \u0024{x}`} {[1, 2].map((x) => <b>{x}</b>)} \\{kept\\} {3} `<B y={z}/>`';
    expect(mdx(source)).toBe('# Hi\n\nText and more tpl {kept} 3 `<B y={z}/>`');
  });

  it('writes titles of components', () => {
    expect(
      mdx(
        '<Steps>\n  <Step title="Install">\n    Do it.\n  </Step>\n  <Step title={\'Run\'}>Go.</Step>\n</Steps>',
      ),
    ).toBe('**Install**\n\nDo it.\n\n**Run**\n\nGo.');
    expect(
      mdx(
        '<Card\n  title="Billing"\n  href="/b"\n  data={[{ a: "}" }]}\n>\n  Pay here.\n</Card>\n<Card title="Limits?" description="All of them." />',
      ),
    ).toBe('**Billing**\n\nPay here.\n\n**Limits?**\n\nAll of them.');
    expect(
      mdx(
        '<ParamField body="id" type="string" required default="x">\n  The id.\n\n  More.\n\n  <Expandable title="parts">\n    <ResponseField name="a">A.</ResponseField>\n  </Expandable>\n</ParamField>',
      ),
    ).toBe('**id** (string, required)\n\nThe id.\n\nMore.\n\n**parts**\n\n**a**\n\nA.');
    expect(
      mdx(
        '<Tabs>\n<TabItem value="js" label="JavaScript">\nx\n</TabItem>\n<TabItem value="ts">\ny\n</TabItem>\n</Tabs>',
      ),
    ).toBe('**JavaScript**\n\nx\n\n**ts**\n\ny');
    expect(
      mdx(
        '<Warning>Final.</Warning>\n\n<Callout type="info" title="Note this">\nx\n</Callout>\n\nText <Tooltip tip="y">API</Tooltip> <Icon icon="z" />end.',
      ),
    ).toBe('**Warning:**\n\nFinal.\n\n**Note this**\n\nx\n\nText API end.');
  });

  it('writes link components as links', () => {
    expect(mdx('See <Link href="/x">text</Link> and <A href="https://a.b/c">more</A>.')).toBe(
      'See [text](/x) and [more](https://a.b/c).',
    );
  });

  it('writes tables in component properties as list items', () => {
    expect(
      mdx(
        "<TypeTable\n  type={{\n    id: { description: 'Platform id, {unique}.', type: 'string', required: true },\n    'sent-at': {\n      type: 'Date',\n    },\n  }}\n/>\n\n<Grid columns={[1, 2]} rows={[{ name: \"a b\", description: `Text`, href: '/x' }]} render={() => ({ x: { y: 'z' } })} />",
      ),
    ).toBe(
      '- `id`: Platform id, {unique}.; string; required\n- `sent-at`: Date\n\n- **a b**: Text',
    );
  });
});

describe('the plain text parser', () => {
  it('keeps text unchanged', () => {
    const text = '# no comment\n<b>literal</b> *stars* {x} &amp;\n    indented ![a](b)\n:::tip';
    expect(parseMarkdown(text, 'text').markdown).toBe(text);
    expect(parseMarkdown('a\u200bb  \n\n\n\nc', 'text').markdown).toBe('ab\n\nc');
  });
});

describe('the Markdown parser, given syntax of site generators,', () => {
  it('removes template comments with their content', () => {
    expect(
      parseMarkdown(
        'x {% comment %} {% if a %} s {{ y }} {% endif %} {% endcomment %}z {{/* {{ t }} */}}',
        'markdown',
      ).markdown,
    ).toBe('x z');
  });
  it('removes shortcodes, tags, comments and TOML front matter', () => {
    const source =
      '+++\ntitle = "Logs"\nweight = 3\n+++\n\n[//]: # (internal: do not publish)\n\nKept for {{< param "days" >}} 90 days. {% hint style="info" %}Note.{% endhint %}{% comment %}secret{% endcomment %}\n\nCode `{{< x >}}` stays.\n';
    expect(parseMarkdown(source, 'markdown')).toMatchObject({
      title: 'Logs',
      markdown: 'Kept for  90 days. Note.\n\nCode `{{< x >}}` stays.',
    });
  });
});

describe('Markdown that a reader sees otherwise than it is written', () => {
  it('leaves struck text out, with the mark of an item that has no other text', () => {
    expect(
      md('- ~~one~~\n- [ ] ~~two~~\n- [x] three ~~four~~ five\n\n~~six\nseven~~\n\neight `~~x~~`'),
    ).toBe('- [x] three five\n\neight `~~x~~`');
    expect(md('H~2~O, ~~open <del>gone</del> and Map<s>')).toBe('H~2~O, ~~open and Map<s>');
  });

  it('joins a word of which a part is marked', () =>
    expect(md('**R**efunds un*pai*d **all** 请**不要**动')).toBe(
      'Refunds unpaid **all** 请**不要**动',
    ));

  it('writes attributes of headings as an anchor', () => {
    expect(
      md('## Fees { #fees .wide k="a b" }\n\n## Old {: #past }\n{: .note }\n\n## {name} {x}'),
    ).toBe('## Fees {#fees}\n\n## Old {#past}\n\n## {name} {x}');
    expect(md('## Plain {.unnumbered}\n\n## Next [#next]')).toBe('## Plain\n\n## Next {#next}');
  });

  it('takes a number as a title, as written', () => {
    expect(parseMarkdown('---\ntitle: 2031\n---\nText', 'markdown').title).toBe('2031');
    expect(parseMarkdown('---\ntitle: 2.10 # now\n---\nText', 'markdown').title).toBe('2.10');
    expect(parseMarkdown('+++\ntitle = 2031\n+++\nText', 'markdown').title).toBe('2031');
  });

  it('raises figures apart from the figure before', () =>
    expect(md('9<sup>-2</sup> 9<sup>1/3</sup> 9<sup>th</sup>')).toBe('9⁻² 9^(1/3) 9th'));

  it('takes bold names below an empty header row as the header', () =>
    expect(md('|  |  |\n| --- | --- |\n| **Part** | **Sum** |\n| Lid | 3 |')).toBe(
      '| Part | Sum |\n| --- | --- |\n| Lid | 3 |',
    ));
});
