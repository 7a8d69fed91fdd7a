/**
 * Pages that say of themselves that they are an article of a magazine, a newspaper or a blog. What surrounds such an article is named as
 * each site likes, and Readability knows more of that than rules about elements do. It sees what readers see, with closed answers opened.
 */
import { Readability } from '@mozilla/readability';
import JSDOMParser from '@mozilla/readability/JSDOMParser.js';
import { load } from 'cheerio';
import {
  attributeOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isElement,
  parentOf,
  setChildren,
  sweep,
  textOf,
} from './dom.ts';
import { jsonNodesOf, type MetaOf, type Titles } from './metadata.ts';
import type { Page } from './shape.ts';

const articleTypes =
  /^(?:https?:\/\/schema\.org\/)?(?:(?:News)?Article|BlogPosting|(?:Reportage|Opinion|Review|Analysis|Background)NewsArticle)$/;

/**
 * https://ogp.me/#type_article, https://schema.org/Article in JSON-LD or microdata. Some generators call each page of a documentation an
 * article: code says that it is one.
 */
export function isArticlePage(root: HtmlNode, metaOf: MetaOf): boolean {
  const isArticleType = (type: unknown) => typeof type === 'string' && articleTypes.test(type);
  const isDeclared =
    metaOf('og:type')?.toLowerCase() === 'article' ||
    findFirst(root, (element) => isArticleType(attributeOf(element, 'itemtype'))) !== undefined ||
    jsonNodesOf(root).some((node) => '@type' in node && [node['@type']].flat().some(isArticleType));
  return isDeclared && findFirst(root, (element) => element.name === 'pre') === undefined;
}

/** What is said below a picture says little without it: without captions F1 of `npm run bench:articles` is .005 higher. */
const isCaption = (element: HtmlElement) =>
  element.name === 'figcaption' && findFirst(parentOf(element) ?? element, (beside) => beside.name === 'table') === undefined;

/** The page as Readability is shown it: it would judge again what is hidden, and take out any aside, of which those in the text are left. */
function readableOf(page: Page): string {
  const copy = load(page.html());
  const root = copy.root().get(0) as HtmlNode;
  for (const element of findAll(root, () => true)) {
    for (const name of ['hidden', 'style', 'aria-hidden']) delete element.attribs[name];
    if (element.name === 'aside') element.name = 'div';
  }
  sweep(root, (node) => isElement(node) && isCaption(node));
  return copy.xml();
}

/** The page's own heading, which Readability takes out. */
function titleHeading(root: HtmlNode, { head, shared }: Titles): HtmlElement | undefined {
  const headings = findAll(root, (element) => element.name === 'h1' && textOf(element, 300) !== '');
  const named = headings.find((heading) => [head, shared].some((title) => title.includes(textOf(heading, 300))));
  return named ?? (headings.length === 1 ? headings[0] : undefined);
}

/** Readability compares each element with those around it: more would take seconds. */
const maxElements = 20_000;

/** The article of a page that was cleaned of what is hidden; undefined where Readability finds none. */
export function articleOf(page: Page, titles: Titles): HtmlElement | undefined {
  const root = page.root().get(0) as HtmlNode;
  if (findAll(root, () => true).length > maxElements) return undefined;
  const document = new JSDOMParser().parse(readableOf(page));
  document.title = titles.head;
  const found = new Readability(document, { disableJSONLD: true, keepClasses: true }).parse()?.content;
  const article = found ? findFirst(load(found).root().get(0) as HtmlNode, (element) => element.name === 'body') : undefined;
  const heading = titleHeading(root, titles);
  if (article === undefined || heading === undefined) return article;
  const title = textOf(heading);
  sweep(article, (node) => isElement(node) && headingLevelOf(node) !== undefined && textOf(node) === title);
  setChildren(article, [heading, ...article.children]);
  return article;
}
