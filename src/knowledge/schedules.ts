/**
 * Sources that are read again by themselves, written down beside the documents, because they are no derived thing:
 * `KNOWLEDGE_DIR/<namespace>/.schedules.json`.
 */
import { type IngestRequest, isIngestRequest, isInterval } from './requests.ts';
import type { DocumentStore } from './store/document-store.ts';

export interface Schedule {
  readonly request: IngestRequest;
  readonly everyMs: number;
  /** ISO 8601. */
  readonly nextAt: string;
}

export interface Schedules {
  /** Schedules a source, or takes it off with `undefined`. */
  set(namespace: string, request: IngestRequest, everyMs: number | undefined): Promise<void>;
  list(namespace: string): Promise<readonly Schedule[]>;
  /** Takes off the requests of which something holds. */
  forget(namespace: string, isForgotten: (request: IngestRequest) => Promise<boolean>): Promise<void>;
  /** Requests of a namespace that are due. */
  due(namespace: string): Promise<IngestRequest[]>;
  /** Puts requests off to their next time. */
  putOff(namespace: string, requests: readonly IngestRequest[]): Promise<void>;
}

export interface SchedulesOptions {
  readonly store: DocumentStore;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
}

const fileName = '.schedules.json';
const plainUrl = (url: string) => (URL.canParse(url) ? new URL(url).href.replace(/#.*$/, '') : url);
const plainPath = (path: string) => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');

/** A source is one schedule, whatever else is asked of it. */
function keyOf(request: IngestRequest): string {
  if (request.type === 'site') return plainUrl(request.url);
  if (request.type === 'path') return `${plainPath(request.path)}\0${request.glob ?? ''}`;
  const { source } = request;
  return source.kind === 'url' ? plainUrl(source.url) : source.kind === 'file' ? `${plainPath(source.path)}\0` : source.text;
}

function isSchedule(value: unknown): value is Schedule {
  if (typeof value !== 'object' || value === null || !('request' in value && 'everyMs' in value && 'nextAt' in value)) return false;
  const { request, everyMs, nextAt } = value;
  return isIngestRequest(request) && isInterval(everyMs) && typeof nextAt === 'string' && !Number.isNaN(Date.parse(nextAt));
}

export const isSameUrl = (one: string, other: string): boolean => plainUrl(one) === plainUrl(other);

export function createSchedules({ store, clock, onWarning }: SchedulesOptions): Schedules {
  let queue: Promise<unknown> = Promise.resolve();

  async function read(namespace: string): Promise<Schedule[]> {
    const stored = await store.readHidden(namespace, fileName);
    if (stored === undefined) return [];
    try {
      const schedules: unknown = JSON.parse(stored);
      return Array.isArray(schedules) ? schedules.filter(isSchedule) : [];
    } catch (error) {
      onWarning(`The schedules of "${namespace}" cannot be read.`, error);
      return [];
    }
  }

  /** Changes of a file happen one after another. */
  function change(namespace: string, edit: (schedules: Schedule[]) => Schedule[] | Promise<Schedule[]>): Promise<void> {
    const turn = queue.then(async () => {
      const before = await read(namespace);
      const after = await edit(before);
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      if (after.length === 0) await store.remove(namespace, fileName);
      else await store.write(namespace, fileName, `${JSON.stringify(after, undefined, 2)}\n`);
    });
    queue = turn.catch(() => undefined);
    return turn;
  }

  const nextFrom = (everyMs: number) => new Date(clock().getTime() + everyMs).toISOString();

  return {
    set: (namespace, request, everyMs) =>
      change(namespace, (schedules) => {
        const others = schedules.filter((schedule) => keyOf(schedule.request) !== keyOf(request));
        return everyMs === undefined ? others : [...others, { request, everyMs, nextAt: nextFrom(everyMs) }];
      }),

    list: read,

    forget: (namespace, isForgotten) =>
      change(namespace, async (schedules) => {
        const kept: Schedule[] = [];
        for (const schedule of schedules) if (!(await isForgotten(schedule.request))) kept.push(schedule);
        return kept;
      }),

    async due(namespace) {
      const now = clock().getTime();
      return (await read(namespace)).filter(({ nextAt }) => Date.parse(nextAt) <= now).map(({ request }) => request);
    },

    putOff(namespace, requests) {
      const keys = new Set(requests.map(keyOf));
      return change(namespace, (schedules) =>
        schedules.map((schedule) => (keys.has(keyOf(schedule.request)) ? { ...schedule, nextAt: nextFrom(schedule.everyMs) } : schedule)),
      );
    },
  };
}
