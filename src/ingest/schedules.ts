/**
 * Sources that are read again by themselves, written down beside the documents, because they are no derived thing:
 * `KNOWLEDGE_DIR/<namespace>/.schedules.json`. Those that are due become jobs, one at a time for each namespace. A source that fails is due
 * again at its next time; one whose job cannot be started stays due.
 */
import { z } from 'zod';
import { createQueue } from '../concurrency/queue.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Jobs } from './jobs/jobs.ts';
import { type IngestRequest, ingestRequest, intervalMs } from './source.ts';

const scheduleForm = z.object({
  request: ingestRequest,
  everyMs: intervalMs,
  /** ISO 8601. */
  nextAt: z.string().refine((value) => !Number.isNaN(Date.parse(value))),
});
type Schedule = z.infer<typeof scheduleForm>;

export interface SchedulesOptions {
  readonly store: DocumentStore;
  readonly jobs: Pick<Jobs, 'start' | 'isLive'>;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
}

const fileName = '.schedules.json';
const lookEveryMs = 30_000;

const plainUrl = (url: string) => (URL.canParse(url) ? new URL(url).href.replace(/#.*/s, '') : url);
const plainPath = (path: string) => path.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '');
export const isSameUrl = (one: string, other: string): boolean => plainUrl(one) === plainUrl(other);

/** A source is one schedule, whatever else is asked of it. */
function keyOf(request: IngestRequest): string {
  if (request.type === 'site') return plainUrl(request.url);
  if (request.type === 'path') return `${plainPath(request.path)}\0${request.glob ?? ''}`;
  const { source } = request;
  return source.kind === 'url' ? plainUrl(source.url) : source.kind === 'file' ? `${plainPath(source.path)}\0` : source.text;
}

export class Schedules {
  readonly #options: SchedulesOptions;
  /** Changes of a file happen one after another. */
  readonly #inOrder = createQueue();
  /** Namespace → the job that reads its sources again. */
  readonly #running = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  async list(namespace: string): Promise<Schedule[]> {
    const file = await this.#options.store.read(namespace, fileName);
    try {
      const stored: unknown = JSON.parse(file?.text ?? '[]');
      return Array.isArray(stored) ? stored.flatMap((one) => scheduleForm.safeParse(one).data ?? []) : [];
    } catch (error) {
      this.#options.onWarning(`The schedules of "${namespace}" cannot be read.`, error);
      return [];
    }
  }

  /** Schedules a source, or takes it off with `undefined`. */
  set(namespace: string, request: IngestRequest, everyMs: number | undefined): Promise<void> {
    return this.#change(namespace, (schedules) => {
      const others = schedules.filter((schedule) => keyOf(schedule.request) !== keyOf(request));
      return everyMs === undefined ? others : [...others, this.#next({ request, everyMs })];
    });
  }

  /** Takes off the requests of which something holds. */
  forget(namespace: string, isForgotten: (request: IngestRequest) => Promise<boolean>): Promise<void> {
    return this.#change(namespace, async (schedules) => {
      const forgotten = await Promise.all(schedules.map(({ request }) => isForgotten(request)));
      return schedules.filter((_, at) => !forgotten[at]);
    });
  }

  /** Starts a job for each namespace that has sources due. */
  async runDue(): Promise<void> {
    const warn = (whose: string) => (error: unknown) =>
      this.#options.onWarning(`Sources${whose} that are due could not be read again.`, error);
    const namespaces = await this.#options.store.listNamespaces().catch(warn(''));
    for (const name of namespaces ?? []) await this.#runDueOf(name).catch(warn(` of "${name}"`));
  }

  /** Looks for sources that are due from now on. */
  start(): void {
    this.#timer ??= setInterval(() => void this.runDue(), lookEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #runDueOf(namespace: string): Promise<void> {
    const { jobs, clock } = this.#options;
    if (jobs.isLive(this.#running.get(namespace) ?? '')) return;
    const now = clock().getTime();
    const due = (await this.list(namespace)).filter(({ nextAt }) => Date.parse(nextAt) <= now).map(({ request }) => request);
    if (due.length === 0) return;
    this.#running.set(namespace, (await jobs.start(namespace, due, false, 'schedules')).id);
    const keys = new Set(due.map(keyOf));
    await this.#change(namespace, (schedules) =>
      schedules.map((schedule) => (keys.has(keyOf(schedule.request)) ? this.#next(schedule) : schedule)),
    );
  }

  #next({ request, everyMs }: Omit<Schedule, 'nextAt'>): Schedule {
    return { request, everyMs, nextAt: new Date(this.#options.clock().getTime() + everyMs).toISOString() };
  }

  #change(namespace: string, edit: (schedules: Schedule[]) => Schedule[] | Promise<Schedule[]>): Promise<void> {
    const { store } = this.#options;
    return this.#inOrder(async () => {
      const before = await this.list(namespace);
      const after = await edit(before);
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      if (after.length === 0) await store.remove(namespace, fileName);
      else await store.write(namespace, fileName, `${JSON.stringify(after, undefined, 2)}\n`);
    });
  }
}
