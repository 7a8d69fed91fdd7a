/** Document reader: opened from a citation, with the quote highlighted, or from the list. */
import { batch, effect, signal, untracked } from '@webreflection/signal';
import { html, nothing, type TemplateResult } from 'lit-html';
import { messageOf } from './api.ts';
import { showBytes, showDay, webAddress } from './format.ts';
import {
  renderMarkdown,
  renderMarked,
  type Slice,
  sliceMarkdown,
  textNodesOf,
} from './markdown.ts';
import type { CitedPlace, StoredDocument } from './openapi.d.ts';
import { createFetched, decoded, linkTo, may, namespacePathOf, route, server } from './session.ts';
import { isComposing } from './shared-with-widget.ts';

// Long documents: slices are rendered as they scroll near. The Markdown source highlights exact
// characters, the rendered text only words.

type Highlight = Readonly<{ start: number; end: number }>;

type DocumentViewOptions = Readonly<{
  markdown: string;
  bodyStart: number;
  highlight: Highlight | undefined;
  isSource: boolean;
}>;

/**
 * Average height per character of text, in pixels: reserves space for slices that are not rendered
 * yet.
 */
const pxPerChar = 0.38;

/** Heading slug as on GitHub. Citation anchors and links within a document use it. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

const ownAnchor = /\s*\{#([^\s{}]+)\}\s*$/;

/** Sets `data-anchor` on headings; ids could clash with those of the page. */
function nameHeadings(fragment: DocumentFragment) {
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const named = ownAnchor.exec(heading.textContent);
    const last = named ? textNodesOf(heading).at(-1) : undefined;
    if (last) last.data = last.data.replace(ownAnchor, '');
    heading.setAttribute('data-anchor', named?.[1] ?? slugOf(heading.textContent.trim()));
  }
}

function renderSource(text: string, { start, end }: Highlight = { start: 0, end: 0 }) {
  const element = Object.assign(document.createElement('pre'), { className: 'source' });
  const mark = Object.assign(document.createElement('mark'), {
    textContent: text.slice(start, end),
  });
  element.append(text.slice(0, start), ...(end > start ? [mark] : []), text.slice(end));
  return element;
}

const within = ({ start, end }: Slice, highlight: Highlight | undefined) => {
  if (!highlight || highlight.start >= end || highlight.end <= start) return undefined;
  return { start: Math.max(0, highlight.start - start), end: Math.min(end, highlight.end) - start };
};

function renderSlice({ markdown, highlight, isSource }: DocumentViewOptions, slice: Slice) {
  const text = markdown.slice(slice.start, slice.end);
  const span = within(slice, highlight);
  if (isSource) return renderSource(text, span);
  const fragment = span
    ? renderMarked(text, slice.prefix, span)
    : renderMarkdown(slice.prefix + text);
  if (fragment) nameHeadings(fragment);
  return fragment;
}

function showDocument(element: HTMLElement, options: DocumentViewOptions) {
  const { markdown, bodyStart, highlight } = options;
  const slices = sliceMarkdown(markdown, options.isSource ? 0 : bodyStart);
  const places = slices.map((slice) => {
    const place = document.createElement('div');
    place.className = 'slice';
    place.style.minHeight = `${Math.round((slice.end - slice.start) * pxPerChar)}px`;
    return place;
  });
  const rendered = new Set<number>();

  function fill(number: number) {
    const place = places[number];
    const slice = slices[number];
    if (!place || !slice || rendered.has(number)) return;
    rendered.add(number);
    place.style.minHeight = '';
    place.replaceChildren(
      renderSlice(options, slice) ?? renderSlice({ ...options, isSource: true }, slice) ?? '',
    );
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) fill(places.indexOf(target as HTMLDivElement));
    },
    { root: element, rootMargin: '1200px' },
  );

  function fillAround(number: number) {
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
    /** Scrolls to the heading with this anchor, if there is one. */
    showAnchor(anchor: string) {
      const isIt = (text: string) =>
        slugOf(text.trim()) === anchor || ownAnchor.exec(text)?.[1] === anchor;
      const heading = /^#{1,6}[ \t]+(.+)$/gm;
      for (const { index, 1: text = '' } of markdown.matchAll(heading)) {
        if (index < bodyStart || !isIt(text)) continue;
        fillAround(slices.findIndex(({ start, end }) => start <= index && index < end));
        element
          .querySelector(`[data-anchor="${CSS.escape(anchor)}"]`)
          ?.scrollIntoView({ block: 'start' });
        return;
      }
    },
    close: () => observer.disconnect(),
  };
}

