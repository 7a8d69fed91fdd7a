/** Web page: header, current view, document reader and sign-in form. */
import { effect } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { keyNeeded, keyRefused, useKey } from './api.ts';
import { askView } from './ask.ts';
import { callsView } from './calls.ts';
import { documentActions } from './document-actions.ts';
import { documentsView } from './documents.ts';
import { countOf } from './format.ts';
import { gapsView } from './gaps.ts';
import { isDocumentOpen, isWide, readerView } from './reader.ts';
import { focusHeading, linkTo, may, namespaces, notice, refreshState, route, server, type ViewName } from './session.ts';
import { modelText, stateView } from './state.ts';

type View = Readonly<{ label: string; show: () => unknown; isOpen?: () => boolean; hasNamespace?: boolean }>;

const viewsByName: Readonly<Record<ViewName, View>> = {
  ask: { label: 'Ask', show: askView, hasNamespace: true },
  documents: { label: 'Documents', show: documentsView, hasNamespace: true },
  gaps: { label: 'Gaps', show: gapsView, isOpen: () => may('admin'), hasNamespace: true },
  calls: { label: 'Calls', show: callsView, isOpen: () => may('calls') },
  state: { label: 'Status', show: stateView },
};

function chooseNamespace({ target }: Event): void {
  location.hash = linkTo({ namespace: (target as HTMLSelectElement).value });
}

function namespacePicker() {
  const { namespace } = route.value;
  const names = namespaces.value.map(({ name }) => name);
  const all = names.includes(namespace) ? names : [...names, namespace];
  return html`<label class="picker"><span class="hidden">Namespace</span>
    <select title="Namespace" @change=${chooseNamespace}>
      ${all.map((name) => html`<option value=${name} .selected=${name === namespace}>${name}</option>`)}
    </select>
  </label>`;
}

const shownViews = () => (keyNeeded.value ? [] : Object.entries(viewsByName).filter(([, { isOpen = () => true }]) => isOpen()));

const head = (current: ViewName) => html`<header class="bar">
  <a class="brand" href=${linkTo({ view: 'ask' })}>Knowledge Agent</a>
  <nav aria-label="Main">
    ${shownViews().map(
      ([name, { label }]) =>
        html`<a href=${linkTo({ view: name as ViewName })} aria-current=${name === current ? 'page' : nothing}>${label}</a>`,
    )}
  </nav>
  ${viewsByName[current].hasNamespace && !keyNeeded.value ? namespacePicker() : nothing}
</header>`;

function submitKey(event: SubmitEvent): void {
  event.preventDefault();
  useKey(String(new FormData(event.target as HTMLFormElement).get('key') ?? '').trim());
  void refreshState();
}

const keyForm = () => html`<form class="key" @submit=${submitKey}>
  <h1>Sign in</h1>
  <p>${keyRefused.value ? 'This key is not valid. Check it and enter it again.' : 'Enter an API key or token for this server. It is kept only in this tab and forgotten when you reload or close it.'}</p>
  <label>API key or token <input name="key" type="password" autocomplete="off" required autofocus /></label>
  <button class="primary">Sign in</button>
</form>`;

function body(current: ViewName) {
  if (keyNeeded.value) return keyForm();
  return html`<div class="columns ${isDocumentOpen() ? 'with-reader' : ''}">
    <div class="pane" .inert=${isDocumentOpen() && !isWide.value}>${viewsByName[current].show()}</div>
    ${readerView(documentActions)}
  </div>`;
}

const root = document.querySelector<HTMLElement>('#page');
root?.replaceChildren();
effect(() => {
  const { view } = route.value;
  document.title = `${viewsByName[view].label} – Knowledge Agent`;
  if (!root) return;
  const focused = document.activeElement;
  render(
    html`${head(view)}
      <main class="view">${body(view)}</main>
      <footer class="quiet">${server.value ? html`${countOf(server.value.documents, 'document')} · ${modelText(server.value.model)} · <a href="swagger-ui">API reference</a>` : nothing}</footer>
      <div class="notices" role="status">${notice.value ? html`<p class=${notice.value.kind}>${notice.value.text}</p>` : nothing}</div>`,
    root,
  );
  // Rendering may have removed the focused element.
  if (!focused?.isConnected) root.querySelector<HTMLElement>('[autofocus]')?.focus();
  if (!focused?.isConnected && document.activeElement === document.body) focusHeading();
});
void refreshState();
