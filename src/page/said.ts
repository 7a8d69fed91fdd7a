/** What every view says in the same words. */
import { html, nothing } from 'lit-html';
import { messageOf } from './api.ts';

export const failureText = (failure: unknown) => (failure ? html`<p class="error" role="alert">${messageOf(failure)}</p>` : nothing);
export const loadingText = () => html`<p class="quiet" role="status">Loading …</p>`;
