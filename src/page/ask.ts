/** Ask view: a conversation. Shows each answer with its sources, its corrections and the passages found. */
import { effect } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { api } from './api.ts';
import type { CitedPlace, FoundPassages, KeptAnswer, PassagePlace } from './api-types.d.ts';
import { type AskedTurn, ask, changeTurn, type Finished, type Opened, requestOf, startOver, turns } from './conversation.ts';
import { errorText, loadingText, showShare, webAddress } from './format.ts';
import { renderMarkdown, textNodesOf } from './markdown.ts';
import { type DocumentPlace, isWide, openDocument } from './reader.ts';
import { linkTo, route, server, showError, showNotice } from './session.ts';

const bodyOf = (text: string) => text.split(/\n\nSources:/)[0] ?? '';

const placeOf = ({ namespace }: AskedTurn, citation: CitedPlace): DocumentPlace => ({ ...citation, namespace });

/** Citation mark: a click opens the source. On wide screens, hovering for 250 ms previews it. */
function markButton(turn: AskedTurn, index: number): HTMLButtonElement {
  const citation = turn.finished?.citations.find((one) => one.index === index);
  const button = document.createElement('button');
  button.className = 'mark';
  button.textContent = String(index);
  button.disabled = citation === undefined;
  button.setAttribute('aria-label', `Source ${index}${citation ? `: ${citation.title}` : ''}`);
  if (!citation) return button;
  let hoverTimer: number | undefined;
  button.addEventListener('click', () => void openDocument(placeOf(turn, citation)));
  button.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType === 'mouse' && isWide.value) hoverTimer = window.setTimeout(() => openDocument(placeOf(turn, citation), true), 250);
  });
  button.addEventListener('pointerleave', () => clearTimeout(hoverTimer));
  return button;
}

/** Rendered answers by turn number. Reusing their nodes keeps the focus on a button. */
const rendered = new Map<number, { readonly text: string; readonly finished: Finished | undefined; readonly nodes: readonly Node[] }>();

function renderAnswer(turn: AskedTurn, number: number): readonly Node[] {
  const { text, finished } = turn;
  const before = rendered.get(number);
  if (before && before.text === text && before.finished === finished) return before.nodes;
  const fragment = renderMarkdown(bodyOf(text));
  for (const node of textNodesOf(fragment)) {
    const parts = node.data.split(/\s?\[(\d{1,2})\]/);
    if (parts.length > 1) node.replaceWith(...parts.map((part, at) => (at % 2 === 1 ? markButton(turn, Number(part)) : part)));
  }
  // Inserting a fragment empties it, so keep its nodes.
  const nodes = [...fragment.childNodes];
  rendered.set(number, { text, finished, nodes });
  return nodes;
}

const pathOf = ({ title, headingPath }: PassagePlace) => [title, ...headingPath.filter((heading) => heading !== title)].join(' › ');

function sourceItem(turn: AskedTurn, citation: CitedPlace) {
  const { index, page, source } = citation;
  const address = webAddress(source);
  return html`<li value=${index}>
    <button class="link" @click=${() => openDocument(placeOf(turn, citation))}>${pathOf(citation)}${page ? `, page ${page}` : ''}</button>
    ${address ? html` <a class="quiet" href=${address} target="_blank" rel="noopener noreferrer">${new URL(address).host} ↗</a>` : nothing}
  </li>`;
}

const asMarkdown = ({ question, text }: AskedTurn) => `**${question}**\n\n${text}\n`;
function asCurl({ question, namespace }: AskedTurn): string {
  const body = JSON.stringify({ messages: requestOf(question, namespace).messages, toolParams: { namespace } }).replaceAll("'", "'\\''");
  const auth = server.value?.caller.isAnonymous === false ? ` \\\n  -H "authorization: Bearer $KEY"` : '';
  const address = new URL('api/agents/knowledge/generate', document.baseURI);
  return `curl -s ${address} \\\n  -H 'content-type: application/json'${auth} \\\n  -d '${body}'`;
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showNotice(`${what} copied.`);
  } catch {
    showNotice('Your browser blocked copying. Select the text and copy it yourself.', 'bad');
  }
}

