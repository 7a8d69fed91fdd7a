/**
 * HTML → Markdown of the main content that a reader can see or open. Runs in a child process
 * (`parse.ts`).
 */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import type { ParsedSource } from '../source.ts';
import { recordAnchors } from './anchors.ts';
import { applyStyles, nameIcons, nestLists, openShadowRoots } from './apart.ts';
import { articleOf, dropLandmarks, isArticlePage, mainContentOf } from './content.ts';
import { expandPanels } from './disclosures.ts';
import { applyRoles, findAll, named, openPage, pageRoot } from './dom.ts';
import {
  canonicalUrlOf,
  createMeta,
  createUrlResolver,
  lastModifiedOf,
  linksOf,
  pageLanguageOf,
  titleOf,
  titlesOf,
} from './metadata.ts';
import { readStyles } from './style.ts';
import { removeHidden } from './visibility.ts';
import { writeHtmlMarkdown } from './writer.ts';

/**
 * @param baseUrl address of the page, base of relative links; without it, relative links become
 * text
 * @throws KnowledgeError `unsupported_media_type` for excessive nesting or tag counts
 */
export async function parseHtml(html: string, baseUrl: string | undefined): Promise<ParsedSource> {
  const page = openPage(html);
  const root = pageRoot(page);
  openShadowRoots(root);
  const resolve = createUrlResolver(page, baseUrl);
  const metaOf = createMeta(page);
  const titles = titlesOf(page, metaOf);
  const metadata = {
    canonicalUrl: canonicalUrlOf(page, resolve),
    language: pageLanguageOf(page, metaOf),
    lastModified: lastModifiedOf(page, metaOf),
  };
  const links = linksOf(page, metaOf, resolve);
  const isArticle = isArticlePage(page, metaOf);

  applyRoles(root);
  recordAnchors(root);
  nameIcons(root);
  const declaredOf = readStyles(page);
  expandPanels(page, removeHidden(page, declaredOf));
  nestLists(root);
  applyStyles(root, declaredOf);
  dropLandmarks(root);
  const content = (isArticle ? articleOf(page, titles) : undefined) ?? mainContentOf(root);
  const headings = content ? findAll(content, named('h1')) : [];
  const title = titleOf(titles, headings, baseUrl);
  return {
    title: title && withoutInvisible(title),
    markdown: content ? writeHtmlMarkdown(content, resolve) : '',
    ...metadata,
    ...(links.length > 0 && { links }),
  };
}
