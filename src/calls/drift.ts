/**
 * What the calling service sends that is not in its published schema, counted by path: fields and values that nobody knows, types that
 * are others than said. Nothing is refused for it. Holds a bounded number of names, whatever is sent.
 */

export interface DriftReport {
  /** Call records that were read. */
  readonly records: number;
  /** Records left out, because they have no `sessionId`. */
  readonly withoutSessionId: number;
  /** Fields by path (`metaData`, `participants[].platform`). */
  readonly unknownFields: Readonly<Record<string, number>>;
  /** Values of closed lists by path and value (`status=canceled`). */
  readonly unknownValues: Readonly<Record<string, number>>;
  /** Fields of another type than said, by path (`totalParticipants`). */
  readonly otherTypes: Readonly<Record<string, number>>;
  /** Required fields that were not there, by path. */
  readonly missingFields: Readonly<Record<string, number>>;
  /** What was found after the lists were full. */
  readonly uncounted: number;
}

export type DriftKind = 'unknownFields' | 'unknownValues' | 'otherTypes' | 'missingFields';

export interface Drift {
  countRecord(hasSessionId: boolean): void;
  count(kind: DriftKind, path: string): void;
  report(): DriftReport;
}

const maxNamesPerKind = 200;
const maxNameChars = 80;

export function createDrift(): Drift {
  const counts: Record<DriftKind, Map<string, number>> = {
    unknownFields: new Map(),
    unknownValues: new Map(),
    otherTypes: new Map(),
    missingFields: new Map(),
  };
  let records = 0;
  let withoutSessionId = 0;
  let uncounted = 0;
  return {
    countRecord(hasSessionId) {
      if (hasSessionId) records++;
      else withoutSessionId++;
    },
    count(kind, path) {
      const name = path.slice(0, maxNameChars).replace(/[^\x20-\x7e]/g, '?');
      const known = counts[kind].get(name);
      if (known === undefined && counts[kind].size >= maxNamesPerKind) uncounted++;
      else counts[kind].set(name, (known ?? 0) + 1);
    },
    report: () => ({
      records,
      withoutSessionId,
      unknownFields: Object.fromEntries(counts.unknownFields),
      unknownValues: Object.fromEntries(counts.unknownValues),
      otherTypes: Object.fromEntries(counts.otherTypes),
      missingFields: Object.fromEntries(counts.missingFields),
      uncounted,
    }),
  };
}
