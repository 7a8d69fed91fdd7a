/**
 * HTML → Markdown: what a reader of the page can see or open of its main content. Runs in a process of its own (`parser-process.ts`).
 * First the shape is checked, then the page is asked for what it says of itself, then everything goes that is hidden, frames the
 * content or serves it, and what is left is written.
 */
import type { ParsedSource } from '../../types.ts';
import { keepAnchors } from './anchors.ts';
import { contentOf } from './content.ts';
import { findAll, type HtmlNode } from './dom.ts';
import { dropFrame } from './frame.ts';
import { dropFurniture } from './furniture.ts';
import { createMarkdownWriter } from './markdown.ts';
import { canonicalUrlOf, createMeta, createResolve, languageOf, lastModifiedOf, linksOf } from './metadata.ts';
import { writeOutPanels } from './panels.ts';
import { nameByRole } from './roles.ts';
import { openPage } from './shape.ts';
import { readStyles } from './style.ts';
import { cleanText } from './text.ts';
import { titleOf, titlesOf } from './title.ts';
import { keepVisible } from './visibility.ts';

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
  const canonicalUrl = canonicalUrlOf(root, resolve);
  const language = languageOf(root, metaOf);
  const lastModified = lastModifiedOf(root, metaOf);
  const links = linksOf(root, metaOf, resolve);

  nameByRole(root);
  keepAnchors(root);
  const { openers } = keepVisible(page, readStyles(page));
  writeOutPanels(page, openers);
  dropFrame(root);
  dropFurniture(root);
  const content = contentOf(root, titles);
  const headings = content === undefined ? [] : findAll(content, (element) => element.name === 'h1');
  const title = titleOf(titles, headings, baseUrl);
  return {
    title: title === undefined ? undefined : cleanText(title),
    markdown: content === undefined ? '' : createMarkdownWriter(resolve)(content),
    ...(canonicalUrl !== undefined && { canonicalUrl }),
    ...(language !== undefined && { language }),
    ...(lastModified !== undefined && { lastModified }),
    ...(links.length > 0 && { links }),
  };
}
