/** The Ask view without a conversation: what the namespace holds, and questions that it answers. */
import { html, nothing } from 'lit-html';
import { ask } from './conversation.ts';
import { countOf, showTime } from './format.ts';
import type { DocumentList, Suggestions } from './openapi.d.ts';
import {
  createFetched,
  currentNamespace,
  linkTo,
  may,
  namespacePathOf,
  onReturn,
  onRoute,
  server,
} from './session.ts';

const maxTopics = 6;
const listedDocuments = 100;

const documents = createFetched<DocumentList>();
const suggestions = createFetched<Suggestions>();

let loaded = '';
function load() {
  loaded = namespacePathOf();
  // Both are optional: a failure shows nothing.
  if (may('read')) void documents.load(`${loaded}/documents?perPage=${listedDocuments}`);
  void suggestions.load(`${loaded}/suggestions`);
}

onRoute('ask', ({ id }) => {
  if (id === '' && loaded !== namespacePathOf() && currentNamespace()) load();
});
onReturn('ask', () => {
  if (loaded !== '' && loaded === namespacePathOf()) load();
});

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
  const titles = [...new Set(listed.map(({ title }) => title))];
  const read = listed.reduce(
    (last, { fetchedAt, lastModified }) =>
      [last, fetchedAt ?? lastModified ?? ''].sort().at(-1) ?? '',
    '',
  );
  const more = total - Math.min(titles.length, maxTopics);
  return html`<p>
    Answers come only from <a href=${linkTo({ view: 'documents' })}>${count === 1 ? 'this document' : `these ${countOf(count, 'document')}`}</a>${total <= listed.length && read !== '' ? html`, last read ${showTime(read)}` : nothing}${
      titles.length > 0
        ? html`: ${titles.slice(0, maxTopics).join(', ')}${more > 0 ? ` and ${countOf(more, 'other')}` : ''}`
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

const modelHint = () => html`<details class="hint">
  <summary>Without a model: quotes only</summary>
  <p>Answers are sentences of the documents, word for word. A model combines them. Add one of these to <code>.env</code> and restart:</p>
  <pre tabindex="0">LLM_API_KEY=…</pre>
  <pre tabindex="0">LLM_BASE_URL=http://127.0.0.1:11434/v1
LLM_MODEL=…</pre>
</details>`;

export const welcome = () => html`<div class="empty">
  <h2>What would you like to know?</h2>
  ${holdings()} ${questions()} ${server.value?.model === 'extractive' && may('write') ? modelHint() : nothing}
</div>`;
