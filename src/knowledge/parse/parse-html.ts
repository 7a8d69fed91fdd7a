/**
 * HTML → Markdown: the main content of a simple page. Runs in a process of its own (`html-process.ts`). Before any tree is built, one linear pass refuses pages that are nested or
 * tagged beyond what a reader's page is, because every tree library needs minutes or gigabytes for them. What a reader of the
 * page does not see is dropped, so that hidden text never becomes a passage; collapsed answers (`<details>`) stay.
 */
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';

const maxDepth = 256;
const maxTags = 100_000;
/** A cell that claims to span more is one cell: each column of a span is written out. */
const maxSpan = 50;

const neverShown = 'script,style,noscript,template,iframe,object,embed,svg,canvas,form,button,input,select,textarea,dialog';
const pageFrame = 'nav,aside,[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=dialog],body > header,body > footer';
const hidden =
  '[hidden]:not([hidden=until-found]),[aria-hidden=true],[style*="display:none"],[style*="display: none"],[style*="visibility:hidden"],[style*="visibility: hidden"]';
const mainContent = ['main article', 'main', '[role=main]', 'article', 'body'];

/** @throws KnowledgeError `unsupported_media_type` */
async function checkShape(html: string): Promise<void> {
  const { Parser } = await import('htmlparser2');
  let depth = 0;
  let tags = 0;
  const parser = new Parser({
    onopentag() {
      depth++;
      tags++;
      if (depth > maxDepth || tags > maxTags) {
        throw new KnowledgeError('unsupported_media_type', `The page has more than ${maxTags} tags or nests them deeper than ${maxDepth}.`);
      }
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  parser.end();
}

/** @param baseUrl makes links absolute; undefined leaves them as they are */
export async function parseHtml(html: string, baseUrl: string | undefined): Promise<ParsedSource> {
  await checkShape(html);
  const [{ load }, { fromHtml }, { toMdast }, { toMarkdown }, { gfmToMarkdown }] = await Promise.all([
    import('cheerio'),
    import('hast-util-from-html'),
    import('hast-util-to-mdast'),
    import('mdast-util-to-markdown'),
    import('mdast-util-gfm'),
  ]);
  const $ = load(html);
  const title = $('meta[property="og:title"]').attr('content')?.trim() || $('title').first().text().replace(/\s+/g, ' ').trim();
  const links = $('a[href]')
    .toArray()
    .flatMap((a) => (URL.canParse($(a).attr('href') ?? '', baseUrl) ? new URL($(a).attr('href') ?? '', baseUrl).href : []));
  const canonical = $('link[rel=canonical]').attr('href');
  const canonicalUrl = canonical && URL.canParse(canonical, baseUrl) ? new URL(canonical, baseUrl).href : undefined;
  $(neverShown).remove();
  $(hidden).remove();
  $(pageFrame).remove();
  // A permalink mark inside a heading is no part of its text.
  $('h1 a, h2 a, h3 a, h4 a, h5 a, h6 a').each((_, link) => {
    if (/^[\s#¶§🔗\u200b]*$/u.test($(link).text())) $(link).remove();
  });
  $('pre br').replaceWith('\n');
  $('pre').each((_, pre) => {
    const language = /(?:^|\s)(language-[\w+#-]+)/.exec(`${$(pre).attr('class') ?? ''} ${$(pre).parent().attr('class') ?? ''}`)?.[1];
    if (language) $(pre).find('code').addClass(language);
  });
  $('img').remove();
  for (const span of ['colspan', 'rowspan']) {
    $(`[${span}]`).each((_, cell) => {
      if (!(Number($(cell).attr(span)) <= maxSpan)) $(cell).removeAttr(span);
    });
  }
  $('a[href]').each((_, link) => {
    const href = $(link).attr('href') ?? '';
    if (URL.canParse(href, baseUrl)) {
      const url = new URL(href, baseUrl);
      if (['http:', 'https:', 'mailto:'].includes(url.protocol)) $(link).attr('href', url.href);
      else $(link).removeAttr('href');
    }
  });
  const container = mainContent.map((selector) => $(selector).first()).find((found) => found.text().trim() !== '');
  const markdown = toMarkdown(toMdast(fromHtml(container?.html() ?? '', { fragment: true })), {
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
    bullet: '-',
    rule: '-',
    listItemIndent: 'one',
  });
  const heading = $('h1').first().text().replace(/\s+/g, ' ').trim();
  return { title: heading || title || undefined, markdown: markdown.trim(), links, ...(canonicalUrl ? { canonicalUrl } : {}) };
}
