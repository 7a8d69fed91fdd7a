/**
 * Dialog that adds web pages, files or a text. It keeps the typed values until the server accepts
 * them.
 */
import { effect, signal } from '@webreflection/signal';
import { html, nothing, render } from 'lit-html';
import { messageOf, needsKey } from './api.ts';
import { createDialog } from './dialogs.ts';
import { countOf, errorText } from './format.ts';
import { type SentSource, startIngest } from './job-list.ts';
import { linkTo, may, namespaces, route } from './session.ts';
import { chosenFiles, droppedFiles, type NamedFile, sendFiles } from './uploads.ts';

const tabs = { files: 'Files', address: 'URL', text: 'Text' };
type Tab = keyof typeof tabs;

const tab = signal<Tab>('address');
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

function leave(namespace: string) {
  dialog.close();
  if (namespace !== route.value.namespace || route.value.view !== 'documents')
    location.hash = linkTo({ view: 'documents', namespace });
}

const pathsOf = (text: string) => text.split(',').flatMap((path) => path.trim() || []);
/** @returns what is wrong with a line that should be a URL */
function faultOf(line: string) {
  if (!/^https?:\/\//i.test(line)) return 'must begin with https:// or http://';
  return /\s/.test(line) || !URL.canParse(line) ? 'is not one valid URL' : undefined;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, at) => ({ url: line.trim(), number: at + 1, fault: faultOf(line.trim()) }))
    .filter(({ url }) => url !== '');
type Line = ReturnType<typeof linesOf>[number];

function sourcesOf(textOf: (name: string) => string, lines: readonly Line[]): SentSource[] {
  const filled = (...names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (textOf(name) ? [[name, textOf(name)]] : [])));
  if (tab.value === 'text')
    return [{ text: textOf('text'), ...filled('title', 'author', 'reviewBy') }];
  const crawl = {
    maxPages: Number(textOf('maxPages')),
    maxDepth: Number(textOf('maxDepth')),
    include: pathsOf(textOf('include')),
    exclude: pathsOf(textOf('exclude')),
  };
  const options = { ...(isSite.value && { crawl }), ...filled('refreshEvery') };
  return lines.map(({ url }) => ({ url, ...options }));
}

/** Leaves the lines that were not added in the form, and says why. */
function keepLines(form: HTMLFormElement, faulty: readonly Line[], added: number) {
  const field = form.elements.namedItem('addresses') as HTMLTextAreaElement;
  field.value = faulty.map(({ url }) => url).join('\n');
  failure.value = [
    ...faulty.map(({ url, number, fault }) => `Line ${number}: ${fault} (${url.slice(0, 80)})`),
    ...(added > 0 ? [`Added: ${countOf(added, 'other line')}.`] : []),
  ].join('\n');
}

async function submit(event: SubmitEvent) {
  event.preventDefault();
  if (tab.value === 'files') return;
  const form = event.target as HTMLFormElement;
  const fields = new FormData(form);
  const textOf = (name: string) => String(fields.get(name) ?? '').trim();
  isBusy.value = true;
  failure.value = '';
  try {
    const lines = linesOf(String(fields.get('addresses') ?? ''));
    const { valid = [], faulty = [] } = Object.groupBy(lines, ({ fault }) =>
      fault ? 'faulty' : 'valid',
    );
    const sources = sourcesOf(textOf, valid);
    const namespace = textOf('namespace');
    const stored = sources.length > 0 ? await startIngest(namespace, sources) : namespace;
    if (faulty.length > 0) keepLines(form, faulty, valid.length);
    else {
      leave(stored);
      form.reset();
      isSite.value = false;
    }
  } catch (error) {
    failure.value = messageOf(error);
    if (needsKey(error)) dialog.close();
  }
  isBusy.value = false;
}

function addFiles(files: readonly NamedFile[]) {
  const field = dialog.open ? namespaceField() : undefined;
  if (field && !field.reportValidity()) return;
  const namespace = (field?.value.trim() ?? route.value.namespace).toLowerCase();
  sendFiles(namespace, files);
  leave(namespace);
}

