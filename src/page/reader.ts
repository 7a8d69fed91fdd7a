/** The document beside what is said of it: opened at a citation with its words highlighted, or from the list. */
import { effect, signal } from '@webreflection/signal';
import { html, nothing, type TemplateResult } from 'lit-html';
import { api, messageOf } from './api.ts';
import type { PassagePlace, StoredDocument } from './api-types.d.ts';
import { type Highlight, showDocument } from './document-view.ts';
import { showBytes, showDay, webAddress } from './format.ts';
import { linkTo, namespacePathOf } from './session.ts';

export interface DocumentPlace extends Partial<Omit<PassagePlace, 'documentId'>> {
  readonly namespace: string;
  readonly documentId: string;
  /** What has to stand at `start` to `end`. */
  readonly quote?: string;
}

type Shown =
  | { readonly is: 'loading' | 'failed'; readonly message: string }
  | { readonly is: 'open'; readonly document: StoredDocument; readonly highlight: Highlight | undefined; readonly warning: string };

const place = signal<DocumentPlace | undefined>(undefined);
const shown = signal<Shown>({ is: 'loading', message: '' });
const isSource = signal(false);

/** Whether there is room for a document beside the view; where there is not it lies over it. */
const wide = matchMedia('(min-width: 1000px)');
export const isWide = signal(wide.matches);
wide.addEventListener('change', () => {
  isWide.value = wide.matches;
});

const body = Object.assign(document.createElement('div'), { className: 'document', tabIndex: 0 });
let view: ReturnType<typeof showDocument> | undefined;
let lastFocused: HTMLElement | undefined;
let loading: AbortController | undefined;

/** Where the quote stands now: the document may have been edited since. A link has no quote, and names the start of the revision. */
function highlightOf(
  { markdown, revision: stored }: StoredDocument,
  { start, end, quote, revision = '' }: DocumentPlace,
): { highlight: Highlight | undefined; warning: string } {
  if (start === undefined || end === undefined) return { highlight: undefined, warning: '' };
  const isUnchanged = quote === undefined ? stored.startsWith(revision) && end <= markdown.length : markdown.slice(start, end) === quote;
  if (isUnchanged) return { highlight: { start, end }, warning: '' };
  if (quote === undefined)
    return { highlight: undefined, warning: 'The document was edited after this link was made, so the quote is not highlighted.' };
  const at = markdown.indexOf(quote);
  if (at >= 0)
    return { highlight: { start: at, end: at + quote.length }, warning: 'The document was edited since; the passage stands here now.' };
  return { highlight: undefined, warning: 'The document was edited since, and does not hold this passage any more.' };
}

export async function openDocument(to: DocumentPlace, isPeek = false): Promise<void> {
  if (!place.value && document.activeElement instanceof HTMLElement) lastFocused = document.activeElement;
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  place.value = to;
  shown.value = { is: 'loading', message: 'Opening …' };
  try {
    const path = `${namespacePathOf(to.namespace)}/documents/${encodeURIComponent(to.documentId)}`;
    const document = await api<StoredDocument>(path, { signal });
    shown.value = { is: 'open', document, ...highlightOf(document, to) };
    if (to.anchor && to.start === undefined) view?.showAnchor(to.anchor);
  } catch (error) {
    if (signal.aborted) return;
    shown.value = { is: 'failed', message: messageOf(error) };
  }
  if (!isPeek) body.focus({ preventScroll: true });
}

export function closeDocument(): void {
  if (!place.value) return;
  loading?.abort();
  place.value = undefined;
  lastFocused?.focus();
}
export const isDocumentOpen = () => place.value !== undefined;
/** Whether the document is open, or is being opened, at this place or at any place if none is given. */
export function isShown({ namespace, documentId, start, end }: DocumentPlace): boolean {
  const now = place.value;
  if (now?.namespace !== namespace || now.documentId !== documentId || shown.value.is === 'failed') return false;
  return start === undefined || (now.start === start && now.end === end);
}

effect(() => {
  const now = shown.value;
  view?.close();
  view = undefined;
  if (now.is !== 'open' || !place.value) {
    body.replaceChildren();
    return;
  }
  const { document: stored, highlight } = now;
  view = showDocument(body, { ...stored, highlight, isSource: isSource.value });
});

body.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : undefined;
  const anchor = link?.getAttribute('href');
  if (!anchor?.startsWith('#')) return;
  event.preventDefault();
  view?.showAnchor(decodeURIComponent(anchor.slice(1)));
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !document.querySelector('dialog[open]')) closeDocument();
});

function facts({ source, kind, bytes, fetchedAt, lastModified, author, reviewedAt, reviewBy }: StoredDocument, { page }: DocumentPlace) {
  const address = webAddress(source);
  const date = lastModified ?? fetchedAt;
  return html`<p class="facts">
    ${address ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${source}</a>` : html`<span>${kind === 'text' ? 'a text' : source}</span>`}
    ${page ? html`<span>page ${page}</span>` : nothing}
    ${date ? html`<span title=${lastModified ? 'as the source says' : 'when it was read'}>${showDay(date)}</span>` : nothing}
    <span>${showBytes(bytes)}</span>
    ${author ? html`<span>reviewed by ${author}${reviewedAt ? `, ${showDay(reviewedAt)}` : ''}</span>` : nothing}
    ${reviewBy ? html`<span>review by ${showDay(reviewBy)}</span>` : nothing}
  </p>`;
}

const toggle = () => {
  isSource.value = !isSource.value;
};

export type Actions = (document: StoredDocument) => TemplateResult | typeof nothing;

function about(stored: StoredDocument, to: DocumentPlace, actions: Actions) {
  return html`${facts(stored, to)}
    <div class="tools">
      <button class="small" @click=${toggle} aria-pressed=${isSource.value}>Markdown</button>
      <a class="button small" href=${linkTo({ view: 'documents', namespace: to.namespace, id: stored.id })}>In the list</a>
      ${actions(stored)}
    </div>`;
}

function stateOf(now: Shown) {
  if (now.is === 'open') return now.warning ? html`<p class="warning" role="status">${now.warning}</p>` : nothing;
  return html`<p class=${now.is === 'failed' ? 'error' : 'quiet'} role="status">${now.message}</p>`;
}

export function readerView(actions: Actions = () => nothing) {
  const [to, now] = [place.value, shown.value];
  if (!to) return nothing;
  const stored = now.is === 'open' ? now.document : undefined;
  const title = stored?.title ?? to.title ?? 'Document';
  const path = (to.headingPath ?? []).filter((heading) => heading !== title).join(' › ');
  return html`<section class="reader" aria-label="Document" role=${isWide.value ? 'complementary' : 'dialog'} aria-modal=${isWide.value ? nothing : 'true'}>
    <header>
      <h2 title=${title}>${title}</h2>
      <button class="icon" @click=${closeDocument} aria-label="Close the document">✕</button>
    </header>
    ${path === '' ? nothing : html`<p class="path">${path}</p>`}
    ${stored ? about(stored, to, actions) : nothing} ${stateOf(now)} ${body}
  </section>`;
}
