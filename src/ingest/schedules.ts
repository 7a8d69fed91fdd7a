/**
 * Refreshes sources on schedule. Due sources become a job, one at a time per namespace and only
 * once, even if processes share a store. A source that fails is retried at its next time; if its
 * job cannot be started, the source stays due.
 */
import { z } from 'zod';
import { sha256 } from '../documents/document-store.ts';
import type { Jobs } from './jobs/jobs.ts';
import { type IngestRequest, ingestRequest, intervalMs } from './source.ts';

const scheduleForm = z.object({
  request: ingestRequest,
  everyMs: intervalMs,
  nextAt: z.string().refine((value) => !Number.isNaN(Date.parse(value))),
});
export type Schedule = z.infer<typeof scheduleForm>;

type ScheduleText = string | undefined;

/** All methods throw KnowledgeError `storage_unavailable` if the store is unavailable. */
export interface ScheduleStore {
  namespaces(): Promise<readonly string[]>;
  read(namespace: string): Promise<ScheduleText>;
  readAll(): Promise<ReadonlyMap<string, string>>;
  change(namespace: string, edit: (text: ScheduleText) => Promise<ScheduleText>): Promise<void>;
}

const pollEveryMs = 30_000;
const jobOwner = 'schedules';

const plainUrl = (url: string) => (URL.canParse(url) ? new URL(url).href.replace(/#.*/s, '') : url);
const plainPath = (path: string) => path.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '');
export const isSameUrl = (one: string, other: string): boolean => plainUrl(one) === plainUrl(other);

/** A source has one schedule, whatever its options. */
function keyOf(request: IngestRequest) {
  if (request.type === 'site') return plainUrl(request.url);
  if (request.type === 'path') return `${plainPath(request.path)}\0${request.glob ?? ''}`;
  const { source } = request;
  return source.kind === 'url'
    ? plainUrl(source.url)
    : source.kind === 'file'
      ? `${plainPath(source.path)}\0`
      : source.text;
}

export const scheduleIdOf = ({ request }: Schedule): string => sha256(keyOf(request)).slice(0, 16);

/**
 * Deterministic, so that a process that dies before it saves the next times does not start the job
 * twice.
 */
function jobIdOf(namespace: string, due: readonly Schedule[]) {
  const times = due.map(({ request, nextAt }) => [keyOf(request), nextAt]).sort();
  return sha256(JSON.stringify([namespace, times])).replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/,
    '$1-$2-$3-$4-$5',
  );
}

export class Schedules {
  readonly #options;
  /** Namespaces that failed at the last poll, so that each causes one warning. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: Readonly<{
      store: ScheduleStore;
      jobs: Pick<Jobs, 'start' | 'isBusy'>;
      clock: () => Date;
      onWarning: (message: string, error: unknown) => void;
    }>,
  ) {
    this.#options = options;
  }

  async list(namespace: string) {
    return this.#parse(namespace, await this.#options.store.read(namespace));
  }

  async listAll(): Promise<ReadonlyMap<string, Schedule[]>> {
    const all = await this.#options.store.readAll();
    return new Map(
      all.entries().map(([namespace, text]) => [namespace, this.#parse(namespace, text)]),
    );
  }

  #parse(namespace: string, text = '[]'): Schedule[] {
    try {
      const stored: unknown = JSON.parse(text);
      if (!Array.isArray(stored)) return [];
      return stored.flatMap((one) => scheduleForm.safeParse(one).data ?? []);
    } catch (error) {
      this.#options.onWarning(`The schedules of "${namespace}" cannot be read.`, error);
      return [];
    }
  }

  set(namespace: string, request: IngestRequest, everyMs: number | undefined): Promise<void> {
    return this.#change(namespace, (schedules) => {
      const others = schedules.filter((schedule) => keyOf(schedule.request) !== keyOf(request));
      return everyMs === undefined ? others : [...others, this.#next({ request, everyMs })];
    });
  }

  async remove(namespace: string, id: string): Promise<Schedule | undefined> {
    let removed: Schedule | undefined;
    await this.#change(namespace, (schedules) => {
      removed = schedules.find((schedule) => scheduleIdOf(schedule) === id);
      return schedules.filter((schedule) => schedule !== removed);
    });
    return removed;
  }

  forget(
    namespace: string,
    isForgotten: (request: IngestRequest) => Promise<boolean>,
  ): Promise<void> {
    return this.#change(namespace, async (schedules) => {
      const forgotten = await Promise.all(schedules.map(({ request }) => isForgotten(request)));
      return schedules.filter((_, at) => !forgotten[at]);
    });
  }

  async runDue() {
    const warn = (of: string, error: unknown) =>
      this.#options.onWarning(`Due sources${of} could not be refreshed; will retry.`, error);
    const namespaces = await this.#options.store
      .namespaces()
      .catch((error: unknown) => warn('', error));
    for (const name of namespaces ?? []) {
      try {
        await this.#runDueOf(name);
        this.#failing.delete(name);
      } catch (error) {
        if (!this.#failing.has(name)) warn(` of "${name}"`, error);
        this.#failing.add(name);
      }
    }
  }

  start() {
    this.#timer ??= setInterval(() => void this.runDue(), pollEveryMs).unref();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #runDueOf(namespace: string) {
    const { jobs } = this.#options;
    // Usually nothing is due: avoid the lock.
    if (this.#due(await this.list(namespace)).length === 0) return;
    await this.#change(namespace, async (schedules) => {
      const due = this.#due(schedules);
      if (due.length === 0 || (await jobs.isBusy(namespace, jobOwner))) return schedules;
      const requests = due.map(({ request }) => request);
      await jobs.start(namespace, requests, false, jobOwner, jobIdOf(namespace, due));
      return schedules.map((schedule) =>
        due.includes(schedule) ? this.#next(schedule) : schedule,
      );
    });
  }

  #due(schedules: readonly Schedule[]) {
    const now = this.#options.clock().getTime();
    return schedules.filter(({ nextAt, everyMs }) => {
      const inMs = Date.parse(nextAt) - now;
      // A time further away than the interval was saved while the clock was ahead.
      return inMs <= 0 || inMs > everyMs;
    });
  }

  #next({ request, everyMs }: Omit<Schedule, 'nextAt'>): Schedule {
    return {
      request,
      everyMs,
      nextAt: new Date(this.#options.clock().getTime() + everyMs).toISOString(),
    };
  }

  #change(namespace: string, edit: (schedules: Schedule[]) => Schedule[] | Promise<Schedule[]>) {
    return this.#options.store.change(namespace, async (text) => {
      const before = this.#parse(namespace, text);
      const after = await edit(before);
      if (JSON.stringify(after) === JSON.stringify(before)) return text;
      return after.length === 0 ? undefined : `${JSON.stringify(after, undefined, 2)}\n`;
    });
  }
}
