/** Dialogs, and notices that undo a deletion. */
import { html, render } from 'lit-html';

/**
 * Creates a dialog that exists as long as the page, so that typed text survives a failed request.
 */
export function createDialog(label: string): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = label;
  document.body.append(dialog);
  return dialog;
}

interface Undoable {
  readonly text: string;
  /** Called after 10 seconds, or when the page closes. */
  act(): void;
  undo(): void;
}

const undoMs = 10_000;
const undoable: Undoable[] = [];
const undoNotices = Object.assign(document.createElement('div'), {
  className: 'notices undo',
  role: 'status',
});
document.body.append(undoNotices);

function take(one: Undoable | undefined) {
  if (!one || !undoable.includes(one)) return undefined;
  undoable.splice(undoable.indexOf(one), 1);
  showUndoNotices();
  return one;
}

function showUndoNotices() {
  const notice = (one: Undoable) => html`<p>
    ${one.text} <button class="small" aria-keyshortcuts="Control+Z"
      @click=${() => take(one)?.undo()}>Undo</button>
  </p>`;
  render(html`${undoable.map(notice)}`, undoNotices);
}

/** The notice stays longer while it has the focus. */
function actLater(one: Undoable) {
  setTimeout(() => {
    if (undoNotices.contains(document.activeElement)) actLater(one);
    else take(one)?.act();
  }, undoMs);
}

export function offerUndo(one: Undoable): void {
  undoable.push(one);
  showUndoNotices();
  actLater(one);
}

addEventListener('pagehide', () => {
  for (const one of [...undoable]) take(one)?.act();
});
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
  if (
    event.key !== 'z' ||
    !(event.ctrlKey || event.metaKey) ||
    event.shiftKey ||
    isTyping ||
    undoable.length === 0
  )
    return;
  event.preventDefault();
  take(undoable.at(-1))?.undo();
});
