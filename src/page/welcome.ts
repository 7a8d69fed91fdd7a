/** The Ask view without a conversation: what the namespace holds, and questions that it answers. */
import { html, nothing } from 'lit-html';
import { ask } from './conversation.ts';
import { countOf } from './format.ts';
import type { DocumentList, Suggestions } from './openapi.d.ts';
import {
  createFetched,
  currentNamespace,
  linkTo,
  may,
  namespacePathOf,
  onReturn,
  onRoute,
  route,
} from './session.ts';

const maxTopics = 6;

const documents = createFetched<DocumentList>();
const suggestions = createFetched<Suggestions>();

function load() {
  if (route.value.id !== '' || !currentNamespace()) return;
  // Both are optional: a failure shows nothing.
  if (may('read')) void documents.load(`${namespacePathOf()}/documents?perPage=${maxTopics}`);
  void suggestions.load(`${namespacePathOf()}/suggestions`);
}

onRoute('ask', load);
onReturn('ask', load);

function holdings() {
  const { total = 0, documents: listed = [] } = documents.now().answer ?? {};
  const count = currentNamespace()?.documents || total;
  if (!may('read')) return html`<p>Answers come only from the documents of this server.</p>`;
  if (count === 0)
    return html`<p>There are no documents yet.${
      may('write')
        ? html` <a
      href=${linkTo({ view: 'documents' })}>Add documents</a>`
        : nothing
    }</p>`;
  const titles = listed.map(({ title }) => title);
  const more = total - titles.length;
  return html`<p>
    Answers come only from <a href=${linkTo({ view: 'documents' })}>${count === 1 ? 'this document' : `these ${countOf(count, 'document')}`}</a>${
      titles.length > 0
        ? html`: ${titles.join(', ')}${more > 0 ? ` and ${countOf(more, 'other')}` : ''}`
        : nothing
    }.
  </p>`;
}

function questions() {
  const listed = suggestions.now().answer?.suggestions.slice(0, 3) ?? [];
  if (listed.length === 0) return nothing;
  return html`<h3>Questions that it answers</h3>
    <ul class="plain suggestions">
      ${listed.map(
        ({ question, title }) => html`<li><button title=${title}
        @click=${() => ask(question)}>${question}</button></li>`,
      )}
    </ul>`;
}

export const welcome = () => html`<div class="empty">
  <h2>What would you like to know?</h2>
  ${holdings()} ${questions()}
</div>`;