async function toggle(number: number, what: Opened): Promise<void> {
  const turn = turns.value[number];
  const opened = turn?.opened === what ? undefined : what;
  changeTurn(number, { opened });
  if (!turn?.runId || !opened) return;
  try {
    if (what === 'checked' && !turn.kept) changeTurn(number, { kept: await api<KeptAnswer>(`api/answers/${turn.runId}`) });
    if (what === 'found' && !turn.found) {
      const body = { query: turn.query ?? turn.question, namespace: turn.namespace, maxResults: 6, explain: true };
      changeTurn(number, { found: await api<FoundPassages>('api/tools/searchDocs', { method: 'POST', body }) });
    }
  } catch (error) {
    changeTurn(number, { opened: undefined });
    showError(error);
  }
}

async function rate(number: number, rating: 'up' | 'down', comment?: string): Promise<void> {
  const { runId } = turns.value[number] ?? {};
  try {
    await api(`api/answers/${runId}/feedback`, { method: 'POST', body: { rating, ...(comment ? { comment } : {}) } });
    changeTurn(number, { rating, opened: comment === undefined ? 'comment' : undefined });
    if (comment !== undefined) showNotice('Thank you. Your comment is saved with the answer.');
  } catch (error) {
    showError(error);
  }
}

function commentForm(number: number, { rating = 'down' }: AskedTurn) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const comment = new FormData(event.target as HTMLFormElement).get('comment');
    void rate(number, rating, String(comment ?? '').trim());
  };
  return html`<form class="below inline" @submit=${send}>
    <label class="grow">${rating === 'up' ? 'What did you like?' : 'What was wrong or missing?'} <input name="comment" maxlength="2000" autocomplete="off" /></label>
    <button>Send</button>
  </form>`;
}

const reasons: Readonly<Record<string, string>> = {
  score: 'not in the sources',
  exact: 'differs from the source',
  name: 'different name',
  figure: 'different number',
  polarity: 'contradicts the source',
  markup: 'not plain text',
  model: 'not supported, according to the model',
  limit: 'over the sentence limit',
};

const removedSentence = (text: string | null | undefined, reason = '') =>
  html`<s>${text ?? '(hidden)'}</s> <span class="chip">${reasons[reason] ?? reason}</span>`;

function checkedList({ kept }: AskedTurn) {
  if (!kept) return loadingText();
  const { kept: sentences, dropped, repaired, droppedSentences = [] } = kept.check;
  return html`<div class="below">
    <p class="quiet">The model wrote sentences that the sources do not support. Replaced with a quote: ${repaired}. Removed: ${dropped}.</p>
    <ul class="plain">
      ${sentences.map((one) => (one.repaired ? html`<li>${removedSentence(one.instead, one.reason)}<p class="excerpt">${one.text}</p></li>` : nothing))}
      ${droppedSentences.map(({ text, reason }) => html`<li>${removedSentence(text, reason)}</li>`)}
    </ul>
  </div>`;
}

const noAnswerTexts: Readonly<Record<string, string>> = {
  no_context: 'Not answered: none of these passages answers the question.',
  closest: 'Not answered: the documents come close, but no sentence clearly answers the question.',
};

function foundList(turn: AskedTurn) {
  const { found, finished } = turn;
  if (!found) return loadingText();
  return html`<div class="below">
    <p class="quiet">${noAnswerTexts[finished?.reason ?? ''] ?? nothing} Searched “${turn.namespace}” for “${turn.query ?? turn.question}” (${found.mode === 'hybrid' ? 'keyword and semantic search' : 'keyword search'}). Coverage: ${showShare(found.coverage)}.</p>
    <ol class="passages">
      ${found.results.map(
        (passage) => html`<li>
          <button class="link" @click=${() => openDocument({ ...passage, namespace: turn.namespace, quote: passage.text })}>${pathOf(passage)}</button>
          <span class="chip">score ${passage.score.toFixed(3)}</span>
          <p class="excerpt">${passage.text.replace(/\n{2,}/g, '\n')}</p>
          ${passage.matched?.length ? html`<p class="quiet">Matched words: ${passage.matched.join(', ')}</p>` : nothing}
        </li>`,
      )}
    </ol>
  </div>`;
}

