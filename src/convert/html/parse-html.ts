/**
 * HTML → Markdown: what a reader of the page can see or open of its main content. Runs in a process of its own (`parse.ts`).
 * First the shape is checked, then the page is asked for what it says of itself, then everything goes that is hidden, frames the
 * content or serves it, and what is left is written.
 */
import { withoutInvisible } from '../../language/invisible.ts';
import type { ParsedSource } from '../source.ts';
import { keepAnchors } from './anchors.ts';
import { articleOf, contentOf, dropLandmarks, isArticlePage } from './content.ts';
import { writeOutPanels } from './disclosures.ts';
import { findAll, type HtmlNode, nameByRole, openPage } from './dom.ts';
import { canonicalUrlOf, createMeta, createResolve, lastModifiedOf, linksOf, pageLanguageOf, titleOf, titlesOf } from './metadata.ts';
import { readStyles } from './style.ts';
import { keepVisible } from './visibility.ts';
import { writeHtmlMarkdown } from './writer.ts';

/**
 * @param baseUrl where the page was read, makes links absolute; without it, links that are not absolute become their text
 * @throws KnowledgeError `unsupported_media_type` for a page that is nested or tagged beyond reason
 */
export async function parseHtml(html: string, baseUrl: string | undefined): Promise<ParsedSource> {
  const page = openPage(html);
  const root = page.root().get(0) as HtmlNode;
  const resolve = createResolve(root, baseUrl);
  const metaOf = createMeta(root);
  const titles = titlesOf(root, metaOf);
  const stated = {
    canonicalUrl: canonicalUrlOf(root, resolve),
    language: pageLanguageOf(root, metaOf),
    lastModified: lastModifiedOf(root, metaOf),
  };
  const links = linksOf(root, metaOf, resolve);
  const isArticle = isArticlePage(root, metaOf);

  nameByRole(root);
  keepAnchors(root);
  writeOutPanels(page, keepVisible(page, readStyles(page)));
  dropLandmarks(root);
  const content = (isArticle ? articleOf(page, titles) : undefined) ?? contentOf(root);
  const headings = content === undefined ? [] : findAll(content, (element) => element.name === 'h1');
  const title = titleOf(titles, headings, baseUrl);
  return {
    title: title === undefined ? undefined : withoutInvisible(title),
    markdown: content === undefined ? '' : writeHtmlMarkdown(content, resolve),
    ...stated,
    ...(links.length > 0 && { links }),
  };
}
