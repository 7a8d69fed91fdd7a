/** Ask view: a conversation. Shows each answer with its sources. */
import { effect } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { actionsOf, citationLabel, citedPlace, openCitation } from './answer-actions.ts';
import {
  type AskedTurn,
  asideAt,
  ask,
  isAnswering,
  lastTurn,
  openConversation,
  openEmpty,
  opening,
  startOver,
  stopAnswer,
  turns,
} from './conversation.ts';
import { errorText, loadingText, smallButton, webAddress } from './format.ts';
import { renderMarkdown, textNodesOf } from './markdown.ts';
import type { CitedPlace } from './openapi.d.ts';
import { closeDocument, isShown, onDocumentClosed, openDocument } from './reader.ts';
import { linkTo, may, onRoute, type Route, route, showAddress } from './session.ts';
import { bodyOf, byDocument, isComposing, pathOf, shownText } from './shared-with-widget.ts';
import { welcome } from './welcome.ts';

const maxQuestionChars = 2_000;
const maxReading = 5;

/** Citation mark: a click opens the source. */
function markButton(turn: AskedTurn, index: number) {
  const citation = turn.finished?.citations.find((one) => one.index === index);
  const button = Object.assign(document.createElement('button'), {
    className: 'mark',
    textContent: String(index),
  });
  button.ariaLabel = `Source ${index}${citation ? `: ${citation.title}` : ''}`;
  button.disabled = citation === undefined;
  if (!citation) return button;
  button.title = pathOf(citation);
  button.addEventListener('click', () => openCitation(turn, citation));
  return button;
}

function renderAnswer(turn: AskedTurn) {
  const fragment = renderMarkdown(shownText(turn.text, turn.finished?.citations));
  for (const node of textNodesOf(fragment)) {
    // An index in code is no citation.
    if (node.parentElement?.closest('code')) continue;
    const parts = node.data.split(/\s?\[(\d{1,2})\]/);
    if (parts.length > 1)
      node.replaceWith(
        ...parts.map((part, at) => (at % 2 === 1 ? markButton(turn, Number(part)) : part)),
      );
  }
  return fragment;
}

/** Keeping the nodes of an unchanged answer keeps the focus on a button. */
const answerText = (turn: AskedTurn) =>
  html`<div class="text">${guard([turn.text, turn.finished], () => (turn.finished?.reason === 'no_context' ? bodyOf(turn.text) : renderAnswer(turn)))}</div>`;

/** One line per document, with a button for each quote. */
function sourceItem(turn: AskedTurn, cited: readonly CitedPlace[]) {
  const address = webAddress(cited[0]?.source ?? '');
  return html`<li>
    ${cited.map(
      (citation, at) =>
        html`<button class="link" @click=${() => openCitation(turn, citation)}>${citationLabel(citation, at, cited)}</button> `,
    )}
    ${
      address
        ? html` <a class="quiet" href=${address} target="_blank"
      rel="noopener noreferrer">${new URL(address).host} ↗</a>`
        : nothing
    }
  </li>`;
}

/** Documents that the search found, while the answer is being written. */
function readingText({ passages = [], namespace }: AskedTurn) {
  const found = [
    ...new Map(passages.toReversed().map((passage) => [passage.documentId, passage])).values(),
  ]
    .reverse()
    .slice(0, maxReading);
  if (found.length === 0) return html`<p class="quiet" role="status">Searching the documents …</p>`;
  return html`<p class="quiet reading" role="status">
    Reading
    ${found.map(
      (passage) => html`<button class="link"
      @click=${() => openDocument({ ...passage, namespace, quote: passage.text, passage })}>${passage.title}</button> `,
    )} …
  </p>`;
}

const unansweredLinks = ({ question }: AskedTurn) => html`<p class="tools">
  <a href=${linkTo({ view: 'documents' })}>Add documents</a>
  ${may('admin') ? html`<a href=${linkTo({ view: 'gaps', query: { question } })}>Write an answer</a>` : nothing}
</p>`;

function answerBody(turn: AskedTurn, number: number) {
  const { question, namespace, finished, failure, text } = turn;
  const retry = () => ask(question, namespace, { replaced: number });
  if (failure) return html`${errorText(failure)}${smallButton('Retry', retry)}`;
  if (!finished) return html`${text === '' ? nothing : answerText(turn)}${readingText(turn)}`;
  const { reason, citations, degraded } = finished;
  return html`${answerText(turn)}
    ${
      citations.length > 0
        ? html`<ul class="sources"
      aria-label="Sources">${byDocument(citations).map((cited) => sourceItem(turn, cited))}</ul>`
        : nothing
    }
    ${degraded ? html`<p class="warning">The model is unavailable. This answer quotes the documents.</p>` : nothing}
    ${reason === 'no_context' && may('write') ? unansweredLinks(turn) : nothing}`;
}

const turnView = (
  turn: AskedTurn,
  number: number,
) => html`<article class="turn" data-run=${turn.runId ?? nothing} tabindex="-1">
  <h2 class="question">${turn.question}</h2>
  <div class="answer ${turn.finished?.reason ?? ''}" aria-live="polite"
    aria-busy=${!turn.finished && !turn.failure}>
    ${answerBody(turn, number)} ${actionsOf(turn)}
  </div>
</article>`;