function actionsOf(turn: AskedTurn, number: number) {
  const { finished, rating, opened, runId } = turn;
  if (!finished || !runId) return nothing;
  const button = (what: Opened, label: string) =>
    html`<button class="small" aria-expanded=${opened === what} @click=${() => toggle(number, what)}>${label}</button>`;
  return html`<div class="tools">
      <button class="small" aria-pressed=${rating === 'up'} aria-label="Helpful" @click=${() => rate(number, 'up')}>👍</button>
      <button class="small" aria-pressed=${rating === 'down'} aria-label="Not helpful" @click=${() => rate(number, 'down')}>👎</button>
      <button class="small" @click=${() => copy(asMarkdown(turn), 'Answer')}>Copy</button>
      ${button('curl', 'API request')}
      ${finished.reason === 'small_talk' ? nothing : button('found', 'Search details')}
      ${finished.dropped + finished.repaired > 0 ? button('checked', 'Corrections') : nothing}
    </div>
    ${opened === 'comment' ? commentForm(number, turn) : nothing}
    ${opened === 'checked' ? checkedList(turn) : nothing}
    ${opened === 'found' ? foundList(turn) : nothing}
    ${opened === 'curl' ? html`<div class="below"><pre tabindex="0">${asCurl(turn)}</pre><button class="small" @click=${() => copy(asCurl(turn), 'Command')}>Copy command</button></div>` : nothing}`;
}

function answerBody(turn: AskedTurn, number: number) {
  const { finished, failure, text } = turn;
  if (failure) return html`${errorText(failure)}<button class="small" @click=${() => ask(turn.question, turn.namespace)}>Retry</button>`;
  if (text === '') return html`<p class="quiet" role="status">Searching the documents …</p>`;
  return html`<div class="text">${finished?.reason === 'no_context' ? bodyOf(text) : renderAnswer(turn, number)}</div>
    ${finished?.citations.length ? html`<ol class="sources" aria-label="Sources">${finished.citations.map((citation) => sourceItem(turn, citation))}</ol>` : nothing}
    ${finished?.degraded ? html`<p class="warning">The model is unavailable. This answer quotes the documents.</p>` : nothing}
    ${finished?.reason === 'no_context' ? html`<p>The search in <b>${turn.namespace}</b> found no answer. <a href=${linkTo({ view: 'documents' })}>Add documents</a> or <a href=${linkTo({ view: 'gaps', query: { question: turn.question } })}>write an answer</a>.</p>` : nothing}`;
}

const isMixed = () => turns.value.some(({ namespace }) => namespace !== route.value.namespace);

const turnView = (turn: AskedTurn, number: number) => html`<article class="turn">
  <h2 class="question">${turn.question}</h2>
  ${isMixed() ? html`<p class="quiet">in ${turn.namespace}</p>` : nothing}
  <div class="answer ${turn.finished?.reason ?? ''}" aria-live="polite" aria-busy=${!turn.finished && !turn.failure}>
    ${answerBody(turn, number)} ${actionsOf(turn, number)}
  </div>
</article>`;

export function turnAt(number: number) {
  const turn = turns.value[number];
  return turn ? turnView(turn, number) : nothing;
}

function submit(event: Event): void {
  event.preventDefault();
  const field = document.querySelector<HTMLTextAreaElement>('#question');
  const question = field?.value.trim() ?? '';
  if (!field || question === '') return;
  field.value = '';
  field.style.height = '';
  void ask(question);
}

function typed(event: KeyboardEvent): void {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
}

function grow({ target }: Event): void {
  const { style, scrollHeight } = target as HTMLTextAreaElement;
  style.height = 'auto';
  style.height = `${Math.min(scrollHeight, 200)}px`;
}

const welcome = () => html`<div class="empty">
  <h2>What would you like to know?</h2>
  <p>Answers come only from the documents in <b>${route.value.namespace}</b>, and every sentence links to its source.</p>
  ${server.value?.documents === 0 ? html`<p>There are no documents yet. <a href=${linkTo({ view: 'documents' })}>Add documents</a></p>` : nothing}
</div>`;

effect(() => {
  if (turns.value.length > 0)
    requestAnimationFrame(() => document.querySelector('.turn:last-of-type')?.scrollIntoView({ block: 'nearest' }));
});

export function askView() {
  const all = turns.value;
  return html`<section class="ask">
    <h1 class="hidden">Ask</h1>
    <div class="turns">${all.length === 0 ? welcome() : all.map(turnView)}</div>
    <form class="asker" @submit=${submit}>
      <label class="hidden" for="question">Question</label>
      <textarea id="question" rows="1" maxlength="2000" placeholder=${all.length === 0 ? 'Ask a question' : 'Ask a follow-up'} @keydown=${typed} @input=${grow} autofocus></textarea>
      ${all.length > 0 ? html`<button type="button" class="plain" @click=${startOver}>New chat</button>` : nothing}
      <button class="primary">Ask</button>
    </form>
  </section>`;
}
