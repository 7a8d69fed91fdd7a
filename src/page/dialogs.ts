/** Confirmation before a deletion. */

import { html, nothing, render } from 'lit-html';
import { ApiFailure, messageOf } from './api.ts';
import { errorText } from './format.ts';

export interface Confirmation {
  readonly title: string;
  readonly text: unknown;
  readonly label: string;
  readonly word?: string;
  /** If the action fails, the dialog stays open and shows the error. */
  act(): Promise<unknown>;
  done(): void;
}

/** Creates a dialog that exists as long as the page, so that typed text survives a failed request. */
export function createDialog(label: string): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = label;
  document.body.append(dialog);
  return dialog;
}

/** If true, the sign-in form appears instead of the error. */
export const needsKey = (error: unknown) => error instanceof ApiFailure && error.status === 401;

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
        ${word ? html`<label>Type <b>${word}</b> to confirm <input autocomplete="off" .value=${typed} @input=${type} /></label>` : nothing}
        ${errorText(failure)}
        <div class="tools">
          <button type="button" @click=${() => dialog.close()}>Cancel</button>
          <button class="danger" ?disabled=${isBusy || (word !== undefined && typed !== word)}>${label}</button>
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
