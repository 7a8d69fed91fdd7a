/**
 * Leaves of a page what a reader can see or open. What is hidden is taken out before anything else looks at the text, so that it never
 * becomes a passage; a collapsed answer or a tab stays, where the page has the control that opens it.
 */
import { createOpenerOf } from './disclosures.ts';
import {
  attributeOf,
  childrenOf,
  classNamesOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isText,
  type Page,
  parentOf,
  sweep,
  textOf,
} from './dom.ts';
import type { Declarations, DeclaredOf } from './style.ts';

/** `closed` is what a control of the page could open (a tab, an accordion); `concealed` is what no page opens: off screen, one pixel. */
type Hiding = 'shown' | 'closed' | 'concealed';

const neverShown = new Set(
  `script style noscript template iframe frame noframes object embed applet canvas audio video map head title meta link base datalist
  select textarea progress meter portal`.split(/\s+/),
);
const concealingNames =
  /(?:^|-)(?:sr-only|show-for-sr|sr-text|visually-?hidden|screen-?reader(?:-only|-text)?|assistive(?:-text)?|a11y-(?:only|hidden)|hidden-visually|element-invisible|off-?screen-text|text-hide)(?:-|$)/;
const closingNames =
  /^(?:d-none|hidden|hide|is-hidden|u-hidden|uk-hidden|display-none|invisible|uk-invisible|is-invisible|opacity-0|collapse|collapsed-content)$/;
/** Utility classes, some for screens from a width on, all up to that of a desk: `hidden md:block`, `d-none d-lg-flex`. */
const utility =
  /^(?:(sm|md|lg|xl):|d-(?:(sm|md|lg|xl)-)?)?(hidden|none|block|flex|grid|contents|table|table-cell|table-row|inline|inline-(?:block|flex|grid))$/;
const widths = ['', 'sm', 'md', 'lg', 'xl'];

/** Undefined where no utility class says anything of an element's display. */
function isHiddenByUtility(classes: readonly string[]): boolean | undefined {
  const said = classes.flatMap((name) => {
    const [, width = '', bootstrapWidth = width, display] = utility.exec(name) ?? [];
    return display === undefined || name === 'none'
      ? []
      : [{ width: widths.indexOf(bootstrapWidth), isHidden: /hidden|none/.test(display) }];
  });
  return said.sort((one, other) => one.width - other.width || Number(one.isHidden) - Number(other.isHidden)).at(-1)?.isHidden;
}

function hidingOfNames(element: HtmlElement): Hiding {
  const written = element.attribs['class'];
  if (written === undefined) return 'shown';
  const names = classNamesOf(element);
  if (names.some((name) => concealingNames.test(name) && !name.startsWith('not-'))) return 'concealed';
  const byUtility = isHiddenByUtility(written.split(/\s+/, 60));
  if (byUtility !== undefined) return byUtility ? 'closed' : 'shown';
  if (names.includes('collapse') && /(?:^|\s)(?:show|in)(?:\s|$)/.test(written)) return 'shown';
  return names.some((name) => closingNames.test(name)) ? 'closed' : 'shown';
}

