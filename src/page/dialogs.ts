/** Confirmation before a deletion, and notices that undo one. */
import { html, render } from 'lit-html';
import { messageOf, needsKey } from './api.ts';
import { errorText } from './format.ts';

interface Confirmation extends Readonly<Record<'title' | 'text' | 'label' | 'word', string>> {
  /** If the action fails, the dialog stays open and shows the error. */
  act(): Promise<unknown>;
  done(): void;
}

/**
 * Creates a dialog that exists as long as the page, so that typed text survives a failed request.
 */
export function createDialog(label: string): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = label;
  document.body.append(dialog);
  return dialog;
}

const dialog = createDialog('Confirm');

export function askToConfirm({ title, text, label, word, act, done }: Confirmation): void {
  let isBusy = false;
  let failure = '';
  let typed = '';
  const show = () =>
    render(
      html`<form @submit=${submit}>
        <h2>${title}</h2>
        <p>${text}</p>
        <label>Type <b>${word}</b> to confirm <input autocomplete="off" .value=${typed}
          @input=${type} /></label>
        ${errorText(failure)}
        <div class="tools">
          <button type="button" @click=${() => dialog.close()}>Cancel</button>
          <button class="danger" ?disabled=${isBusy || typed !== word}>${label}</button>
        </div>
      </form>`,
      dialog,
    );
  const type = ({ target }: Event) => {
    typed = (target as HTMLInputElement).value;
    show();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    isBusy = true;
    failure = '';
    show();
    try {
      await act();
      dialog.close();
      done();
    } catch (error) {
      failure = messageOf(error);
      if (needsKey(error)) dialog.close();
    }
    isBusy = false;
    show();
  };
  show();
  dialog.showModal();
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
