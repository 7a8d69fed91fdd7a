/** Files on their way to the server: from a folder or a choice to a row each, some at a time. */
import { ApiFailure, api, messageOf } from './api.ts';
import type { IngestReport, ReportRow } from './api-types.d.ts';
import { addRow, addTask, endTask, pause, showTasks, takeOut, type Work } from './background-tasks.ts';
import { countOf, showBytes } from './format.ts';
import { mayPass } from './jobs.ts';
import { namespacePathOf, server, tell } from './session.ts';

export type NamedFile = Readonly<{ name: string; file: File }>;

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.'));

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Chromium gives a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function filesBelow(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (isHidden(entry.name)) return [];
  if (entry.isDirectory) {
    const files: NamedFile[] = [];
    for (const one of await entriesOf(entry as FileSystemDirectoryEntry)) files.push(...(await filesBelow(one)));
    return files;
  }
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  return [{ name: entry.fullPath.replace(/^\//, ''), file }];
}

/** What was dropped, folders with all that they hold; hidden files are left out. To be called while the event is handled. */
export function droppedFiles({ items }: DataTransfer): Promise<NamedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return Promise.all(entries.map(filesBelow)).then((all) => all.flat());
}

export const chosenFiles = (list: FileList): NamedFile[] =>
  [...list].map((file) => ({ name: file.webkitRelativePath || file.name, file })).filter(({ name }) => !isHidden(name));

const atOnce = 3;
const maxRequests = 40;
const limitOf = (name: string) => server.value?.limits[name] ?? Number.POSITIVE_INFINITY;
const failedRow = (source: string, code: string, message: string): ReportRow => ({
  source,
  kind: 'file',
  status: 'failed',
  error: { code, message },
});

class Sending {
  readonly #waiting: NamedFile[];
  readonly #sending = new Set<NamedFile>();
  readonly #failed = new Map<ReportRow, NamedFile>();
  readonly #stop = new AbortController();
  readonly #work: Work;

  constructor(namespace: string, files: readonly NamedFile[]) {
    const most = limitOf('maxSourceBytes');
    this.#waiting = files.filter(({ file }) => file.size <= most);
    this.#work = addTask({
      namespace,
      label: countOf(files.length, 'file'),
      rows: [],
      now: [],
      total: files.length,
      remark: '',
      isOver: false,
      cancel: () => {
        this.#stop.abort();
        endTask(this.#work, 'Cancelled: what was read before stays.');
      },
      canRetry: (row) => this.#failed.has(row),
      retry: (rows) => this.#retry(rows),
    });
    for (const { name, file } of files) {
      if (file.size > most)
        addRow(
          this.#work,
          failedRow(name, 'payload_too_large', `${showBytes(file.size)}: this server reads up to ${showBytes(most)} of a file.`),
        );
    }
    for (let sender = 0; sender < atOnce; sender++) void this.#sendNext();
  }

  #retry(rows: readonly ReportRow[]): void {
    sendFiles(
      this.#work.namespace,
      rows.flatMap((row) => this.#failed.get(row) ?? []),
    );
    takeOut(this.#work, rows);
  }

  /** One file; of many several, for a minute has room for so many requests. */
  #take(): NamedFile[] {
    const count = Math.min(Math.ceil(this.#work.total / maxRequests), limitOf('maxUploadFiles'));
    const taken = this.#waiting.splice(0, 1);
    let bytes = taken[0]?.file.size ?? 0;
    while (taken.length < count && this.#waiting[0] && bytes + this.#waiting[0].file.size < 10_000_000) {
      const [next] = this.#waiting.splice(0, 1);
      if (next) taken.push(next);
      bytes += next?.file.size ?? 0;
    }
    return taken;
  }

  async #sendNext(): Promise<void> {
    while (!this.#work.isOver) {
      const files = this.#take();
      if (files.length === 0) break;
      for (const file of files) this.#sending.add(file);
      this.#show();
      await this.#send(files);
      for (const file of files) this.#sending.delete(file);
      this.#show();
    }
    if (this.#waiting.length === 0 && this.#sending.size === 0) endTask(this.#work);
  }

  #show(): void {
    if (!this.#work.isOver) this.#work.now = [...this.#sending].map(({ name }) => name).slice(0, atOnce);
    showTasks();
  }

  async #send(files: readonly NamedFile[]): Promise<void> {
    const body = new FormData();
    for (const { name, file } of files) body.append('files', file, name);
    const path = `${namespacePathOf(this.#work.namespace)}/documents`;
    try {
      const { results } = await api<IngestReport>(path, { method: 'POST', body, signal: this.#stop.signal, accepts: [422] });
      files.forEach(({ name }, at) => {
        addRow(this.#work, results?.[at] ?? failedRow(name, 'unknown', 'The server says nothing of this file.'));
      });
      this.#work.remark = '';
    } catch (error) {
      if (!this.#work.isOver) await this.#fail(files, error);
    }
  }

  /** Where the server has too much to do, the files wait; anything else is told of each. */
  async #fail(files: readonly NamedFile[], error: unknown): Promise<void> {
    const { code = 'unknown', retryAfterSeconds = undefined } = error instanceof ApiFailure ? error : {};
    if (retryAfterSeconds === undefined) {
      for (const file of files) {
        const row = failedRow(file.name, code, messageOf(error));
        // A file that the server has read and refused fails again in the same way.
        if (error instanceof ApiFailure && mayPass(error)) this.#failed.set(row, file);
        addRow(this.#work, row);
      }
      return;
    }
    this.#waiting.unshift(...files);
    this.#work.remark = messageOf(error);
    showTasks();
    await pause(retryAfterSeconds * 1000);
  }
}

export function sendFiles(namespace: string, files: readonly NamedFile[]): void {
  if (files.length === 0) tell('There is nothing in it to add: hidden files are left out.', 'bad');
  else new Sending(namespace, files);
}