function choose({ target }: Event) {
  const field = target as HTMLInputElement;
  if (field.files) addFiles(chosenFiles(field.files));
  field.value = '';
}

function holdsFiles(event: DragEvent) {
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
    failure.value = 'Your browser could not read the dropped files. Choose them on the Files tab.';
    dialog.showModal();
  }
});

const addressFields = () => html`
  <label>URLs, one per line <textarea name="addresses" rows="3" required
    placeholder="https://example.com/docs" autocapitalize="off" spellcheck="false"></textarea></label>
  <label class="check"><input type="checkbox" .checked=${isSite.value} @change=${({
    target,
  }: Event) => {
    isSite.value = (target as HTMLInputElement).checked;
  }} /> Crawl the whole site: follow links and sitemaps on the same host</label>
  <fieldset class="fields" ?hidden=${!isSite.value} ?disabled=${!isSite.value}>
    <label>Maximum pages <input name="maxPages" type="number" min="1" max="10000" value="200"
      required /></label>
    <label>Maximum link depth <input name="maxDepth" type="number" min="0" max="20" value="3"
      required /></label>
    <label>Include paths <input name="include" placeholder="/docs/*, /help/*" autocomplete="off" /></label>
    <label>Exclude paths <input name="exclude" placeholder="/blog/*" autocomplete="off" /></label>
  </fieldset>
  <label>Refresh automatically
    <select name="refreshEvery">
      <option value="">Never</option>
      <option value="1h">Every hour</option>
      <option value="24h">Every day</option>
      <option value="7d">Every week</option>
      <option value="30d">Every 30 days</option>
    </select>
  </label>`;

/** Opens the file chooser; the files go to the namespace of the address. */
export const uploadButton =
  () => html`<label class="button primary" title="You can also drop files and folders on this page"
  >Upload files<input class="hidden" type="file" multiple @change=${choose}
/></label>`;

const fileFields = () => html`
  <p>Drop files or a folder anywhere on this page, or choose them. Folders keep their structure.</p>
  <div class="tools">
    <label class="button">Choose files<input class="hidden" type="file" multiple @change=${choose} /></label>
    <label class="button">Choose folder<input class="hidden" type="file" webkitdirectory
      @change=${choose} /></label>
  </div>`;

const textFields = () => html`
  <label>Title <input name="title" maxlength="200" autocomplete="off" /></label>
  <label>Text or Markdown <textarea name="text" rows="9" required></textarea></label>
  <div class="fields">
    <label>Author <input name="author" maxlength="200" autocomplete="name" /></label>
    <label>Review by <input name="reviewBy" type="date" /></label>
  </div>`;

const namespacePattern = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,62}';

effect(() => {
  const current = tab.value;
  const fieldsByTab = { address: addressFields, files: fileFields, text: textFields };
  // Hidden fields are not validated or sent, and keep their values.
  const group = (name: Tab) =>
    html`<fieldset ?hidden=${name !== current}
      ?disabled=${name !== current}>${fieldsByTab[name]()}</fieldset>`;
  render(
    html`<form class="add" @submit=${submit}>
      <h2>Add documents</h2>
      <div class="tools" role="group" aria-label="Source type">
        ${Object.entries(tabs).map(
          ([name, label]) =>
            html`<button type="button" aria-pressed=${name === current} @click=${() => {
              tab.value = name as Tab;
            }}>${label}</button>`,
        )}
      </div>
      <label>Namespace (existing or new)
        <input name="namespace" list="namespaces" required pattern=${namespacePattern}
          title="Letters, digits, dots, hyphens and underscores" autocomplete="off"
            autocapitalize="off" spellcheck="false" />
      </label>
      <datalist id="namespaces">${namespaces.value.map(
        ({ name }) => html`<option
        value=${name}></option>`,
      )}</datalist>
      ${group('address')} ${group('files')} ${group('text')}
      ${errorText(failure.value)}
      <div class="tools">
        <button type="button" @click=${() => dialog.close()}>Close</button>
        ${
          current === 'files'
            ? nothing
            : html`<button class="primary"
          ?disabled=${isBusy.value}>Add</button>`
        }
      </div>
    </form>`,
    dialog,
  );
});
