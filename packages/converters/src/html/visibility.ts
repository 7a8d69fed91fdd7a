/**
 * Removes hidden text from a page before anything else reads it. Closed answers and tabs stay if
 * the page has a control that opens them.
 */

import { pattern } from '../../../shared/src/language/pattern.ts';
import { createOpenerFinder } from './disclosures.ts';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsOf,
  findAll,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isText,
  named,
  type Page,
  pageRoot,
  parentOf,
  removeNodes,
  textOf,
} from './dom.ts';
import type { Declarations, DeclaredOf } from './style.ts';

/**
 * `closed`: a control of the page may open it (tab, accordion). `concealed`: nothing opens it (off
 * screen, one pixel).
 */
type Hiding = 'shown' | 'closed' | 'concealed';

const neverShown = new Set(
  `del s strike script style noscript template iframe frame noframes object embed applet canvas audio video map head title meta link base datalist
  select textarea progress meter portal`.split(/\s+/),
);
const concealingNames = new RegExp(
  pattern`
      (?:^|-)(?:sr-only|show-for-sr|sr-text|visually-?hidden|screen-?reader(?:-only|-text)?|
        assistive(?:-text)?|a11y-(?:only|hidden)|hidden-visually|element-invisible|
        off-?screen(?:-text)?|text-hide)(?:-|$)
    `,
);
const closingNames =
  /^(?:d-none|hidden|hide|is-hidden|u-hidden|uk-hidden|display-none|invisible|uk-invisible|is-invisible|opacity-0|collapse|collapsed-content)$/;
/** Utility classes; a prefix sets a minimum screen width: `hidden md:block`, `d-none d-lg-flex`. */
const utility =
  /^(?:(sm|md|lg|xl):|d-(?:(sm|md|lg|xl)-)?)?(hidden|none|block|flex|grid|contents|table|table-cell|table-row|inline|inline-(?:block|flex|grid))$/;
const widths = ['', 'sm', 'md', 'lg', 'xl'];

const hides = (display: string) => Number(/^(?:hidden|none)$/.test(display));

/** Display set by a utility class. */
export function displayByUtility(element: HtmlElement): string | undefined {
  const classes = (element.attribs['class'] ?? '').split(/\s+/, 60);
  const displays = classes.flatMap((name) => {
    const [, width = '', bootstrapWidth = width, display] = utility.exec(name) ?? [];
    return !display || name === 'none' ? [] : [{ width: widths.indexOf(bootstrapWidth), display }];
  });
  return displays
    .sort((one, other) => one.width - other.width || hides(one.display) - hides(other.display))
    .at(-1)?.display;
}

const struckNames = /^(?:text-decoration-)?(?:line-through|strike-?through)$/;

const isForSpeech = (names: readonly string[]) =>
  names.some((name) => concealingNames.test(name) && !name.startsWith('not-'));

function hidingOfNames(element: HtmlElement): Hiding {
  const written = element.attribs['class'];
  if (!written) return 'shown';
  const names = classNamesOf(element);
  if (isForSpeech(names) || names.some((name) => struckNames.test(name))) return 'concealed';
  const byUtility = displayByUtility(element);
  if (byUtility) return hides(byUtility) ? 'closed' : 'shown';
  if (names.includes('collapse') && /(?:^|\s)(?:show|in)(?:\s|$)/.test(written)) return 'shown';
  return names.some((name) => closingNames.test(name)) ? 'closed' : 'shown';
}

/** Pixels of absolute units. */
const units: Readonly<Record<string, number>> = {
  ...{ px: 1, '': 1, em: 16, rem: 16, ch: 8, ex: 8, pt: 1.33, vw: 12.8, vh: 8 },
  ...{ cm: 38, mm: 3.8, in: 96 },
};

