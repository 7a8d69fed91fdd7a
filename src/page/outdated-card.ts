/** An answer whose quotes its documents no longer contain, with both texts. */
import { signal } from '@webreflection/signal';
import { html, nothing } from 'lit-html';
import { turnAt } from './ask.ts';
import { askInNewThread } from './conversation.ts';
import { showDay, smallButton } from './format.ts';
import { renderMarkdown } from './markdown.ts';
import type { ChangedQuote, ListedAnswer } from './openapi.d.ts';
import { openDocument } from './reader.ts';
import { linkTo, route } from './session.ts';

const askedAgain = signal<Readonly<{ runId: string; number: number }> | undefined>(undefined);

function changeItem(namespace: string, { documentId, title, quote, now }: ChangedQuote) {
  const place = {
    namespace,
    documentId,
    title,
    ...(now && { start: now.start, end: now.end, quote: now.text }),
  };
  return html`<div class="halves">
      <div><h4>Quoted text</h4><blockquote>${quote}</blockquote></div>
      <div><h4>Current text</h4>${
        now
          ? html`<blockquote>${now.text}</blockquote>`
          : html`<p
        class="quiet">No similar text in the document.</p>`
      }</div>
    </div>
    <p class="near"><button class="link" @click=${() => openDocument(place)}>${title}</button></p>`;
}

export function outdatedCard({ runId, namespace, question, askedAt, text, changed }: ListedAnswer) {
  const noteTurn = (number: number) => {
    askedAgain.value = { runId, number };
  };
  return html`<li class="card" aria-current=${runId === route.value.id ? 'true' : nothing}>
    <h3><a href=${linkTo({ id: runId })}>${question}</a></h3>
    <p class="facts"><span>answered ${showDay(askedAt)}</span></p>
    <details>
      <summary>Earlier answer</summary>
      <div class="then">${renderMarkdown(text)}</div>
    </details>
    ${changed.map((change) => changeItem(namespace, change))}
    <div class="tools">${smallButton('Ask again', () => askInNewThread(question, namespace, noteTurn))}</div>
    ${askedAgain.value?.runId === runId ? turnAt(askedAgain.value.number, question) : nothing}
  </li>`;
}
