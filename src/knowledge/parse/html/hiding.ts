/**
 * Whether an element's text can be seen, from what is declared for it. `closed` is what a control of the page could open (a tab, an
 * accordion); `concealed` is what no page opens (off screen, one pixel, in the colour of its ground) and is never shown.
 */
import { ancestorsOf, attributeOf, classNamesOf, type HtmlElement, textOf } from './dom.ts';
import type { Declarations } from './style.ts';

export type Hiding = 'shown' | 'closed' | 'concealed';

const neverShown = new Set(
  `script style noscript template iframe frame noframes object embed applet canvas audio video map head title meta link base datalist
  select textarea progress meter portal`.split(/\s+/),
);
const concealingNames =
  /(?:^|-)(?:sr-only|show-for-sr|sr-text|visually-?hidden|screen-?reader(?:-only|-text)?|assistive(?:-text)?|a11y-(?:only|hidden)|hidden-visually|element-invisible|off-?screen-text|text-hide)(?:-|$)/;
const closingNames =
  /^(?:d-none|hidden|hide|is-hidden|u-hidden|uk-hidden|display-none|invisible|uk-invisible|is-invisible|opacity-0|collapse|collapsed-content)$/;
const displayNames = 'block|flex|grid|contents|table|table-cell|table-row|inline|inline-block|inline-flex|inline-grid';
/** Utility classes for all screens, then for ever wider ones up to that of a desk (`hidden md:block`, `d-none d-lg-flex`). */
const utilities = ['(?:d-)?', '(?:sm:|d-sm-)', '(?:md:|d-md-)', '(?:lg:|d-lg-)', '(?:xl:|d-xl-)'].map((prefix) => ({
  hidden: new RegExp(`^${prefix}hidden$|^${prefix.replace('(?:d-)?', 'd-')}none$`),
  shown: new RegExp(`^${prefix}(?:${displayNames})$`),
}));

