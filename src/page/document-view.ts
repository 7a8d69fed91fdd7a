/**
 * A document of any length: its slices are rendered when they come near the eye, and the one with the highlight at once. Rendered Markdown
 * shows the words of a span, the text as it is stored shows it character by character.
 */
import { renderMarkdown, renderMarked, type Slice, sliceMarkdown, textNodesOf } from './markdown.ts';

export interface Highlight {
  readonly start: number;
  readonly end: number;
}

export interface DocumentViewOptions {
  readonly markdown: string;
  readonly bodyStart: number;
  readonly highlight: Highlight | undefined;
  /** The text as it is stored, instead of what it means. */
  readonly isSource: boolean;
}

/** How high a character of text is on the average, in pixels: what is not rendered yet takes up about its room. */
const pxPerChar = 0.38;

/** As GitHub makes them: what a citation's anchor, and a link within the document, names. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

const ownAnchor = /\s*\{#([^\s{}]+)\}\s*$/;

/** Headings say where they are; ids do not clash with those of the page. */
function nameHeadings(fragment: DocumentFragment): void {
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const named = ownAnchor.exec(heading.textContent);
    const last = named ? textNodesOf(heading).at(-1) : undefined;
    if (last) last.data = last.data.replace(ownAnchor, '');
    heading.setAttribute('data-anchor', named?.[1] ?? slugOf(heading.textContent.trim()));
  }
}

function renderSource(text: string, span: Highlight | undefined): Node {
  const element = document.createElement('pre');
  element.className = 'source';
  if (!span) element.textContent = text;
  else {
    const mark = document.createElement('mark');
    mark.textContent = text.slice(span.start, span.end);
    element.append(text.slice(0, span.start), mark, text.slice(span.end));
  }
  return element;
}

const within = ({ start, end }: Slice, highlight: Highlight | undefined): Highlight | undefined => {
  if (!highlight || highlight.start >= end || highlight.end <= start) return undefined;
  return { start: Math.max(0, highlight.start - start), end: Math.min(end, highlight.end) - start };
};

/** @returns undefined where the highlight cannot be shown in what is rendered */
function renderSlice({ markdown, highlight, isSource }: DocumentViewOptions, slice: Slice): Node | undefined {
  const text = markdown.slice(slice.start, slice.end);
  const span = within(slice, highlight);
  if (isSource) return renderSource(text, span);
  const fragment = span ? renderMarked(text, slice.prefix, span) : renderMarkdown(slice.prefix + text);
  if (fragment) nameHeadings(fragment);
  return fragment;
}

/** Fills the element with a document, scrolled to its highlight. @returns what shows a heading by its anchor, and what lets go of it */
export function showDocument(element: HTMLElement, options: DocumentViewOptions) {
  const { markdown, bodyStart, highlight } = options;
  const slices = sliceMarkdown(markdown, options.isSource ? 0 : bodyStart);
  const places = slices.map((slice) => {
    const place = document.createElement('div');
    place.className = 'slice';
    place.style.minHeight = `${Math.round((slice.end - slice.start) * pxPerChar)}px`;
    return place;
  });
  const rendered = new Set<number>();

  function fill(number: number): void {
    const [place, slice] = [places[number], slices[number]];
    if (!place || !slice || rendered.has(number)) return;
    rendered.add(number);
    place.style.minHeight = '';
    place.replaceChildren(renderSlice(options, slice) ?? renderSlice({ ...options, isSource: true }, slice) ?? '');
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) fill(places.indexOf(target as HTMLDivElement));
    },
    { root: element, rootMargin: '1200px' },
  );

  function fillAround(number: number): void {
    for (const near of [number - 1, number, number + 1]) fill(near);
  }

  element.replaceChildren(...places);
  element.scrollTop = 0;
  if (highlight) {
    const number = slices.findIndex((slice) => within(slice, highlight));
    fillAround(number);
    element.querySelector('mark')?.scrollIntoView({ block: 'center' });
  }
  for (const place of places) observer.observe(place);

  return {
    showAnchor(anchor: string): void {
      const isIt = (text: string) => slugOf(text.trim()) === anchor || ownAnchor.exec(text)?.[1] === anchor;
      const heading = /^#{1,6}[ \t]+(.+)$/gm;
      for (const { index, 1: text = '' } of markdown.matchAll(heading)) {
        if (index < bodyStart || !isIt(text)) continue;
        fillAround(slices.findIndex(({ start, end }) => start <= index && index < end));
        element.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`)?.scrollIntoView({ block: 'start' });
        return;
      }
    },
    close: () => observer.disconnect(),
  };
}
