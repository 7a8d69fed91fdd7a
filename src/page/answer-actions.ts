/**
 * Actions below an answer: rate, copy, and the reasons for the answer. Also the places of its
 * citations.
 */
import { html, nothing } from 'lit-html';
import { api } from './api.ts';
import {
  type AskedTurn,
  changeAnswer,
  type KeptAnswer,
  type Opened,
  requestOf,
} from './conversation.ts';
import { chip, countOf, loadingText, showShare, smallButton, webAddress } from './format.ts';
import type { CitedPlace, FoundPassages } from './openapi.d.ts';
import { type DocumentPlace, documentLink, openDocument } from './reader.ts';
import { linkTo, may, route, server, showAddress, showError, showNotice } from './session.ts';
import { bodyOf, byDocument, pathOf, thumbShape } from './shared-with-widget.ts';

/** Label of a citation in the line of its document: later ones do not repeat the title. */
export function citationLabel(
  citation: CitedPlace,
  at: number,
  all: readonly CitedPlace[],
): string {
  const { index, title, headingPath, page } = citation;
  const before = all.slice(0, at).filter((one) => one.index === index).length;
  if (before > 0) return `quote ${before + 1}`;
  const path = pathOf(
    at === 0
      ? citation
      : { ...citation, title: '', headingPath: headingPath.filter((one) => one !== title) },
  );
  return `[${index}] ${[path.replace(/^ › /, ''), page ? `page ${page}` : ''].filter(Boolean).join(', ')}`;
}

export function citedPlace(
  { namespace, passages = [] }: AskedTurn,
  citation: CitedPlace,
): DocumentPlace {
  const { documentId, start, end } = citation;
  // The found passage that contains the quote.
  const passage = passages.find(
    (one) => one.documentId === documentId && one.start <= start && one.end >= end,
  );
  return { ...citation, namespace, ...(passage && { passage }) };
}

/**
 * Opens the document at the quote. In the Ask view, the address then names the citation, and the
 * back button closes the document.
 */
export function openCitation(turn: AskedTurn, citation: CitedPlace): void {
  void openDocument(citedPlace(turn, citation));
  const { view, query } = route.peek();
  if (view !== 'ask' || turn.isAside || !turn.runId) return;
  const address = linkTo({
    view,
    namespace: turn.namespace,
    id: turn.runId,
    query: { source: String(citation.index) },
  });
  const isOther = query.has('source');
  showAddress(address, !isOther, isOther ? history.state : { ...history.state, isOverlay: true });
}