export type DocumentPlace = Partial<Omit<CitedPlace, 'documentId'>> &
  Readonly<{
    namespace: string;
    documentId: string;
    /** Part of the document that contains the place: shown until the document is loaded. */
    passage?: Readonly<{ text: string; start: number }>;
  }>;

/** Address of a document, highlighted at the place if there is one. */
export const documentLink = ({
  namespace,
  documentId,
  start,
  end,
  revision = '',
}: DocumentPlace): string =>
  linkTo({
    view: 'documents',
    namespace,
    id: documentId,
    // The start of the revision is enough to notice a change.
    query:
      start === undefined || end === undefined
        ? {}
        : { start: String(start), end: String(end), revision: revision.slice(0, 19) },
  });

const place = signal<DocumentPlace | undefined>(undefined);
const fetched = createFetched<StoredDocument>();
const isSource = signal(false);

const wide = matchMedia('(min-width: 1000px)');
export const isWide = signal(wide.matches);
wide.addEventListener('change', () => {
  isWide.value = wide.matches;
});

const body = Object.assign(document.createElement('div'), { className: 'document', tabIndex: 0 });
let view: ReturnType<typeof showDocument> | undefined;
let lastFocused: HTMLElement | undefined;

/**
 * Returns the range to highlight; searches for the quote if the document was edited. A link has no
 * quote, only the start of the revision.
 */
function highlightOf(
  { markdown, revision: stored }: StoredDocument,
  { start, end, quote, revision = '' }: DocumentPlace,
) {
  const missing = (warning: string) => ({ highlight: undefined, warning });
  if (start === undefined || end === undefined) return missing('');
  const isUnchanged =
    quote === undefined
      ? stored.startsWith(revision) && end <= markdown.length
      : markdown.slice(start, end) === quote;
  if (isUnchanged) return { highlight: { start, end }, warning: '' };
  if (quote === undefined)
    return missing(
      'This document changed after the link was created, so the quote is not highlighted.',
    );
  const at = markdown.indexOf(quote);
  if (at >= 0)
    return {
      highlight: { start: at, end: at + quote.length },
      warning: 'This document has changed. The passage is now here.',
    };
  return missing('This document has changed and no longer contains this passage.');
}

/** A link to a document is opened before the rights are known. */
const mayRead = () => server.value === undefined || may('read');

/**
 * Shows the passage until the document is loaded. Callers who may not read documents see nothing
 * else.
 */
function shown() {
  const { answer: document, failure } = fetched.now();
  const to = place.value;
  if (failure) return { is: 'failed' as const, message: messageOf(failure) };
  if (to && document) return { is: 'open' as const, document, ...highlightOf(document, to) };
  const message = untracked(mayRead)
    ? 'Loading …'
    : 'You see the passage that was found. Sign in to read the document.';
  const { passage, start, end } = to ?? {};
  if (!passage || start === undefined || end === undefined)
    return { is: 'loading' as const, message };
  return {
    is: 'part' as const,
    message,
    markdown: passage.text,
    highlight: { start: start - passage.start, end: end - passage.start },
  };
}
type Shown = ReturnType<typeof shown>;

export async function openDocument(to: DocumentPlace): Promise<void> {
  if (!place.value && document.activeElement instanceof HTMLElement)
    lastFocused = document.activeElement;
  batch(() => {
    fetched.forget();
    place.value = to;
  });
  // Before the document is loaded: later the user may be typing.
  body.focus({ preventScroll: true });
  if (mayRead())
    await fetched.load(
      `${namespacePathOf(to.namespace)}/documents/${encodeURIComponent(to.documentId)}`,
    );
  if (place.value !== to) return;
  if (to.anchor && to.start === undefined) view?.showAnchor(to.anchor);
  // A document in the address is opened before the page is rendered.
  if (document.activeElement === document.body) body.focus({ preventScroll: true });
}

const closeListeners: (() => void)[] = [];
export const onDocumentClosed = (act: () => void) => void closeListeners.push(act);

