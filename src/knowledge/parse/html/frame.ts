/**
 * What frames a page's content, by role and by the names that site authors give such parts: navigation, headers and footers of the site,
 * banners, boxes to subscribe, to share, to comment. Names are judged with doubt: what holds half of the page's prose or its first
 * heading is content, whatever it is called.
 */
import {
  ancestorsOf,
  attributeOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  parentOf,
  spelled,
  sweep,
  textOf,
} from './dom.ts';
import { createMeasure, isMostlyLinks, type Measure, proseOf } from './measure.ts';

const frameRoles = new Set(
  `navigation banner contentinfo search dialog alertdialog menu menubar toolbar tooltip listbox doc-toc doc-pagelist
  status progressbar scrollbar slider log timer`.split(/\s+/),
);
/** A name says what a thing is within its first words: `site-header` is one, `target-below-sticky-navbar` is none. */
const names = (list: string) => new RegExp(`^(?:[a-z\\d]+-){0,2}(?:${list.trim().split(/\s+/).join('|')})(?:-|$)`);

/** Parts of the frame, however long they are. */
const frameNames = names(`
  breadcrumbs? crumbs navbar nav-bar navigation site-nav main-nav sidenav side-nav mega-?menu main-menu menu-bar off-?canvas drawer hamburger
  site-header site-footer global-header global-footer page-footer topbar top-bar masthead sidebar$ side-bar$ side-?bar-(?:left|right|nav|inner|wrapper|container|content|menu|sticky|widget|area|primary|secondary|\\d+) sphinxsidebar\\w*
  toc table-of-contents tableofcontents on-this-page page-toc doc-toc article-toc in-page-nav page-nav anchor-nav
  pagination paginations? pager prev-?next next-?prev previous-next post-navigation nav-links nav-previous nav-next doc-footer docs-footer
  rst-footer-buttons prev-next-links page-navigation
  related-?(?:posts|articles|content|topics|links|pages|reading|entries|stories|questions|products) recommended recommendations
  suggested-(?:articles|posts|content) popular-(?:posts|articles) recent-?(?:posts|articles|comments|ly-viewed) recently-viewed read-next
  up-next more-(?:posts|articles|stories|from) you-may-also-like also-like recirculation
  comments-area comment-list commentlist comment-respond comment-form disqus disqus-thread utterances giscus
  author-bio author-box author-card about-author about-the-author post-author-box
  share$ sharing$ share-(?:buttons?|links?|bar|box|icons?|tools|list|widget|this|section|container) sharedaddy addtoany addthis
  social$ social-(?:links?|share|sharing|media|icons?|buttons?|bar|nav|list|follow|container)
  newsletter subscribe subscription-box signup-form sign-up-form mailing-list mc-embed mc-embed-signup opt-?in lead-form
  announcement$ announcements$ announcement-?bar site-banner top-banner alert-bar notification-bar promo$ promo-(?:bar|box|banner) banner-bar
  version-(?:banner|warning|switcher|selector|picker) outdated-warning
  ads?$ ads?-(?:slot|banner|box|container|unit|wrapper|space|block|\\d+) adverts?$ advertisement advertising$ adsbygoogle carbonads carbon-ads sponsors?$ sponsored$
  modal popup$ popup-(?:box|overlay|modal|content|wrapper|container|inner|window) pop-up$ popover tooltip toast$ snackbar lightbox dropdown-menu
  cookie-?(?:banner|bar|notice|consent|popup|modal|dialog|wall|overlay|message|prompt|box|law|policy-banner) cookies-?(?:banner|bar|notice|popup)
  consent-?(?:banner|bar|notice|popup|modal|dialog|manager|box) gdpr-?(?:banner|bar|notice|popup|consent|box|message) cookieconsent onetrust
  onetrust-consent-sdk cookiebot cybot-cookiebot-dialog usercentrics didomi-host osano cmplz cmp iubenda klaro truste trustarc cookie-law-info
  chat-widget chat-?bot chat-bubble live-chat intercom-lightweight-app drift-widget crisp-client tawk helpscout beacon-container
  hubspot-messages ask-ai ai-chat
  language-(?:switcher|selector|picker|menu) lang-(?:switcher|selector|picker|menu) locale-(?:switcher|selector|picker)
  theme-(?:toggle|switch|switcher) color-mode-toggle search-(?:box|bar|form|input|container|modal) searchbox searchbar
  noprint no-print
`);

/** Parts of a site's frame, but outside of its content alone. */
const siteNames =
  /^(?:(?:site|page|global|main|section|block)-)?(?:footer|header|menu|nav)(?:-(?:section|wrapper|container|inner|links|menu|area|\d+))?$/;

/** Small tools around the text; longer elements of these names are something else. */
const toolNames = names(`
  feedback was-this-helpful helpful page-rating article-votes? votes? rating reactions? kudos thumbs page-feedback
  edit-(?:this-)?page edit-link edit-on-github edit-page-link improve-page page-actions page-tools article-actions action-bar actions toolbar
  copy copy-button copy-btn copybtn copy-page copy-link clipboard copy-code btn-clipboard btn-copy print-button print-link print
  back-to-top scroll-to-top to-top scroll-top skip-link skip-nav skip-to-content skip-to-main skip
  tag-list tags post-tags tagcloud tag-cloud cat-links tags-links entry-tags page-tags
  editsection edit-section viewcode-link viewcode-back source-link headerlink anchor-link
  subscribe-button follow-button article-subscribe powered-by avatar avatars reading-time read-time
`);
const maxToolChars = 200;
const numberNames = names('line-numbers?(?:-\\w+)? linenos? lineno linenumbers? linenodiv gutter hljs-ln-numbers blob-num');
const iconNames = names('material-icons material-symbols\\w* glyphicon icon-?font sr-icon');
const commentNames = names('comment comments respond replies reply');