const asText = ({ question, text }: AskedTurn) =>
  `${question}\n\n${text.replace(/\n\nSources: none$/, '').replace(/(\*\*|`)(\S.*?)\1/g, '$2')}\n`;

/** Link to the source if it is on the web, or else to the quote in this page. */
function linkOf(cited: CitedPlace, namespace: string) {
  const web = webAddress(cited.source);
  const link = web
    ? `${web}${cited.anchor && !web.includes('#') ? `#${cited.anchor}` : ''}`
    : documentLink({ ...cited, namespace });
  return new URL(link, document.baseURI).href.replaceAll('(', '%28').replaceAll(')', '%29');
}

function asMarkdown({ question, text, finished, namespace }: AskedTurn) {
  const citations = finished?.citations ?? [];
  const links = new Map(citations.map((one) => [String(one.index), linkOf(one, namespace)]));
  const body = bodyOf(text).replace(/\[(\d{1,2})\]/g, (mark, index) =>
    links.has(index) ? `[${mark}](${links.get(index)})` : mark,
  );
  const escaped = (label: string) => label.replace(/[[\]\\]/g, '\\$&');
  const sources = byDocument(citations).map(
    (cited) =>
      `- ${cited.map((one, at) => `[${escaped(citationLabel(one, at, cited))}](${linkOf(one, namespace)})`).join(' ')}`,
  );
  return `**${question}**\n\n${body}\n${sources.length > 0 ? `\nSources:\n\n${sources.join('\n')}\n` : ''}`;
}

function asCurl({ question, namespace }: AskedTurn) {
  const { messages, toolParams } = requestOf(question, namespace);
  const body = JSON.stringify({ messages, toolParams }).replaceAll("'", "'\\''");
  const auth =
    server.value?.caller.isAnonymous === false ? ` \\\n  -H "authorization: Bearer $KEY"` : '';
  const address = new URL('api/agents/knowledge/generate', document.baseURI);
  return `curl -s ${address} \\\n  -H 'content-type: application/json'${auth} \\\n  -d '${body}'`;
}

async function copy(text: string, what: string) {
  try {
    await navigator.clipboard.writeText(text);
    showNotice(`${what} copied.`);
  } catch {
    showNotice('Your browser blocked copying. Select the text and copy it yourself.', 'bad');
  }
}

/** Number of sentences that were changed. Their texts are read from the server. */
const changesOf = ({ finished }: AskedTurn) =>
  finished ? finished.dropped + (finished.rewritten ?? 0) : 0;

/** Scrolls to the details below an answer. */
const showDetails = (runId: string) =>
  requestAnimationFrame(() =>
    document
      .querySelector(`.turn[data-run="${CSS.escape(runId)}"] .below`)
      ?.scrollIntoView({ block: 'nearest' }),
  );

async function toggle(runId: string, turn: AskedTurn, what: Opened) {
  const opened = turn.opened === what ? undefined : what;
  changeAnswer(runId, { opened });
  if (!opened) return;
  showDetails(runId);
  try {
    if (what === 'checked' && !turn.kept && changesOf(turn) > 0 && may('read'))
      changeAnswer(runId, { kept: await api<KeptAnswer>(`api/answers/${runId}`) });
    if (what === 'found' && !turn.found) {
      const body = {
        query: turn.query ?? turn.question,
        namespace: turn.namespace,
        maxResults: 6,
        explain: true,
      };
      changeAnswer(runId, {
        found: await api<FoundPassages>('api/tools/searchDocs', { body }),
      });
      showDetails(runId);
    }
  } catch (error) {
    changeAnswer(runId, { opened: undefined });
    showError(error);
  }
}

async function rate(runId: string, rating: 'up' | 'down', comment?: string) {
  try {
    const { handedOff } = await api<{ readonly handedOff?: string }>(
      `api/answers/${runId}/feedback`,
      { body: { rating, ...(comment && { comment }) } },
    );
    changeAnswer(runId, { rating, opened: comment === undefined ? 'comment' : undefined });
    if (handedOff !== undefined) showNotice(handedOff);
    else if (comment !== undefined) showNotice('Thank you. Your comment is saved with the answer.');
  } catch (error) {
    showError(error);
  }
}

function commentForm(runId: string, { rating = 'down' }: AskedTurn) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const comment = new FormData(event.target as HTMLFormElement).get('comment');
    void rate(runId, rating, String(comment ?? '').trim());
  };
  return html`<form class="below inline" @submit=${send}>
    <label class="grow">${rating === 'up' ? 'What did you like?' : 'What was wrong or missing?'} <input name="comment" maxlength="2000" autocomplete="off" /></label>
    <button>Send</button>
  </form>`;
}

const reasons: Readonly<Record<string, string>> = {
  score: 'not in the sources',
  exact: 'differs from the source',
  figure: 'different number',
  markup: 'not plain text',
  model: 'not supported, according to the model',
  limit: 'over the sentence limit',
};

const removedSentence = (text: string | null | undefined, reason = '') =>
  html`<s>${text ?? '(hidden)'}</s> ${chip(reasons[reason] ?? reason)}`;

const noAnswerTexts: Readonly<Record<string, string>> = {
  no_context: 'Not answered: none of these passages answers the question.',
  closest: 'No model wrote this: these sections of the documents may answer the question.',
};

function changeText({ dropped, rewritten = 0 }: NonNullable<AskedTurn['finished']>) {
  const replaced = rewritten > 0 && `${countOf(rewritten, 'sentence')} written again`;
  const leftOut = dropped > 0 && `${countOf(dropped, 'sentence')} left out`;
  return `The sources do not support all that the model wrote: ${[replaced, leftOut].filter(Boolean).join(', ')}.`;
}

function whyText(turn: AskedTurn) {
  const { finished, query, question, namespace, passages = [] } = turn;
  if (!finished) return '';
  const { reason, model } = finished;
  const documents = new Set(passages.map(({ documentId }) => documentId)).size;
  const searched = `Searched “${namespace}” for “${query ?? question}” and read ${countOf(passages.length, 'passage')} of ${countOf(documents, 'document')}.`;
  const written =
    model === 'extractive'
      ? 'No model wrote this: each sentence is a quote.'
      : `${model} wrote the sentences, and each was compared with the passage that it cites.`;
  const outcome = noAnswerTexts[reason] ?? (reason === 'answered' ? written : '');
  const changes =
    changesOf(turn) > 0
      ? changeText(finished)
      : reason === 'answered' && model !== 'extractive'
        ? 'Nothing was written again or left out.'
        : '';
  return [searched, outcome, changes].filter(Boolean).join(' ');
}

function whyList(turn: AskedTurn) {
  if (changesOf(turn) > 0 && may('read') && !turn.kept) return loadingText();
  const { kept = [], droppedSentences = [] } = turn.kept?.check ?? {};
  return html`<div class="below">
    <p class="quiet">${whyText(turn)}</p>
    <ul class="plain">
      ${kept.map((one) =>
        one.rewritten
          ? html`<li>${removedSentence(one.instead, one.reason)}<p
        class="excerpt">${one.text}</p></li>`
          : nothing,
      )}
      ${droppedSentences.map(({ text, reason }) => html`<li>${removedSentence(text, reason)}</li>`)}
    </ul>
  </div>`;
}

function foundList(turn: AskedTurn) {
  const { found, finished, namespace } = turn;
  if (!found) return loadingText();
  return html`<div class="below">
    <p class="quiet">${noAnswerTexts[finished?.reason ?? ''] ?? nothing} Searched “${namespace}” for “${turn.query ?? turn.question}” (${found.mode === 'hybrid' ? 'keyword and semantic search' : 'keyword search'}). Coverage: ${showShare(found.coverage)}.</p>
    <ol class="passages">
      ${found.results.map(
        (passage) => html`<li>
          <button class="link" @click=${() => openDocument({ ...passage, namespace, quote: passage.text, passage })}>${pathOf(passage)}</button>
          ${chip(`score ${passage.score.toFixed(3)}`)}
          <p class="excerpt">${passage.text.replace(/\n{2,}/g, '\n')}</p>
          ${
            passage.matched?.length
              ? html`<p
            class="quiet">Matched words: ${passage.matched.join(', ')}</p>`
              : nothing
          }
        </li>`,
      )}
    </ol>
  </div>`;
}

/** After a choice, or Escape. */
function closeMenu(event: Event) {
  const menu = event.currentTarget as HTMLDetailsElement;
  const isChosen = event.type === 'click' && (event.target as Element).matches('button');
  if (!menu.open || (!isChosen && (event as KeyboardEvent).key !== 'Escape')) return;
  // Escape must not close the open document too.
  event.stopPropagation();
  menu.open = false;
  menu.querySelector('summary')?.focus();
}

export function actionsOf(turn: AskedTurn) {
  const { finished, opened, runId } = turn;
  if (!finished || !runId) return nothing;
  const thumb = (rating: 'up' | 'down', label: string) => html`<button
    class="small thumb ${rating}" aria-pressed=${turn.rating === rating} aria-label=${label}
      title=${label} @click=${() => rate(runId, rating)}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${thumbShape} /></svg>
  </button>`;
  const button = (what: Opened, label: string) =>
    html`<button aria-expanded=${opened === what} @click=${() => toggle(runId, turn, what)}>${label}</button>`;
  return html`<div class="tools">
      ${thumb('up', 'Helpful')}${thumb('down', 'Not helpful')}
      ${smallButton('Copy', () => copy(asText(turn), 'Answer'))}
      <details class="menu" @click=${closeMenu} @keydown=${closeMenu}>
        <summary aria-label="More" title="More">…</summary>
        <div>
          <button @click=${() => copy(asMarkdown(turn), 'Markdown')}>Copy as Markdown</button>
          ${finished.reason === 'small_talk' ? nothing : html`${button('checked', 'Why this answer')}${may('search') ? button('found', 'Search details') : nothing}`}
          ${button('curl', 'API request')}
        </div>
      </details>
    </div>
    ${opened === 'comment' ? commentForm(runId, turn) : nothing}
    ${opened === 'checked' ? whyList(turn) : nothing}
    ${opened === 'found' ? foundList(turn) : nothing}
    ${
      opened === 'curl'
        ? html`<div class="below"><pre tabindex="0">${asCurl(turn)}</pre>${smallButton('Copy command', () => copy(asCurl(turn), 'Command'))}</div>`
        : nothing
    }`;
}