export function closeDocument(): void {
  if (!place.value) return;
  place.value = undefined;
  fetched.forget();
  for (const act of closeListeners) act();
  lastFocused?.focus();
}
let shownView = route.peek().view;
effect(() => {
  const { view: now, id } = route.value;
  // The address of a document opens it itself.
  if (now !== shownView && (now !== 'documents' || id === '')) untracked(closeDocument);
  shownView = now;
});

export const isDocumentOpen = () => place.value !== undefined;
export const openTitle = () => fetched.now().answer?.title ?? place.value?.title;
/** Whether the document is open or loading, at this place if one is given. */
export function isShown({ namespace, documentId, start, end }: DocumentPlace): boolean {
  const now = place.value;
  if (now?.namespace !== namespace || now.documentId !== documentId || fetched.now().failure)
    return false;
  return start === undefined || (now.start === start && now.end === end);
}

effect(() => {
  const now = shown();
  view?.close();
  view = undefined;
  if ((now.is !== 'open' && now.is !== 'part') || !place.value) {
    body.replaceChildren();
    return;
  }
  const text = now.is === 'open' ? now.document : { markdown: now.markdown, bodyStart: 0 };
  view = showDocument(body, { ...text, highlight: now.highlight, isSource: isSource.value });
});

body.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : undefined;
  const anchor = link?.getAttribute('href');
  if (!anchor?.startsWith('#')) return;
  event.preventDefault();
  view?.showAnchor(decoded(anchor.slice(1)));
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !isComposing(event) && !document.querySelector('dialog[open]'))
    closeDocument();
});

function facts(
  { source, kind, bytes, fetchedAt, lastModified, author, reviewedAt, reviewBy }: StoredDocument,
  { page }: DocumentPlace,
) {
  const address = webAddress(source);
  const date = lastModified ?? fetchedAt;
  return html`<p class="facts">
    ${
      address
        ? html`<a href=${address} target="_blank"
      rel="noopener noreferrer">${source}</a>`
        : html`<span>${kind === 'text' ? 'Text' : source}</span>`
    }
    ${page ? html`<span>page ${page}</span>` : nothing}
    ${date ? html`<span title=${lastModified ? 'Last modified' : 'Fetched'}>${showDay(date)}</span>` : nothing}
    <span>${showBytes(bytes)}</span>
    ${author ? html`<span>by ${author}${reviewedAt ? `, reviewed ${showDay(reviewedAt)}` : ''}</span>` : nothing}
    ${reviewBy ? html`<span>review due ${showDay(reviewBy)}</span>` : nothing}
  </p>`;
}

const toggle = () => {
  isSource.value = !isSource.value;
};

type Actions = (document: StoredDocument) => TemplateResult | typeof nothing;

function about(
  { document: stored, highlight }: Extract<Shown, { is: 'open' }>,
  to: DocumentPlace,
  actions: Actions,
) {
  return html`${facts(stored, to)}
    <div class="tools">
      <button class="small" @click=${toggle} aria-pressed=${isSource.value}>Show Markdown</button>
      <a class="button small" href=${documentLink({ namespace: to.namespace, documentId: stored.id, ...highlight, revision: stored.revision })}>Show in list</a>
      ${actions(stored)}
    </div>`;
}

function stateOf(now: Shown) {
  if (now.is === 'open')
    return now.warning ? html`<p class="warning" role="status">${now.warning}</p>` : nothing;
  return html`<p class=${now.is === 'failed' ? 'error' : 'quiet'} role="status">${now.message}</p>`;
}

export function readerView(actions: Actions) {
  const to = place.value;
  const now = shown();
  if (!to) return nothing;
  const title = openTitle() ?? 'Document';
  const path = (to.headingPath ?? []).filter((heading) => heading !== title).join(' › ');
  return html`<section class="reader" aria-label="Document"
    role=${isWide.value ? 'complementary' : 'dialog'} aria-modal=${isWide.value ? nothing : 'true'}>
    <header>
      <h2 title=${title}>${title}</h2>
      <button class="icon" @click=${closeDocument} aria-label="Close document">✕</button>
    </header>
    ${path === '' ? nothing : html`<p class="path">${path}</p>`}
    ${now.is === 'open' ? about(now, to, actions) : nothing} ${stateOf(now)} ${body}
  </section>`;
}
