/** What can be added: addresses with what they link to, files, a text. The dialog keeps what was typed until it has been taken. */

import { effect, signal } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { messageOf } from './api.ts';
import { createDialog, isKeyWanted } from './dialogs.ts';
import { failureText } from './format.ts';
import { type SentSource, startIngest } from './jobs.ts';
import { linkTo, may, namespaces, route } from './session.ts';
import { chosenFiles, droppedFiles, type NamedFile, sendFiles } from './uploads.ts';

const ways = { address: 'Address', files: 'Files', text: 'Text' } as const;
type Way = keyof typeof ways;

const way = signal<Way>('address');
const isSite = signal(false);
const isBusy = signal(false);
const failure = signal('');
const dialog = createDialog('Add documents');

const namespaceField = () => dialog.querySelector<HTMLInputElement>('[name=namespace]');

let filledFor = '';

export function openAdd(): void {
  const { namespace } = route.value;
  const field = namespaceField();
  if (field && (filledFor !== namespace || field.value === '')) field.value = namespace;
  filledFor = namespace;
  failure.value = '';
  dialog.showModal();
}

function leave(namespace: string): void {
  dialog.close();
  if (namespace !== route.value.namespace || route.value.view !== 'documents') location.hash = linkTo({ view: 'documents', namespace });
}

const pathsOf = (text: string) => text.split(',').flatMap((path) => path.trim() || []);
const withScheme = (address: string) => (/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`);
const filled = (entries: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== ''));

function sourcesOf(given: (name: string) => string): SentSource[] {
  if (way.value === 'text')
    return [{ text: given('text'), ...filled({ title: given('title'), author: given('author'), reviewBy: given('reviewBy') }) }];
  const crawl = {
    maxPages: Number(given('maxPages')),
    maxDepth: Number(given('maxDepth')),
    include: pathsOf(given('include')),
    exclude: pathsOf(given('exclude')),
  };
  const asked = { ...(isSite.value ? { crawl } : {}), ...filled({ refreshEvery: given('refreshEvery') }) };
  return given('addresses')
    .split(/\s+/)
    .map((address) => ({ url: withScheme(address), ...asked }));
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  if (way.value === 'files') return;
  const form = event.target as HTMLFormElement;
  const fields = new FormData(form);
  const given = (name: string) => String(fields.get(name) ?? '').trim();
  isBusy.value = true;
  failure.value = '';
  try {
    leave(await startIngest(given('namespace'), sourcesOf(given)));
    form.reset();
    isSite.value = false;
  } catch (error) {
    failure.value = messageOf(error);
    if (isKeyWanted(error)) dialog.close();
  }
  isBusy.value = false;
}

function addFiles(files: readonly NamedFile[]): void {
  const field = dialog.open ? namespaceField() : undefined;
  if (field && !field.reportValidity()) return;
  const namespace = (field?.value.trim() ?? route.value.namespace).toLowerCase();
  sendFiles(namespace, files);
  leave(namespace);
}

function choose({ target }: Event): void {
  const field = target as HTMLInputElement;
  if (field.files) addFiles(chosenFiles(field.files));
  field.value = '';
}

function holdsFiles(event: DragEvent): boolean {
  const isFile = event.dataTransfer?.types.includes('Files') === true;
  if (isFile) event.preventDefault();
  return isFile && route.value.view === 'documents' && may('write');
}
addEventListener('dragover', (event) => {
  if (holdsFiles(event)) document.body.classList.add('dropping');
});
addEventListener('dragleave', ({ relatedTarget }) => {
  if (!relatedTarget) document.body.classList.remove('dropping');
});
addEventListener('drop', async (event) => {
  document.body.classList.remove('dropping');
  if (!holdsFiles(event) || !event.dataTransfer) return;
  try {
    addFiles(await droppedFiles(event.dataTransfer));
  } catch {
    failure.value = 'The browser could not read what was dropped.';
    dialog.showModal();
  }
});

const addressFields = () => html`
  <label>Addresses, one a line <textarea name="addresses" rows="3" required placeholder="https://example.com/docs" autocapitalize="off" spellcheck="false"></textarea></label>
  <label class="check"><input type="checkbox" .checked=${isSite.value} @change=${({ target }: Event) => {
    isSite.value = (target as HTMLInputElement).checked;
  }} /> The whole site: follow its links and sitemaps within the host</label>
  <fieldset class="fields" ?hidden=${!isSite.value} ?disabled=${!isSite.value}>
    <label>Pages at most <input name="maxPages" type="number" min="1" max="10000" value="200" required /></label>
    <label>How many links deep <input name="maxDepth" type="number" min="0" max="20" value="3" required /></label>
    <label>Only these paths <input name="include" placeholder="/docs/*, /help/*" autocomplete="off" /></label>
    <label>Not these paths <input name="exclude" placeholder="/blog/*" autocomplete="off" /></label>
  </fieldset>
  <label>Read again by itself
    <select name="refreshEvery">
      <option value="">never</option>
      <option value="1h">every hour</option>
      <option value="24h">every day</option>
      <option value="7d">every week</option>
      <option value="30d">every 30 days</option>
    </select>
  </label>`;

const fileFields = () => html`
  <p>Drop files or a folder anywhere, or choose them.</p>
  <div class="tools">
    <label class="button">Choose files<input class="hidden" type="file" multiple @change=${choose} /></label>
    <label class="button">Choose a folder<input class="hidden" type="file" webkitdirectory @change=${choose} /></label>
  </div>`;

const textFields = () => html`
  <label>Title <input name="title" maxlength="200" autocomplete="off" /></label>
  <label>Text, or Markdown <textarea name="text" rows="9" required></textarea></label>
  <div class="fields">
    <label>Author <input name="author" maxlength="200" autocomplete="name" /></label>
    <label>Review by <input name="reviewBy" type="date" /></label>
  </div>`;

const namespacePattern = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,62}';

effect(() => {
  const current = way.value;
  const fieldsByWay = { address: addressFields, files: fileFields, text: textFields };
  // What is not shown is neither required nor sent, and stays as it was typed.
  const group = (name: Way) => html`<fieldset ?hidden=${name !== current} ?disabled=${name !== current}>${fieldsByWay[name]()}</fieldset>`;
  render(
    html`<form class="add" @submit=${submit}>
      <h2>Add documents</h2>
      <div class="tools" role="group" aria-label="What to add">
        ${Object.entries(ways).map(
          ([name, label]) =>
            html`<button type="button" aria-pressed=${name === current} @click=${() => {
              way.value = name as Way;
            }}>${label}</button>`,
        )}
      </div>
      <label>Namespace, which may be a new one
        <input name="namespace" list="namespaces" required pattern=${namespacePattern} title="letters, digits, dots, hyphens and underscores" autocomplete="off" autocapitalize="off" spellcheck="false" />
      </label>
      <datalist id="namespaces">${namespaces.value.map(({ name }) => html`<option value=${name}></option>`)}</datalist>
      ${group('address')} ${group('files')} ${group('text')}
      ${failureText(failure.value)}
      <div class="tools">
        <button type="button" @click=${() => dialog.close()}>Close</button>
        ${current === 'files' ? nothing : html`<button class="primary" ?disabled=${isBusy.value}>Add</button>`}
      </div>
    </form>`,
    dialog,
  );
});