/** Pixels of a length; undefined for what is none (`auto`, `50%`). */
function pixelsOf(length: string | undefined): number | undefined {
  const [, number, unit] = /^(-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(length ?? '') ?? [];
  const value = Number(number);
  if (number === undefined) return undefined;
  if (value === 0) return 0;
  const factor = { px: 1, '': 1, em: 16, rem: 16, ch: 8, ex: 8, pt: 1.33, vw: 12.8, vh: 8, cm: 38, mm: 3.8, in: 96 }[unit ?? ''];
  return factor === undefined ? undefined : value * factor;
}

/** Nothing that far outside is reached by scrolling. */
const farPx = 500;
const isFar = (length: string | undefined) => (pixelsOf(length) ?? 0) <= -farPx || /^-(?:[1-9]\d{2,})(?:%|vw|vh)$/.test(length ?? '');

function isOutside(style: Declarations): boolean {
  const isMoved = /absolute|fixed|relative/.test(style.get('position') ?? '');
  const sides = ['left', 'top', 'right', 'bottom'].map((side) => style.get(side));
  if (isMoved && [...sides, ...(style.get('inset') ?? '').split(/\s+/)].some((side) => isFar(side) || (pixelsOf(side) ?? 0) >= 5_000))
    return true;
  // A whole screen away, and fixed there: no scrolling reaches it.
  if (style.get('position') === 'fixed' && sides.some((side) => /^(?:[1-9]\d{2,})(?:\.\d+)?(?:vw|vh|%)$/.test(side ?? ''))) return true;
  if (isFar(style.get('margin-left')) || isFar(style.get('margin-top'))) return true;
  const transform = `${style.get('transform') ?? ''} ${style.get('translate') ?? ''}`;
  return [...transform.matchAll(/-[\d.]+[a-z%]+/g)].some(([length]) => isFar(length));
}

/** Shapes that hold nothing. */
const isClippedAway = /^rect\([\s,01px]*\)|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|scale[xy]?\(\s*0\s*[,)]/;

/** A box that shows nothing of what overflows it; 0 is a closed one, 1 a hidden one. */
function boxOf(style: Declarations): number | undefined {
  if (!/hidden|clip/.test(`${style.get('overflow') ?? ''}${style.get('overflow-x') ?? ''}${style.get('overflow-y') ?? ''}`))
    return undefined;
  const sizes = ['width', 'height', 'max-width', 'max-height'].map((name) => pixelsOf(style.get(name)) ?? Number.POSITIVE_INFINITY);
  const [width = 0, height = 0, maxWidth = 0, maxHeight = 0] = sizes;
  if (Math.min(width, maxWidth) <= 1) return 1;
  return Math.min(height, maxHeight) <= 1 ? 0 : undefined;
}

/** Of a share that is 1 where nothing is declared. */
const isNearNothing = (share = '1') => Number.parseFloat(share) < (share.endsWith('%') ? 10 : 0.1);

/** What no control opens. */
function isConcealed(element: HtmlElement, style: Declarations): boolean {
  if (neverShown.has(element.name) || 'popover' in element.attribs || element.attribs['role'] === 'tooltip') return true;
  if (element.name === 'dialog' && !('open' in element.attribs)) return true;
  if (isOutside(style) || boxOf(style) === 1 || isNearNothing(style.get('zoom'))) return true;
  return isClippedAway.test(['clip', 'clip-path', 'transform'].map((name) => style.get(name) ?? '').join(''));
}

/** Of the element itself; size and colour, which its text takes over from outside, are another matter. */
function hidingOf(element: HtmlElement, style: Declarations): Hiding {
  const byName = hidingOfNames(element);
  if (byName === 'concealed' || isConcealed(element, style)) return 'concealed';
  const isFaint = isNearNothing(style.get('opacity'));
  const isInvisible = /hidden|collapse/.test(style.get('visibility') ?? '');
  if (isFaint || isInvisible || boxOf(style) === 0 || style.get('display') === 'none' || attributeOf(element, 'aria-hidden') === 'true')
    return 'closed';
  return byName === 'closed' && !style.has('display') ? 'closed' : 'shown';
}

/* Size and colour, which text takes over from outside. */

/** What text takes over from the elements around it. */
interface Inherited {
  readonly isTiny: boolean;
  readonly isIndentedAway: boolean;
  /** As written, on the ground that is nearest; undefined where the page's own sheets and attributes say nothing. */
  readonly colour: string | undefined;
  readonly ground: string | undefined;
}

const plainText: Inherited = { isTiny: false, isIndentedAway: false, colour: undefined, ground: undefined };

/** A ground that some sheet of another file most likely paints. */
const paintedNames = /^(?:bg|btn|button|badge|dark|hero|inverse|overlay|cover|banner|label|chip|pill|tag)(?:-|$)/;
const leastPx = 2;

/** In one spelling, as far as pages write colours in more than one; `#fff` for white and what hardly differs from it. */
function colourIn(css: string): string {
  const colour = css
    .replace(/\s+/g, '')
    .replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
    .replace(/^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,1)?\)$/, (_, ...channels: string[]) =>
      channels.slice(0, 3).reduce((hex, channel) => hex + Number(channel).toString(16).padStart(2, '0'), '#'),
    );
  return /^(?:white|snow|#f[a-f\d]f[a-f\d]f[a-f\d])$/.test(colour) ? '#fff' : colour;
}

