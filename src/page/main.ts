/** Web page: header, current view, document reader and sign-in form. */
import { effect } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { keyNeeded, keyRefused, useKey } from './api.ts';
import { askView, shownQuestion } from './ask.ts';
import { callsView } from './calls.ts';
import { conversationLink } from './conversation.ts';
import { documentActions } from './document-actions.ts';
import { documentsView } from './documents.ts';
import { countOf, errorText } from './format.ts';
import { gapsView } from './gaps.ts';
import { modelText, signButton, stateView } from './page-state.ts';
import { isDocumentOpen, isWide, openTitle, readerView } from './reader.ts';
import {
  focusHeading,
  isNamespaceKnown,
  linkTo,
  may,
  namespaces,
  notice,
  refreshState,
  route,
  server,
  type ViewName,
} from './session.ts';

type View = Readonly<{
  label: string;
  show: () => unknown;
  isOpen?: () => boolean;
  hasNamespace?: boolean;
}>;

/** Until the rights are known, all views of readers are listed. */
const isReader = () => server.value === undefined || may('read');

const viewsByName: Readonly<Record<ViewName, View>> = {
  ask: { label: 'Ask', show: askView, hasNamespace: true },
  documents: { label: 'Documents', show: documentsView, isOpen: isReader, hasNamespace: true },
  gaps: { label: 'Gaps', show: gapsView, isOpen: () => may('admin'), hasNamespace: true },
  calls: { label: 'Calls', show: callsView, isOpen: () => may('calls') },
  status: { label: 'Status', show: stateView, isOpen: isReader },
};

function chooseNamespace({ target }: Event) {
  location.hash = linkTo({ namespace: (target as HTMLSelectElement).value });
}

function namespacePicker() {
  const { namespace } = route.value;
  const all = new Set([...namespaces.value.map(({ name }) => name), namespace]);
  return html`<label class="picker"><span class="hidden">Namespace</span>
    <select title="Namespace" @change=${chooseNamespace}>
      ${[...all].map((name) => html`<option value=${name} .selected=${name === namespace}>${name}</option>`)}
    </select>
  </label>`;
}

const shownViews = () =>
  (Object.entries(viewsByName) as [ViewName, View][]).filter(
    ([, { isOpen = () => true }]) => !keyNeeded.value && isOpen(),
  );

/** Whether the document covers the page. */
const isCovered = (current: ViewName) =>
  isDocumentOpen() && !isWide.value && !keyNeeded.value && !addressFault(current);

const head = (current: ViewName) => html`<header class="bar" .inert=${isCovered(current)}>
  <a class="brand" href=${linkTo({ view: 'ask' })}>Knowledge Agent</a>
  <nav aria-label="Main">
    ${shownViews().map(
      ([name, { label }]) =>
        html`<a href=${name === 'ask' ? conversationLink() : linkTo({ view: name })}
          aria-current=${name === current && !route.value.unknownView ? 'page' : nothing}>${label}</a>`,
    )}
  </nav>
  ${server.value && !isReader() && !keyNeeded.value ? signButton() : nothing}
  ${viewsByName[current].hasNamespace && !keyNeeded.value ? namespacePicker() : nothing}
</header>`;

function continueWithoutKey() {
  useKey('');
  void refreshState();
}

function submitKey(event: SubmitEvent) {
  event.preventDefault();
  const form = new FormData(event.target as HTMLFormElement);
  useKey(String(form.get('key') ?? '').trim(), form.has('keep'));
  void refreshState();
}

const keyForm = () => html`<form class="key" @submit=${submitKey}>
  <h1>Sign in</h1>
  ${
    keyRefused.value
      ? errorText('This key is not valid. Check it and enter it again.')
      : html`<p>Enter an API key or token for this server. The page forgets it when you reload or close this tab, unless you stay signed in.</p>`
  }
  <label>API key or token <input name="key" type="password" autocomplete="off" required autofocus /></label>
  <label class="check"><input name="keep" type="checkbox" /> Stay signed in in this tab</label>
  <div class="tools">
    <button class="primary">Sign in</button>
    ${
      server.value?.caller.isAnonymous
        ? html`<button type="button" class="plain"
      @click=${continueWithoutKey}>Continue without a key</button>`
        : nothing
    }
  </div>
</form>`;

/** @returns the fault of the address, if it has one */
function addressFault(current: ViewName) {
  const { unknownView, namespace } = route.value;
  const { hasNamespace, isOpen = () => true, label } = viewsByName[current];
  if (unknownView !== undefined) return `There is no view “${unknownView}”.`;
  // Calls and gaps explain a missing right themselves.
  if (server.value && !isReader() && !isOpen()) return `You need a key to open ${label}.`;
  // Writers create a namespace by adding documents to it.
  if (!hasNamespace || isNamespaceKnown() || (current === 'documents' && may('write')))
    return undefined;
  return `There is no namespace “${namespace}”, or you have no access to it.`;
}

function body(current: ViewName) {
  if (keyNeeded.value) return keyForm();
  const fault = addressFault(current);
  if (fault !== undefined)
    return html`<div class="pane"><section><div class="empty">
      <h1>Not found</h1>
      <p>${fault}</p>
      ${namespaces.value.slice(0, 10).map(
        ({ name }) => html`<p><a
        href=${linkTo({ view: 'ask', namespace: name })}>Ask a question in ${name}</a></p>`,
      )}
    </div></section></div>`;
  return html`<div class="columns ${isDocumentOpen() ? 'with-reader' : ''}">
    <div class="pane" .inert=${isCovered(current)}>${viewsByName[current].show()}</div>
    ${readerView(documentActions)}
  </div>`;
}

/** Title of the tab, the most specific part first. */
function titleOf(current: ViewName) {
  if (keyNeeded.value) return 'Sign in – Knowledge Agent';
  if (addressFault(current) !== undefined) return 'Not found – Knowledge Agent';
  const { label, hasNamespace } = viewsByName[current];
  const shown = (isDocumentOpen() && openTitle()) || (current === 'ask' && shownQuestion());
  return `${shown ? `${shown.slice(0, 120)} – ` : ''}${label}${hasNamespace ? ` – ${route.value.namespace}` : ''} – Knowledge Agent`;
}

const root = document.querySelector('#page') as HTMLElement;
root.replaceChildren();
effect(() => {
  const { view } = route.value;
  document.title = titleOf(view);
  const focused = document.activeElement;
  render(
    html`${head(view)}
      <main class="view">${body(view)}</main>
      <footer class="quiet" .inert=${isCovered(view)}>${server.value ? html`${isReader() ? `${countOf(server.value.documents, 'document')} · ` : ''}${modelText(server.value.model)} · <a href="swagger-ui">API reference</a>` : nothing}</footer>
      <div class="notices" role="status">${
        notice.value
          ? html`<p
        class=${notice.value.kind}>${notice.value.text}</p>`
          : nothing
      }</div>`,
    root,
  );
  // Rendering may have removed the focused element.
  if (!focused?.isConnected) root.querySelector<HTMLElement>('[autofocus]')?.focus();
  if (!focused?.isConnected && document.activeElement === document.body) focusHeading();
});
void refreshState();
