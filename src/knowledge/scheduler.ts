/**
 * Turns sources that are due into jobs, one at a time for each namespace. A source that fails is due again at its next time; one whose
 * job cannot be started stays due.
 */
import type { Jobs } from './jobs/jobs.ts';
import type { Schedules } from './schedules.ts';

export interface Scheduler {
  /** Starts a job for each namespace that has sources due. */
  runDue(): Promise<void>;
  /** Looks for sources that are due from now on. */
  start(): void;
  stop(): void;
}

export interface SchedulerOptions {
  readonly schedules: Schedules;
  readonly jobs: Pick<Jobs, 'start' | 'isLive'>;
  readonly listNamespaces: () => Promise<string[]>;
  readonly onWarning: (message: string, error: unknown) => void;
}

const lookEveryMs = 30_000;

export function createScheduler({ schedules, jobs, listNamespaces, onWarning }: SchedulerOptions): Scheduler {
  let timer: NodeJS.Timeout | undefined;

  /** Namespace → the job that reads its sources again. */
  const running = new Map<string, string>();

  async function runDueOf(namespace: string): Promise<void> {
    if (jobs.isLive(running.get(namespace) ?? '')) return;
    const requests = await schedules.due(namespace);
    if (requests.length === 0) return;
    running.set(namespace, (await jobs.start(namespace, requests, false)).id);
    await schedules.putOff(namespace, requests);
  }

  async function runDue(): Promise<void> {
    for (const namespace of await listNamespaces()) {
      try {
        await runDueOf(namespace);
      } catch (error) {
        onWarning(`Sources of "${namespace}" that are due could not be read again.`, error);
      }
    }
  }

  return {
    runDue,

    start() {
      timer ??= setInterval(() => {
        runDue().catch((error: unknown) => onWarning('Sources that are due could not be read again.', error));
      }, lookEveryMs).unref();
    },

    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
