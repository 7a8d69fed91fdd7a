/** Turns sources that are due into jobs. One that fails is due again at its next time. */
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
  readonly jobs: Pick<Jobs, 'start'>;
  readonly listNamespaces: () => Promise<string[]>;
  readonly onWarning: (message: string, error: unknown) => void;
}

const lookEveryMs = 30_000;

export function createScheduler({ schedules, jobs, listNamespaces, onWarning }: SchedulerOptions): Scheduler {
  let timer: NodeJS.Timeout | undefined;

  async function runDue(): Promise<void> {
    for (const namespace of await listNamespaces()) {
      const requests = await schedules.takeDue(namespace);
      if (requests.length > 0) await jobs.start(namespace, requests, false);
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