/** Length in pixels; undefined if not absolute. */
function pixelsOf(length = '') {
  const [, number, unit = ''] =
    /^(-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(length) ?? [];
  const factor = units[unit];
  if (!number) return undefined;
  return Number(number) === 0 ? 0 : factor && Number(number) * factor;
}

/** Offset beyond the reach of scrolling. */
const isFar = (length = '') =>
  (pixelsOf(length) ?? 0) <= -500 || /^-[1-9]\d{2,}(?:%|vw|vh)$/.test(length);

function isOutside(style: Declarations) {
  const position = style.get('position') ?? '';
  const sides = ['left', 'top', 'right', 'bottom', 'inset'].flatMap(
    (side) => style.get(side)?.split(/\s+/) ?? [],
  );
  const isAway = (side: string) =>
    isFar(side) ||
    (pixelsOf(side) ?? 0) >= 5_000 ||
    // A fixed element a whole screen away is unreachable.
    (position === 'fixed' && /^[1-9]\d{2,}(?:\.\d+)?(?:vw|vh|%)$/.test(side));
  if (/absolute|fixed|relative/.test(position) && sides.some(isAway)) return true;
  const moves = `${style.get('transform') ?? ''} ${style.get('translate') ?? ''}`;
  return [
    style.get('margin-left'),
    style.get('margin-top'),
    ...(moves.match(/-[\d.]+[a-z%]+/g) ?? []),
  ].some(isFar);
}

/** Shapes with an empty area. */
const emptyPath =
  /^circle\(\s*0|^polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*(?:,\s*0(?:px|%)?\s+0(?:px|%)?\s*)*\)/;

/** Whether an inset leaves no width or no height: `50%`, `0 100% 0 0`. */
function isEmptyInset(path: string) {
  const sides = /^inset\(([^()]*)/
    .exec(path)?.[1]
    ?.replace(/round.*/, '')
    .trim()
    .split(/\s+/);
  const shares = (sides ?? []).map((side) => (side.endsWith('%') ? Number.parseFloat(side) : 0));
  const [top = 0, right = top, bottom = top, left = right] = shares;
  return top + bottom >= 100 || right + left >= 100;
}

function isClippedAway(style: Declarations) {
  const clip = /^rect\(([^)]*)\)/.exec(style.get('clip') ?? '')?.[1];
  if (clip?.split(/[\s,]+/).every((side) => side === '' || (pixelsOf(side) ?? 2) <= 1)) return true;
  const path = style.get('clip-path') ?? '';
  const scale = /scale(?:3d|x|y)?\(\s*-?([^,)]*)/.exec(style.get('transform') ?? '')?.[1];
  return (
    emptyPath.test(path) ||
    isEmptyInset(path) ||
    isNearNothing(scale) ||
    isNearNothing(style.get('scale')) ||
    /opacity\(\s*0(?:\.0\d*)?%?\s*\)/.test(style.get('filter') ?? '')
  );
}

/** Whether a box that clips its content has no width or height. */
function isEmptyBox(style: Declarations, side: 'width' | 'height') {
  const clips = ['overflow', 'overflow-x', 'overflow-y'].some((name) =>
    /hidden|clip/.test(style.get(name) ?? ''),
  );
  return clips && [side, `max-${side}`].some((name) => (pixelsOf(style.get(name)) ?? 2) <= 1);
}

/** @param share opacity or zoom; 1 if not declared */
const isNearNothing = (share = '1') => Number.parseFloat(share) < (share.endsWith('%') ? 10 : 0.1);

/** Whether scripts show an element as soon as a reader scrolls to it: Webflow, Framer, AOS. */
const appears = ({ attribs }: HtmlElement) =>
  'data-w-id' in attribs || 'data-framer-appear-id' in attribs || 'data-aos' in attribs;

/** Whether a box beside or in a struck line is ticked: the line is done, not deleted. */
const isTicked = (line: HtmlElement) =>
  [...neighboursOf(line), ...elementsOf(line)].some(
    (box) => 'checked' in box.attribs || classNamesOf(box).includes('checkbox-on'),
  );

/** Whether an element is hidden and no control could open it. */
function isConcealed(element: HtmlElement, style: Declarations) {
  const { name, attribs } = element;
  const lines = `${style.get('text-decoration')} ${style.get('text-decoration-line')}`;
  return (
    neverShown.has(name) ||
    'popover' in attribs ||
    /^(?:tooltip|deletion|doc-pagebreak)$/.test(attribs['role'] ?? '') ||
    attribs['epub:type'] === 'pagebreak' ||
    (name === 'dialog' && !('open' in attribs)) ||
    (lines.includes('line-through') && !isTicked(element)) ||
    isAway(style) ||
    style.get('content-visibility') === 'hidden' ||
    isNearNothing(style.get('zoom'))
  );
}

/** Not in sight, but read out by a screen reader. */
const isAway = (style: Declarations) =>
  isOutside(style) || isClippedAway(style) || isEmptyBox(style, 'width');

/**
 * Hiding by the element itself; inherited size and colour are checked separately. @param isSpoken
 * whether screen readers skip the element only because they read out another text
 */
function hidingOf(element: HtmlElement, style: Declarations, isSpoken: boolean): Hiding {
  const byName = hidingOfNames(element);
  if (byName === 'concealed' || isConcealed(element, style)) return 'concealed';
  if (
    (isNearNothing(style.get('opacity')) && !appears(element)) ||
    /hidden|collapse/.test(style.get('visibility') ?? '') ||
    isEmptyBox(style, 'height') ||
    style.get('display') === 'none' ||
    (!isSpoken && isDrawn(element))
  )
    return 'closed';
  return byName === 'closed' && !style.has('display') ? 'closed' : 'shown';
}

// Text for screen readers. A text that is shown and spoken is read as shown, unless its figure is drawn
// in parts. A cell or item whose only text is spoken keeps it.

/** In characters: longer spoken text is no name of an icon. */
const maxSpokenChars = 80;
const icons = /^(?:svg|img|picture|i|use)$/;

function* neighboursOf(element: HtmlElement) {
  for (const side of ['prev', 'next'] as const) {
    let left = 3;
    for (let node = element[side]; node && left > 0; node = node[side])
      if (isElement(node)) {
        left--;
        yield node;
      }
  }
}

const figuresIn = (text: string) => text.match(/\d+(?:[.,]\d+)*/g) ?? [];
const isInLink = (element: HtmlElement) => ancestorsOf(element).take(4).some(named('a', 'button'));

const isDrawn = (element: HtmlElement) => attributeOf(element, 'aria-hidden') === 'true';

/** Whether spoken text is the only text of its cell or item, or the name of an icon there. */
function isNeeded(spoken: HtmlElement, neighbours: readonly HtmlElement[]) {
  const cell = ancestorsOf(spoken)
    .take(4)
    .find(({ name }) => /^(?:t[dh]|li|dd)$/.test(name));
  const text = textOf(spoken);
  if (!cell || text === '' || isDrawn(spoken)) return false;
  return textOf(cell, 200) === text || (neighbours.some(isIcon) && !isInLink(spoken));
}

const isSpoken = (element: HtmlElement, style: Declarations) =>
  !neverShown.has(element.name) &&
  !('hidden' in element.attribs) &&
  (isForSpeech(classNamesOf(element)) || isAway(style)) &&
  textOf(element, maxSpokenChars + 1).length <= maxSpokenChars;

/** @returns concealed elements that are read, and elements that are hidden from speech only */
function readSpeech(root: HtmlNode, declaredOf: DeclaredOf) {
  const kept = new Set<HtmlElement>();
  const drawn = new Set<HtmlElement>();
  for (const element of findAll(root, (one) => isSpoken(one, declaredOf(one)))) {
    const neighbours = [...neighboursOf(element)];
    const shown = neighbours.filter((one) => isDrawn(one) && textOf(one, 200));
    const isShown = (figure: string) => shown.some((one) => textOf(one).includes(figure));
    if (shown.length === 0) {
      if (isNeeded(element, neighbours)) kept.add(element);
    } else if (figuresIn(textOf(element)).every(isShown)) for (const one of shown) drawn.add(one);
    else kept.add(element);
  }
  for (const element of findAll(root, isDrawn))
    if (parentOf(element)?.attribs['aria-label']) drawn.add(element);
  return { kept, drawn };
}

const isIcon = (element: HtmlElement) =>
  icons.test(element.name) && textOf(element, 1) === '' && !attributeOf(element, 'alt');

// CSS colours, only as needed to compare text with its background: luminance and opacity.
// Perceptual models are read by lightness only. Rare colour names are unknown.

type CssColour = Readonly<{
  /** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance, 0 to 1. */
  luminance: number;
  /** 0 to 1. */
  alpha: number;
}>;

const namedColours = new Map(
  `white #fff,black #000,red #f00,lime #0f0,blue #00f,yellow #ff0,gray #808080,grey #808080,silver #c0c0c0,green #008000,navy #000080,
  snow #fffafa,ivory #fffff0,ghostwhite #f8f8ff,floralwhite #fffaf0,whitesmoke #f5f5f5,transparent #0000`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
);

const shareIn = (text = '', whole = 1) =>
  Math.min(Math.max(Number.parseFloat(text) * (text.endsWith('%') ? whole / 100 : 1), 0), whole);

/** @param channels 0 to 1 */
function luminanceOf(channels: readonly number[]) {
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hslChannels = (hue: number, saturation: number, lightness: number) =>
  [0, 8, 4].map((shift) => {
    const at = (shift + hue / 30) % 12;
    return (
      lightness -
      saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1))
    );
  });