function inheritFrom(outer: Inherited, element: HtmlElement, style: Declarations): Inherited {
  const behind = `${style.get('background') ?? ''}${style.get('background-image') ?? ''}${style.get('background-color') ?? ''}`;
  const isPainted =
    !/^(?:none|transparent|inherit|initial|unset|)$/.test(behind) || classNamesOf(element).some((name) => paintedNames.test(name));
  const size = style.get('font-size') ?? /(?:^|\s)(\d[\d.]*(?:px|em|rem|pt|%)?)(?:\s*\/|\s)/.exec(style.get('font') ?? '')?.[1];
  const pixels = size?.endsWith('%') ? Number.parseFloat(size) / 6 : pixelsOf(size);
  const indent = pixelsOf(style.get('text-indent'));
  const written = style.get('color');
  // A new ground under a colour from outside says nothing: the colour on it is set by some other sheet.
  const taken = isPainted ? undefined : outer.colour;
  return {
    isTiny: pixels === undefined ? outer.isTiny : pixels < leastPx,
    isIndentedAway: indent === undefined ? outer.isIndentedAway : indent <= -farPx,
    colour: written === undefined || written === 'inherit' ? taken : colourIn(written),
    ground: isPainted ? colourIn(behind) : outer.ground,
  };
}

const isUnreadable = ({ colour, ground, isTiny, isIndentedAway }: Inherited): boolean =>
  isTiny || isIndentedAway || colour === 'transparent' || (colour !== undefined && colour === (ground ?? '#fff'));

/** @returns closed parts that stayed, with the control that opens each */
export function keepVisible(page: Page, declaredOf: DeclaredOf): ReadonlyMap<HtmlElement, HtmlElement> {
  const root = page.root().get(0) as HtmlNode;
  const openers = new Map<HtmlElement, HtmlElement>();
  const answers = new Map<HtmlElement, boolean>();
  // A page that is shown by a script when it is ready is shown.
  const isWhole = (element: HtmlElement) => element.name === 'html' || element.name === 'body';
  const hidingAt = (element: HtmlElement) => (isWhole(element) ? 'shown' : hidingOf(element, declaredOf(element)));

  const isKept = (element: HtmlElement): boolean => {
    const known = answers.get(element);
    if (known !== undefined) return known;
    // Two parts that could only open each other are never opened.
    answers.set(element, false);
    const parent = parentOf(element);
    const isKeptHere = (parent === undefined || isKept(parent)) && isKeptItself(element);
    answers.set(element, isKeptHere);
    return isKeptHere;
  };
  const isKeptItself = (element: HtmlElement): boolean => {
    const hiding = hidingAt(element);
    if (hiding !== 'closed' || textOf(element, 100) === '') return hiding === 'shown';
    const opener = openerOf(element);
    if (opener !== undefined) openers.set(element, opener);
    return opener !== undefined;
  };
  const openerOf = createOpenerOf(root, isKept);

  const gone = new Set<HtmlNode>();
  const visit = (node: HtmlNode, outer: Inherited): void => {
    for (const child of childrenOf(node)) {
      if (isText(child)) {
        if (isUnreadable(outer)) gone.add(child);
      } else if (isElement(child) && isKept(child)) visit(child, inheritFrom(outer, child, declaredOf(child)));
      else gone.add(child);
    }
  };
  visit(root, plainText);
  sweep(root, (node) => gone.has(node));
  return openers;
}
