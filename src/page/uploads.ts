/** Uploads dropped or chosen files, a few at a time, and shows the progress and result of each. */
import { ApiFailure, api, keyNeeded, messageOf, needsKey } from './api.ts';
import {
  addRow,
  addTask,
  type Current,
  endTask,
  pause,
  removeRows,
  showTasks,
  type Task,
} from './background-tasks.ts';
import { countOf, showBytes } from './format.ts';
import { isRetriable, isTemporary } from './job-list.ts';
import type { IngestReport, ReportRow } from './openapi.d.ts';
import { namespacePathOf, server, showNotice } from './session.ts';

export type NamedFile = Readonly<{ name: string; file: File }>;

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.'));

async function entriesOf(folder: FileSystemDirectoryEntry) {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Chromium returns at most 100 entries per call.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const filesOf = async (entries: readonly FileSystemEntry[]) =>
  (await Promise.all(entries.map(filesBelow))).flat();

async function filesBelow(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (isHidden(entry.name)) return [];
  if (entry.isDirectory) return filesOf(await entriesOf(entry as FileSystemDirectoryEntry));
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  return [{ name: entry.fullPath.replace(/^\//, ''), file }];
}

/**
 * Returns dropped files and the contents of dropped folders, without hidden files. Call it inside
 * the event handler.
 */
export const droppedFiles = ({ items }: DataTransfer) =>
  filesOf([...items].flatMap((item) => item.webkitGetAsEntry() ?? []));

export const chosenFiles = (list: FileList): NamedFile[] =>
  [...list]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => !isHidden(name));

const maxParallel = 3;
const maxRequests = 40;
const maxShown = 10;
const limitOf = (name: 'maxSourceBytes' | 'maxUploadFiles') =>
  server.value?.limits[name] ?? Number.POSITIVE_INFINITY;
function failedRow(source: string, code: string, message: string): ReportRow {
  return { source, kind: 'file', status: 'failed', error: { code, message } };
}

/** Like `fetch`, but reports how many bytes are sent. */
const sendWith =
  (onSent: (bytes: number) => void) =>
  (path: string, { method = 'POST', headers, body, signal }: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest();
      const fail = () => reject(new TypeError('The upload failed.'));
      request.open(method, path);
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded }) => onSent(loaded);
      request.onload = () => {
        const wait = request.getResponseHeader('retry-after');
        const answered = {
          status: request.status,
          headers: wait === null ? {} : { 'retry-after': wait },
        };
        resolve(new Response(request.responseText || null, answered));
      };
      Object.assign(request, { onerror: fail, onabort: fail });
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as FormData);
    });

const uploads: Task[] = [];
// The files of unfinished uploads would be lost if the page closes, so the browser asks first.
addEventListener('beforeunload', (event) => {
  if (uploads.some(({ isOver }) => !isOver)) event.preventDefault();
});

/** Takes the next file, or several if there are many, because of the rate limit. */
function takeFrom(waiting: NamedFile[], total: number) {
  const count = Math.min(Math.ceil(total / maxRequests), limitOf('maxUploadFiles'));
  let bytes = 0;
  const end = waiting.findIndex(({ file }, at) => {
    bytes += file.size;
    return at > 0 && (at >= count || bytes >= 10_000_000);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

function currentOf([{ name, file }, sent]: [NamedFile, number]): Current {
  if (sent >= file.size && sent > 0) return { source: name, stage: 'reading' };
  return { source: name, stage: 'sending', share: sent / Math.max(1, file.size) };
}

function startUpload(namespace: string, files: readonly NamedFile[]) {
  const maxBytes = limitOf('maxSourceBytes');
  const waiting = files.filter(({ file }) => file.size <= maxBytes);
  /** Sent bytes of each file. */
  const sending = new Map<NamedFile, number>();
  const failed = new Map<ReportRow, NamedFile>();
  const stop = new AbortController();
  const cancel = () => {
    stop.abort();
    endTask(task, 'Cancelled. Files that were already added stay.');
  };
  const canRetry = (row: ReportRow) => failed.has(row);
  const retry = (rows: readonly ReportRow[]) => {
    const again = rows.flatMap((row) => failed.get(row) ?? []);
    sendFiles(namespace, again);
    removeRows(task, rows);
  };
  const label = countOf(files.length, 'file');
  const task: Task = addTask({ namespace, label, cancel, canRetry, retry }, files.length);
  uploads.push(task);
  for (const { name, file } of files) {
    if (file.size <= maxBytes) continue;
    const message = `The file is too large: ${showBytes(file.size)}, limit ${showBytes(maxBytes)}. Split it into smaller files.`;
    addRow(task, failedRow(name, 'payload_too_large', message));
  }

  function show() {
    if (!task.isOver) task.now = [...sending].slice(0, maxShown).map(currentOf);
    showTasks();
  }

  async function sendPart(part: readonly NamedFile[]) {
    const body = new FormData();
    for (const { name, file } of part) body.append('files', file, name);
    const send = sendWith((bytes) => {
      // The request sends the files one after another.
      let before = 0;
      for (const one of part) {
        sending.set(one, Math.max(0, Math.min(one.file.size, bytes - before)));
        before += one.file.size;
      }
      show();
    });
    const path = `${namespacePathOf(namespace)}/documents`;
    try {
      if (keyNeeded.value) throw new ApiFailure('Sign in, then retry.', 'unauthorized', 401);
      const { signal } = stop;
      const { results } = await api<IngestReport>(path, { body, signal, accepts: [422], send });
      part.forEach((file, at) => {
        const missing = 'The server returned no result for this file. Add it again.';
        const row = results?.[at] ?? failedRow(file.name, 'unknown', missing);
        if (isRetriable(row)) failed.set(row, file);
        addRow(task, row);
      });
      task.remark = '';
    } catch (error) {
      if (!task.isOver) await fail(part, error);
    }
  }

  /** If the server is busy, sends the files again later. Shows any other error for each file. */
  async function fail(part: readonly NamedFile[], error: unknown) {
    const { code = 'unknown', retryAfterSeconds = undefined } =
      error instanceof ApiFailure ? error : {};
    if (retryAfterSeconds !== undefined) {
      waiting.unshift(...part);
      task.remark = messageOf(error);
      showTasks();
      await pause(retryAfterSeconds * 1000);
      return;
    }
    for (const file of part) {
      const row = failedRow(file.name, code, messageOf(error));
      // A file that the server rejected would fail again.
      if (isTemporary(error) || needsKey(error)) failed.set(row, file);
      addRow(task, row);
    }
  }

  async function sendNext() {
    while (!task.isOver) {
      const part = takeFrom(waiting, task.total);
      if (part.length === 0) break;
      for (const file of part) sending.set(file, 0);
      show();
      await sendPart(part);
      for (const file of part) sending.delete(file);
      show();
    }
    if (waiting.length === 0 && sending.size === 0) endTask(task);
  }
  for (let sender = 0; sender < maxParallel; sender++) void sendNext();
}

export function sendFiles(namespace: string, files: readonly NamedFile[]): void {
  if (files.length === 0) showNotice('No files to add. Hidden files are skipped.', 'bad');
  else startUpload(namespace, files);
}