export function turnAt(number: number, question: string) {
  const turn = asideAt(number, question);
  return turn ? turnView(turn, number) : nothing;
}

const questionField = () => document.querySelector<HTMLTextAreaElement>('#question');
/** Whether Tab leads from the question field to the answer: once for each question. */
let isAnswerNext = false;

function submit(event: Event) {
  event.preventDefault();
  const field = questionField();
  const question = field?.value.trim() ?? '';
  if (!field || question === '') return;
  field.value = '';
  field.style.height = '';
  isAnswerNext = true;
  if (opening.value.is === 'failed' || opening.value.is === 'loading') startOver();
  void ask(question);
}

function typed(event: KeyboardEvent) {
  const field = event.target as HTMLTextAreaElement;
  const { key, shiftKey } = event;
  if (key === 'Enter' && !shiftKey && !isComposing(event)) submit(event);
  if (key === 'Enter' || field.value !== '') return;
  const last = lastTurn();
  if (key === 'ArrowUp' && last) {
    event.preventDefault();
    field.value = last.question;
  } else if (key === 'Tab' && !shiftKey && isAnswerNext) {
    event.preventDefault();
    isAnswerNext = false;
    document.querySelector<HTMLElement>('.turn:last-of-type')?.focus();
  }
}

function grow({ target }: Event) {
  const { style, scrollHeight } = target as HTMLTextAreaElement;
  style.height = 'auto';
  style.height = `${Math.min(scrollHeight, 200)}px`;
}

function newChat() {
  startOver();
  location.hash = linkTo({ view: 'ask' });
}

const shownTurn = () =>
  turns.value.find(({ runId }) => runId !== undefined && runId === route.value.id) ?? lastTurn();
/** Question of the answer in the address, or else the last one. */
export const shownQuestion = (): string | undefined => shownTurn()?.question;

async function openAddress({ namespace, id }: Route) {
  await (id === '' ? openEmpty(namespace) : openConversation(id));
  const { view, id: now, query } = route.peek();
  const turn = turns.peek().find(({ runId }) => runId === id);
  const cited = turn?.finished?.citations.find(
    ({ index }) => String(index) === query.get('source'),
  );
  if (view !== 'ask' || now !== id || !turn || !cited) return;
  const place = citedPlace(turn, cited);
  if (!isShown(place)) await openDocument(place);
}

onRoute('ask', (to) => {
  const question = to.query.get('question')?.trim().slice(0, maxQuestionChars) ?? '';
  if (question === '') return void openAddress(to);
  // Before the question is asked, so that a reload does not ask it again.
  showAddress(linkTo({ view: 'ask' }));
  startOver();
  void ask(question);
});

// The address names an open citation: going back closes it, and closing it goes back.
addEventListener('hashchange', () => {
  if (route.value.view === 'ask' && !route.value.query.has('source')) closeDocument();
});
onDocumentClosed(() => {
  const { view, id, query } = route.value;
  if (view !== 'ask' || !query.has('source')) return;
  if (history.state?.isOverlay) history.back();
  else showAddress(linkTo({ view, id }));
});

/** Answer that the view last scrolled to: opening details of an earlier answer must not scroll. */
let scrolledTo = '';
effect(() => {
  const turn = shownTurn();
  const now = turn
    ? JSON.stringify([
        turns.value.length,
        turn.runId,
        turn.text.length,
        turn.finished === undefined,
      ])
    : '';
  if (now === scrolledTo) return;
  scrolledTo = now;
  const selector =
    turn?.finished && turn.runId
      ? `.turn[data-run="${CSS.escape(turn.runId)}"]`
      : '.turn:last-of-type';
  requestAnimationFrame(() =>
    document.querySelector(selector)?.scrollIntoView({ block: 'nearest' }),
  );
});

const partialText = html`<p class="warning turn">This link shows one answer, without the rest of its conversation. Your questions start a new one.</p>`;
const failedText = (message = '') => html`<div class="empty" role="alert">
  <h2>This answer cannot be shown</h2>
  <p>${message}</p>
  <p><a href=${linkTo({ view: 'ask' })}>Ask a question in ${route.value.namespace}</a></p>
</div>`;

function conversation() {
  const now = opening.value;
  if (now.is === 'loading') return loadingText();
  if (now.is === 'failed') return failedText(now.message);
  if (!lastTurn()) return welcome();
  return html`${now.is === 'partial' ? partialText : nothing}${turns.value.map((turn, number) => (turn.isAside ? nothing : turnView(turn, number)))}`;
}

export function askView() {
  const hasTurns = lastTurn() !== undefined;
  return html`<section class="ask">
    <h1 class="hidden">Ask</h1>
    <div class="turns">${conversation()}</div>
    <form class="asker" @submit=${submit}>
      <label class="hidden" for="question">Question</label>
      <textarea id="question" rows="1" maxlength=${maxQuestionChars}
        placeholder=${hasTurns ? 'Ask a follow-up' : 'Ask a question'}
        @keydown=${typed} @input=${grow} autofocus></textarea>
      ${hasTurns ? html`<button type="button" class="plain" @click=${newChat}>New chat</button>` : nothing}
      ${isAnswering() ? html`<button type="button" class="plain" @click=${stopAnswer}>Stop</button>` : nothing}
      <button class="primary">Ask</button>
    </form>
  </section>`;
}
