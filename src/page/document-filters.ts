/**
 * Search and state filter of the documents list, which the address holds, and what the list shows
 * if no document matches.
 */
import { html, nothing } from 'lit-html';
import { openAdd, uploadButton } from './add.ts';
import { chip, showCount } from './format.ts';
import { failedCount, mayWriteHere } from './job-list.ts';
import { currentNamespace, linkTo, namespaces, route, server } from './session.ts';

const states = { '': 'All', no_text: 'No text', failed: 'Failed', outdated: 'Outdated' };

export const searchOf = () => route.value.query.get('search') ?? '';
export const listStateOf = () => route.value.query.get('state') ?? '';

/**
 * Link to a document or, without an id, to the list. Keeps the search and the state unless others
 * are given.
 */
export function linkToListed(
  id: string,
  to: Readonly<{ search?: string; state?: string }> = {},
): string {
  const filters = Object.entries({ search: searchOf(), state: listStateOf(), ...to });
  return linkTo({
    view: 'documents',
    id,
    query: Object.fromEntries(filters.filter(([, value]) => value !== '')),
  });
}

export const stateFilter =
  () => html`<div class="tools states" role="group" aria-label="Filter by state">
  ${Object.entries(states).map(([state, label]) => {
    if (state === 'failed' && !mayWriteHere()) return nothing;
    const count = state === 'failed' ? failedCount() : 0;
    return html`<a class="button small" href=${linkToListed('', { state })}
      aria-current=${state === listStateOf() ? 'true' : nothing}
      >${label}${count > 0 ? html` ${chip(showCount(count), true)}` : nothing}</a
    >`;
  })}
</div>`;

const emptyTexts: Readonly<Record<string, readonly [title: string, text: string]>> = {
  no_text: [
    'All documents have text',
    'Scanned pages need text recognition (OCR) before you upload them.',
  ],
  outdated: ['No outdated documents', 'None is past its review date, and all quotes still match.'],
};

/** Undefined if the namespace of the address exists, or is not known yet. */
function missingNamespace() {
  if (!server.value || currentNamespace()) return undefined;
  const orHidden = server.value.caller.namespaces ? ', or your key may not use it' : '';
  return html`<h2>There is no namespace “${route.value.namespace}”${orHidden}</h2>
    <p>Your namespaces: ${namespaces.value.map(
      ({ name }) => html`<a
      href=${linkTo({ namespace: name })}>${name}</a> `,
    )}</p>`;
}

export function emptyList() {
  const { namespace } = route.value;
  if (searchOf() !== '')
    return html`<div class="empty"><h2>No documents match “${searchOf()}”</h2><p>Every word must appear in the title, file name or source.</p></div>`;
  const [title, text] = emptyTexts[listStateOf()] ?? [];
  if (title) return html`<div class="empty"><h2>${title}</h2><p>${text}</p></div>`;
  const missing = missingNamespace();
  // A key that is limited to namespaces cannot create one.
  if (missing && !mayWriteHere()) return html`<div class="empty">${missing}</div>`;
  return html`<div class="empty ${mayWriteHere() ? 'drop' : ''}">
    ${missing ?? html`<h2>No documents in ${namespace} yet</h2>`}
    ${
      mayWriteHere()
        ? html`<p>Drop files or a folder here${missing ? ' to create it' : ''}.</p>
            <div class="tools">${uploadButton()}<button
              @click=${() => openAdd()}>Add URL or text</button></div>`
        : html`<p>Your key is read-only. Ask someone with write access to add documents.</p>`
    }
  </div>`;
}