/** What a name says is doubted where it frames a layout (`has-sidebar`) instead of being the part. */
const layoutNames = /^(?:has|with|without|no|is|not|hide|show|layout|wrapper|container|col|row|grid)-/;

/** A section may be called `sharing` because it is about sharing: then its heading says so. */
function isNamedAfterHeading(element: HtmlElement, id: string): boolean {
  const first = elementsOf(element).slice(0, 3);
  const headings = [...first, ...first.flatMap(elementsOf)].filter((inner) => headingLevelOf(inner) !== undefined);
  return headings.some((heading) => spelled(textOf(heading, 200)).includes(spelled(id)));
}

function namesOf(element: HtmlElement): readonly string[] {
  const id = attributeOf(element, 'id');
  const isName = id !== undefined && id.length < 100 && !isNamedAfterHeading(element, id);
  return isName ? [...classNamesOf(element), spelled(id)] : classNamesOf(element);
}

const isCalled = (element: HtmlElement, pattern: RegExp) => namesOf(element).some((name) => pattern.test(name) && !layoutNames.test(name));

const toolElements = new Set('a span i em strong small button div p ul ol td section form nav header footer aside'.split(' '));
const boxes = new Set('div section aside header footer ul ol form table dl p article details td'.split(' '));

const isInText = (element: HtmlElement) =>
  [...ancestorsOf(element)].some((outer) => /^(?:main|article)$/.test(outer.name) || outer.attribs['role'] === 'main');

const isSiteHeader = (element: HtmlElement, measure: Measure): boolean => {
  const isOfPart = isInText(element) || [...ancestorsOf(element)].some((outer) => outer.name === 'section');
  return !isOfPart && (!measure.hasHeadingOne || isMostlyLinks(measure, half));
};

/** A box beside the text: notes stay, lists of links and boxes of the site go. */
function isAsideOfSite(element: HtmlElement, measure: Measure): boolean {
  if (/^(?:note|alert|doc-tip|doc-notice)$/.test(attributeOf(element, 'role') ?? '')) return false;
  const isNote =
    isInText(element) ||
    elementsOf(parentOf(element) ?? element).some((beside) => beside.name === 'p' || headingLevelOf(beside) !== undefined);
  return !isNote || isMostlyLinks(measure, half);
}

const isProse = (measure: Measure) => proseOf(measure) > 0.7 * measure.text;

function isFrame(element: HtmlElement, measure: Measure): boolean {
  const role = attributeOf(element, 'role') ?? '';
  switch (element.name) {
    case 'search':
    case 'menu':
      return true;
    case 'nav':
      // Some drop-downs of answers are called navigation.
      return !(isProse(measure) && findFirst(element, (inner) => inner.name === 'p') !== undefined);
    case 'footer':
      return !/^(?:blockquote|figure)$/.test(parentOf(element)?.name ?? '');
    case 'header':
      if (isSiteHeader(element, measure)) return true;
      break;
    case 'aside':
      if (isAsideOfSite(element, measure)) return true;
      break;
  }
  if (frameRoles.has(role) || (role === 'complementary' && isAsideOfSite(element, measure))) return true;
  if ('contenteditable' in element.attribs && measure.text === 0) return true;
  return boxes.has(element.name) && (isCalled(element, frameNames) || (isCalled(element, siteNames) && !isInText(element)));
}

const isTool = (element: HtmlElement, measure: Measure): boolean =>
  toolElements.has(element.name) &&
  measure.text <= maxToolChars &&
  (isCalled(element, toolNames) || isCalled(element, iconNames) || (isCalled(element, numberNames) && /^[\d\s]*$/.test(textOf(element))));

/** A list of what readers wrote below the text. */
const isCommentSection = (element: HtmlElement): boolean =>
  /^comments?$|^respond$/.test(spelled(attributeOf(element, 'id') ?? '')) &&
  [...elementsBelow(element)].some((inner) => inner.name === 'form' || isCalled(inner, commentNames));

const half = 0.5;
const leastPageChars = 200;
/** Their names are those of languages and colours. */
const isCode = (element: HtmlElement) => element.name === 'pre' || element.name === 'code';
const isWhole = (element: HtmlElement) => /^(?:html|body|main|h[1-6])$/.test(element.name);

export function dropFrame(root: HtmlNode): void {
  const measureOf = createMeasure(root);
  const whole = proseOf(measureOf(root));
  const gone = new Set<HtmlNode>();
  const isDropped = (element: HtmlElement): boolean => {
    if (isWhole(element)) return false;
    const measure = measureOf(element);
    if (isTool(element, measure)) return true;
    if (element.name === 'article' && isCalled(element, commentNames) && isInText(element)) return true;
    const isContent = (whole > leastPageChars && proseOf(measure) > half * whole) || (measure.hasHeadingOne && element.name !== 'nav');
    return !isContent && (isFrame(element, measure) || isCommentSection(element));
  };
  const look = (parent: HtmlNode): void => {
    for (const element of elementsOf(parent)) {
      if (isCode(element)) continue;
      if (isDropped(element)) gone.add(element);
      else look(element);
    }
  };
  look(root);
  sweep(root, (node) => gone.has(node));
}