function luminanceIn(model: string, [first = '', second, third]: readonly string[]) {
  const hue = Number.parseFloat(first);
  const one = shareIn(second, 100) / 100;
  const other = shareIn(third, 100) / 100;
  if (model === 'hsl') return luminanceOf(hslChannels(hue, one, other));
  if (model === 'hwb')
    return luminanceOf(
      hslChannels(hue, 1, 0.5).map((value) => value * Math.max(0, 1 - one - other) + one),
    );
  const whole = model === 'rgb' ? 255 : 1;
  if (model === 'rgb' || model === 'color')
    return luminanceOf([first, second, third].map((channel) => shareIn(channel, whole) / whole));
  return model.startsWith('ok') ? shareIn(first) ** 3 : ((shareIn(first, 100) + 16) / 116) ** 3;
}

/** @param css in lower case @returns undefined for unknown colours */
function colourOf(css = ''): CssColour | undefined {
  const text = namedColours.get(css) ?? css;
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(text)?.[1];
  if (hex) {
    const pairs = hex.length <= 4 ? hex.replace(/./g, '$&$&') : hex;
    const channels = [...Buffer.from(pairs, 'hex')].map((channel) => channel / 255);
    return { luminance: luminanceOf(channels), alpha: channels[3] ?? 1 };
  }
  const light = /^light-dark\(([^,()]+(?:\([^()]*\))?)\s*,/.exec(text)?.[1];
  if (light) return colourOf(light.trim());
  const [, model = '', list = ''] =
    /^(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)$/.exec(text) ?? [];
  const parts = list
    .split(/[\s,/]+/)
    .filter((value) => value && !/^(?:srgb|display-p3|srgb-linear|rec2020)$/.test(value));
  return parts.length < 3
    ? undefined
    : { luminance: luminanceIn(model, parts), alpha: shareIn(parts[3] ?? '1') };
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: 1 (none) to 21 (black on white). */
const contrastOf = (one: CssColour, other: CssColour) =>
  (Math.max(one.luminance, other.luminance) + 0.05) /
  (Math.min(one.luminance, other.luminance) + 0.05);

/** Formatting that text inherits. */
type Inherited = Readonly<{
  isTiny?: boolean | undefined;
  isIndentedAway?: boolean | undefined;
  /** CSS values of text and nearest background; undefined if the page does not declare them. */
  colour?: string | undefined;
  ground?: string | undefined;
}>;

/** Class names of elements that an external sheet probably paints. */
const paintedNames =
  /(?:^|-)(?:bg|background|btn|button|badge|dark|hero|inverse|overlay|cover|banner|label|chip|pill|tag)(?:-|$)/;

const groundOf = (style: Declarations) => {
  const shorthand = style.get('background') ?? '';
  if (/url\(|gradient\(/.test(`${shorthand} ${style.get('background-image') ?? ''}`))
    return 'picture';
  const colour = style.get('background-color') ?? shorthand;
  // Another sheet may declare the variable.
  if (colour === '' && (style.has('background-color') || style.has('background'))) return 'painted';
  const parsed =
    colourOf(colour) ??
    colourOf(/#[\da-f]{3,8}\b|(?:rgb|hsl)a?\([^)]*\)|^[a-z]+/.exec(colour)?.[0]);
  if (parsed?.alpha === 0 || /^(?:none|transparent|inherit|initial|unset|)$/.test(colour))
    return undefined;
  return colour;
};

function colourFor(outer: Inherited, style: Declarations, isPainted: boolean) {
  if (/text/.test(`${style.get('background-clip')}${style.get('-webkit-background-clip')}`))
    return undefined;
  const written = style.get('-webkit-text-fill-color') ?? style.get('color');
  if (written !== undefined && written !== 'inherit') return written;
  // Over a new background, an inherited colour is unreliable: an external sheet probably sets
  // another one.
  return isPainted ? undefined : outer.colour;
}

function inheritFrom(outer: Inherited, element: HtmlElement, style: Declarations) {
  const painted =
    groundOf(style) ??
    (classNamesOf(element).some((name) => paintedNames.test(name)) ? 'painted' : undefined);
  const size =
    style.get('font-size') ??
    /(?:^|\s)(\d[\d.]*(?:px|em|rem|pt|%)?)(?:\s*\/|\s)/.exec(style.get('font') ?? '')?.[1];
  const pixels = size?.endsWith('%') ? Number.parseFloat(size) / 6 : pixelsOf(size);
  const indent = pixelsOf(style.get('text-indent'));
  return {
    isTiny: pixels === undefined ? outer.isTiny : pixels < 2,
    isIndentedAway: indent === undefined ? outer.isIndentedAway : indent <= -500,
    colour: colourFor(outer, style, painted !== undefined),
    ground: painted ?? outer.ground,
  };
}

function isUnreadable({ colour, ground, isTiny, isIndentedAway }: Inherited) {
  if (isTiny || isIndentedAway) return true;
  if (colour === undefined) return false;
  const parsed = colourOf(colour);
  const below = colourOf(ground ?? '#fff');
  return (
    colour === ground ||
    (parsed !== undefined &&
      (parsed.alpha < 0.1 || (below !== undefined && contrastOf(parsed, below) < 1.15)))
  );
}

/** Removes hidden elements and text. @returns the remaining closed elements with their controls */
export function removeHidden(
  page: Page,
  declaredOf: DeclaredOf,
): ReadonlyMap<HtmlElement, HtmlElement> {
  const root = pageRoot(page);
  const openers = new Map<HtmlElement, HtmlElement>();
  const answers = new Map<HtmlElement, boolean>();
  // Some pages hide `body` until a script shows it.
  const isWhole = named('html', 'body');
  const speech = readSpeech(root, declaredOf);
  const hidingAt = (element: HtmlElement) =>
    isWhole(element) || speech.kept.has(element)
      ? 'shown'
      : hidingOf(element, declaredOf(element), speech.drawn.has(element));

  const isKept = (element: HtmlElement): boolean => {
    const known = answers.get(element);
    if (known !== undefined) return known;
    // Prevents cycles of elements that could only open each other.
    answers.set(element, false);
    const parent = parentOf(element);
    const isKeptHere = (!parent || isKept(parent)) && isKeptItself(element);
    answers.set(element, isKeptHere);
    return isKeptHere;
  };
  const isKeptItself = (element: HtmlElement) => {
    const hiding = hidingAt(element);
    if (hiding !== 'closed' || textOf(element, 100) === '') return hiding === 'shown';
    const opener = openerOf(element);
    if (opener) openers.set(element, opener);
    return opener !== undefined;
  };
  const openerOf = createOpenerFinder(root, isKept);

  const removed = new Set<HtmlNode>();
  const visit = (node: HtmlNode, outer: Inherited) => {
    for (const child of childrenOf(node)) {
      if (isText(child)) {
        if (isUnreadable(outer)) removed.add(child);
      } else if (isElement(child) && isKept(child))
        visit(child, inheritFrom(outer, child, declaredOf(child)));
      else removed.add(child);
    }
  };
  visit(root, {});
  removeNodes(root, removed);
  return openers;
}
