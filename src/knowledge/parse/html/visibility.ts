/**
 * Leaves of a page what a reader can see or open. What is hidden is taken out before anything else looks at the text, so that it never
 * becomes a passage; a collapsed answer or a tab stays, where the page has the control that opens it.
 */
import { colourOf, contrastOf, white } from './colour.ts';
import { createControls } from './controls.ts';
import { childrenOf, classNamesOf, type HtmlElement, type HtmlNode, isElement, isText, parentOf, sweep, textOf } from './dom.ts';
import { hidingOf, pixelsOf } from './hiding.ts';
import type { Page } from './shape.ts';
import type { Declarations, DeclaredOf } from './style.ts';

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
const leastContrast = 1.15;
const leastPx = 2;

const groundOf = (style: Declarations): string | undefined => {
  const shorthand = style.get('background') ?? '';
  if (/url\(|gradient\(/.test(`${shorthand} ${style.get('background-image') ?? ''}`)) return 'picture';
  const colour = style.get('background-color') ?? shorthand;
  const parsed = colourOf(colour) ?? colourOf(/#[\da-f]{3,8}\b|(?:rgb|hsl)a?\([^)]*\)|^[a-z]+/.exec(colour)?.[0]);
  if (parsed?.alpha === 0 || /^(?:none|transparent|inherit|initial|unset|)$/.test(colour)) return undefined;
  return colour;
};

function inheritFrom(outer: Inherited, element: HtmlElement, style: Declarations): Inherited {
  const painted = groundOf(style) ?? (classNamesOf(element).some((name) => paintedNames.test(name)) ? 'painted' : undefined);
  const written = style.get('-webkit-text-fill-color') ?? style.get('color');
  const isClipped = /text/.test(`${style.get('background-clip') ?? ''}${style.get('-webkit-background-clip') ?? ''}`);
  const size = style.get('font-size') ?? /(?:^|\s)(\d[\d.]*(?:px|em|rem|pt|%)?)(?:\s*\/|\s)/.exec(style.get('font') ?? '')?.[1];
  const pixels = size?.endsWith('%') ? Number.parseFloat(size) / 6 : pixelsOf(size);
  const indent = pixelsOf(style.get('text-indent'));
  return {
    isTiny: pixels === undefined ? outer.isTiny : pixels < leastPx,
    isIndentedAway: indent === undefined ? outer.isIndentedAway : indent <= -500,
    // A new ground under a colour from outside says nothing: the colour on it is set by some other sheet.
    colour: isClipped ? undefined : written === undefined || written === 'inherit' ? (painted ? undefined : outer.colour) : written,
    ground: painted ?? outer.ground,
  };
}

function isUnreadable({ colour, ground, isTiny, isIndentedAway }: Inherited): boolean {
  if (isTiny || isIndentedAway) return true;
  if (colour === undefined) return false;
  const parsed = colourOf(colour);
  if (parsed !== undefined && parsed.alpha < 0.1) return true;
  if (ground === undefined) return parsed !== undefined && contrastOf(parsed, white) < leastContrast;
  const below = colourOf(ground);
  return colour === ground || (parsed !== undefined && below !== undefined && contrastOf(parsed, below) < leastContrast);
}

export interface Seen {
  /** Closed parts that stayed, with the control that opens them. */
  readonly openers: ReadonlyMap<HtmlElement, HtmlElement>;
}

export function keepVisible(page: Page, declaredOf: DeclaredOf): Seen {
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
    const opener = controls.openerOf(element);
    if (opener !== undefined) openers.set(element, opener);
    return opener !== undefined;
  };
  const controls = createControls(root, isKept);

  const gone = new Set<HtmlNode>();
  const look = (node: HtmlNode, outer: Inherited): void => {
    for (const child of childrenOf(node)) {
      if (isText(child)) {
        if (isUnreadable(outer)) gone.add(child);
      } else if (isElement(child) && isKept(child)) look(child, inheritFrom(outer, child, declaredOf(child)));
      else gone.add(child);
    }
  };
  look(root, plainText);
  sweep(root, (node) => gone.has(node));
  return { openers };
}