/** Undefined where no utility class says anything of an element's display. */
function isHiddenByUtility(classes: readonly string[]): boolean | undefined {
  let isHidden: boolean | undefined;
  for (const { hidden, shown } of utilities) {
    if (classes.some((name) => hidden.test(name))) isHidden = true;
    else if (classes.some((name) => shown.test(name))) isHidden = false;
  }
  return isHidden;
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
export function pixelsOf(length: string | undefined): number | undefined {
  const [, number, unit] = /^(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(length ?? '') ?? [];
  const value = Number(number);
  if (number === undefined) return undefined;
  if (value === 0) return 0;
  const factor = { px: 1, '': 1, em: 16, rem: 16, ch: 8, ex: 8, pt: 1.33, vw: 12.8, vh: 8, cm: 38, mm: 3.8, in: 96 }[unit ?? ''];
  return factor === undefined ? undefined : value * factor;
}

/** Nothing that far outside is reached by scrolling. */
const farPx = 500;
const isFar = (length: string | undefined) => {
  const pixels = pixelsOf(length);
  return (pixels !== undefined && Math.abs(pixels) >= farPx && pixels < 0) || /^-(?:[1-9]\d{2,})(?:%|vw|vh)$/.test(length ?? '');
};
const isAtMost = (length: string | undefined, most: number) => {
  const pixels = pixelsOf(length);
  return pixels !== undefined && pixels <= most;
};

function isOutside(style: Declarations): boolean {
  const isMoved = /absolute|fixed|relative/.test(style.get('position') ?? '');
  const sides = ['left', 'top', 'right', 'bottom'].map((side) => style.get(side));
  if (isMoved && [...sides, ...(style.get('inset') ?? '').split(/\s+/)].some((side) => isFar(side) || isAtLeast(side, 5_000))) return true;
  // A whole screen away, and fixed there: no scrolling reaches it.
  if (style.get('position') === 'fixed' && sides.some((side) => /^(?:[1-9]\d{2,})(?:\.\d+)?(?:vw|vh|%)$/.test(side ?? ''))) return true;
  if (isFar(style.get('margin-left')) || isFar(style.get('margin-top'))) return true;
  const transform = `${style.get('transform') ?? ''} ${style.get('translate') ?? ''}`;
  return [...transform.matchAll(/-[\d.]+[a-z%]+/g)].some(([length]) => isFar(length));
}
const isAtLeast = (length: string | undefined, least: number) => (pixelsOf(length) ?? 0) >= least;

function isClippedAway(style: Declarations): boolean {
  const clip = /^rect\(([^)]*)\)/.exec(style.get('clip') ?? '')?.[1];
  if (clip?.split(/[\s,]+/).every((side) => side === '' || isAtMost(side, 1))) return true;
  const path = style.get('clip-path') ?? '';
  if (
    /^inset\(\s*(?:100%|[5-9]\d(?:\.\d+)?%)\s*\)|^circle\(\s*0|^polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*(?:,\s*0(?:px|%)?\s+0(?:px|%)?\s*)*\)/.test(
      path,
    )
  )
    return true;
  if (/scale(?:3d|x|y)?\(\s*0(?:\.0+)?\s*[,)]/.test(style.get('transform') ?? '') || /^0(?:\.0+)?(?:\s|$)/.test(style.get('scale') ?? ''))
    return true;
  return /opacity\(\s*0(?:\.0\d*)?%?\s*\)/.test(style.get('filter') ?? '');
}

/** A box that shows nothing of what overflows it; 0 is a closed one, 1 a hidden one. */
function boxOf(style: Declarations): number | undefined {
  if (!/hidden|clip/.test(`${style.get('overflow') ?? ''}${style.get('overflow-x') ?? ''}${style.get('overflow-y') ?? ''}`))
    return undefined;
  const sizes = ['width', 'height', 'max-width', 'max-height'].map((name) => pixelsOf(style.get(name)) ?? Number.POSITIVE_INFINITY);
  const [width = 0, height = 0, maxWidth = 0, maxHeight = 0] = sizes;
  if (Math.min(width, maxWidth) <= 1) return 1;
  return Math.min(height, maxHeight) <= 1 ? 0 : undefined;
}

const isTiny = (zoom: string | undefined) => zoom !== undefined && Number.parseFloat(zoom) < (zoom.endsWith('%') ? 10 : 0.1);

/** Text that is hidden from listeners because a label around it says the same is there for readers. */
function isHiddenFromListeners(element: HtmlElement): boolean {
  if (attributeOf(element, 'aria-hidden') !== 'true') return false;
  const text = textOf(element, 200);
  return (
    text === '' || ![...ancestorsOf(element)].slice(0, 2).some((outer) => attributeOf(outer, 'aria-label')?.replace(/\s+/g, ' ') === text)
  );
}

/** Of the element itself; what its text takes over from outside (size, colour) is told elsewhere. */
export function hidingOf(element: HtmlElement, style: Declarations): Hiding {
  if (neverShown.has(element.name)) return 'concealed';
  if (element.name === 'dialog' && !('open' in element.attribs)) return 'concealed';
  if ('popover' in element.attribs || element.attribs['role'] === 'tooltip') return 'concealed';
  if (isOutside(style) || isClippedAway(style) || style.get('content-visibility') === 'hidden') return 'concealed';
  const box = boxOf(style);
  if (box === 1 || isTiny(style.get('zoom'))) return 'concealed';
  const byName = hidingOfNames(element);
  if (byName === 'concealed') return 'concealed';
  const opacity = style.get('opacity');
  const isFaint = opacity !== undefined && Number.parseFloat(opacity) < (opacity.endsWith('%') ? 10 : 0.1);
  const isInvisible = /hidden|collapse/.test(style.get('visibility') ?? '');
  if (isFaint || isInvisible || box === 0 || style.get('display') === 'none' || isHiddenFromListeners(element)) return 'closed';
  return byName === 'closed' && !style.has('display') ? 'closed' : 'shown';
}
