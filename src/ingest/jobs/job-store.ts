/**
 * Where jobs are written down, and who runs them: one process alone, or any of several that share a store. What happens to a job is
 * written by whoever has claimed it; who has lost the claim cannot write any more.
 */
import { fairShare } from '../../concurrency/fair-share.ts';
import type { Job, JobLine } from './job.ts';

/** A job that has not ended and that nobody runs. */
export interface WaitingJob {
  readonly id: string;
  readonly owner: string;
}

export interface HeldJob {
  readonly id: string;
  /** Somebody wants it ended. */
  readonly isCancelled: boolean;
  readonly forgotten: readonly string[];
}

export interface StoredJob {
  readonly job: Job;
  /** Its end is not written down. */
  readonly isLive: boolean;
}

/** Where a store is away, everything throws KnowledgeError `storage_unavailable`. */
export interface JobStore {
  /** How often to look for jobs that other processes took in, or left; undefined where there are no others. Milliseconds. */
  readonly lookEveryMs: number | undefined;
  open(): Promise<void>;
  /** Resolves when it is written down. @param check given the jobs that wait; what it throws refuses the job */
  add(job: Job, check: (waiting: readonly WaitingJob[]) => void): Promise<void>;
  /** In the order of their turns. Where there are no other processes, also those at work. */
  waiting(): Promise<readonly WaitingJob[]>;
  /**
   * Gives a live job that no other process runs, as it is after its last line, to be run or ended by this one; undefined where there is
   * none. Run, the other jobs of its owner go to the end; to be cancelled, whoever runs it is told so.
   */
  claim(id: string, why: 'run' | 'cancel'): Promise<{ readonly job: Job; readonly isCancelled: boolean } | undefined>;
  hold(ids: readonly string[]): Promise<readonly HeldJob[]>;
  /** Saves `stopped` without the claim too. @param line applied to the job already @returns false where this process does not have the job any more */
  append(id: string, line: JobLine): Promise<boolean>;
  /** Writes down the end, and forgets the oldest jobs. @param job with its end @returns as `append` */
  end(job: Job): Promise<boolean>;
  read(id: string): Promise<StoredJob | undefined>;
  isBusy(namespace: string, owner: string): Promise<boolean>;
  /** Removes the jobs of a namespace; who runs them has them no more. @returns whether any had not ended */
  forgetNamespace(namespace: string): Promise<boolean>;
  forgetDocument(namespace: string, documentId: string): Promise<void>;
}

const jobId = /^[0-9a-f-]{36}$/;
export const isJobId = (id: string): boolean => jobId.test(id);

/** Reports of older jobs are forgotten, first of those who have most. */
export const maxEndedJobs = 200;

export function overdueJobs<Ended>(ended: readonly Ended[], ownerOf: (job: Ended) => string): Ended[] {
  const kept = new Set(fairShare(ended, maxEndedJobs, ownerOf));
  return ended.filter((job) => !kept.has(job));
}
