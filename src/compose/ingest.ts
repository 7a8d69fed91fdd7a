/** Composes ingestion: single requests, jobs and schedules. */
import { join, resolve } from 'node:path';
import { createParserProcess, createSourceParser } from '../../packages/converters/src/parse.ts';
import { createStorageQuota } from '../documents/storage-quota.ts';
import { Documents } from '../ingest/documents.ts';
import { createAddressGuard } from '../ingest/fetch/address-guard.ts';
import { createFileRoots, createLoader } from '../ingest/fetch/load.ts';
import { createOutbound, withRetries } from '../ingest/fetch/outbound.ts';
import { createPathLister, createStoredPath } from '../ingest/folder.ts';
import { Jobs } from '../ingest/jobs/jobs.ts';
import { createIngestAndWait, createRun, type IngestAndWait } from '../ingest/run.ts';
import { Schedules } from '../ingest/schedules.ts';
import { type IngestUpload, Uploads } from '../ingest/uploads.ts';
import type { Metrics } from '../metrics.ts';
import { noteRow } from '../trace.ts';
import type { SearchParts } from './search.ts';
import { reportTo, type SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

export interface IngestionParts {
  readonly ingestNow: IngestAndWait;
  readonly ingestUpload: IngestUpload;
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  readonly documents: Documents;
  readonly uploads: Uploads;
}

/** @param metrics counts finished sources and ended jobs */
export function composeIngest(
  setting: SharedParts,
  search: SearchParts,
  state: State,
  metrics: Pick<Metrics, 'rowDone' | 'jobEnded'>,
): IngestionParts {
  const { documents: store, writes, mirror, namespaces } = search;
  const {
    forget,
    reserve: { withReserve },
  } = state;
  const { config, indexDir, logger, clock, onWarning, replacements, diskCheck } = setting;
  const onUnexpected = reportTo(logger, 'a source failed unexpectedly');
  const maxBytes = config.maxSourceBytes;
  const guard = createAddressGuard(config.allowedUrlHosts);
  const outbound = withRetries(createOutbound({ guard, maxBytes }));
  const roots = createFileRoots({ roots: config.allowedFileRoots, workingDirectory: resolve('.') });
  const storedPath = createStoredPath(roots);
  const run = createRun({
    namespaces,
    store,
    writes,
    loader: createLoader(roots, outbound, maxBytes),
    parse: createSourceParser(replacements.parseInProcess ?? createParserProcess(), maxBytes),
    clock,
    onRemoved: (documentId) => forget({ documentIds: [documentId] }),
    reserveStorage: createStorageQuota(namespaces, config.storage),
    sourceTimeoutMs: replacements.sourceTimeoutMs,
    listPath: createPathLister(namespaces, roots, storedPath),
    get: outbound,
    schedule: (...set) => schedules.set(...set),
    onRow: (row) => {
      metrics.rowDone(row);
      diskCheck.failed(row.error?.code);
      noteRow(row.status);
    },
    onUnexpected,
  });
  const ingestNow = createIngestAndWait(run);
  const { maxRunningJobs: maxRunning, maxWaitingJobs: maxWaiting } = config;
  const jobs = new Jobs({
    run,
    store: state.jobs,
    clock,
    onUnexpected,
    onWarning,
    onEnded: metrics.jobEnded,
    maxRunning,
    maxWaiting,
  });
  const schedules = new Schedules({ store: state.schedules, jobs, clock, onWarning });
  const syncNow = async () => mirror?.syncNow();
  const documents = new Documents({
    namespaces,
    writes,
    syncNow,
    jobs,
    schedules,
    forget,
    storedPath,
    withReserve,
    pathCandidates: roots.candidates,
  });
  const uploads = new Uploads({
    folder: join(indexDir, 'uploads'),
    maxFileBytes: maxBytes,
    ingestNow,
  });
  return { ingestNow, ingestUpload: uploads.ingest, jobs, schedules, documents, uploads };
}
