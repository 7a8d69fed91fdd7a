/**
 * Calls as the webhooks tell them, over those of the file: facts by session, the folded record of each, newest first. A ringing event
 * that names its conversation and no session belongs to the last call of that conversation that rang shortly before.
 */
import type { CallRecord } from '../types.ts';
import { type CallFacts, joinFacts } from '../webhooks/call-facts.ts';
import { foldCall } from '../webhooks/fold-call.ts';
import { type CallFields, toFields } from './call-fields.ts';
import { compareCalls } from './call-table.ts';

/** What the file has of a session. */
export interface FiledCall {
  readonly row: number;
  readonly record: CallRecord;
}

export interface ToldCall {
  readonly record: CallRecord;
  readonly fields: CallFields;
  /** The row of the file that it stands for. */
  readonly row: number | undefined;
}

export interface ToldCalls {
  get(sessionId: string): ToldCall | undefined;
  /** Newest first. */
  list(): readonly ToldCall[];
  /** @returns the facts that are new, to be kept; undefined where nothing was */
  join(facts: CallFacts): CallFacts | undefined;
  /** Of `facts`. */
  count(): number;
  /** Everything that was said, one entry for a call, and what has found no call yet. */
  facts(): CallFacts[];
  /** Folds all anew, over another file. */
  refold(): void;
}

/** A phone does not ring longer. */
const ringsAtMostSeconds = 600;
const maxUnplaced = 1_000;

const isSame = (a: CallFacts | undefined, b: CallFacts) => a !== undefined && JSON.stringify(a) === JSON.stringify(b);

const compareTold = ({ fields: a }: ToldCall, { fields: b }: ToldCall) =>
  compareCalls(a.numbers.initiatedAt, a.sessionId, b.numbers.initiatedAt, b.sessionId);

/** The place of a call in a list, or where it would stand. */
function placeOf(list: readonly ToldCall[], call: ToldCall): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTold(list[middle] as ToldCall, call) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function createToldCalls(inFile: (sessionId: string) => FiledCall | undefined): ToldCalls {
  const said = new Map<string, CallFacts>();
  const told = new Map<string, ToldCall>();
  const sessionsOf = new Map<string, Set<string>>();
  let unplaced: CallFacts[] = [];
  let sorted: ToldCall[] = [];

  function fold(sessionId: string, facts: CallFacts): void {
    const filed = inFile(sessionId);
    const record = foldCall(filed?.record, facts);
    const fields = toFields(record);
    if (!record || !fields) return;
    const [before, call] = [told.get(sessionId), { record, fields, row: filed?.row }];
    if (before) sorted.splice(placeOf(sorted, before), 1);
    sorted.splice(placeOf(sorted, call), 0, call);
    told.set(sessionId, call);
  }

  const rangBefore = ({ conversation, outcome }: CallFacts, { conversation: other, initiatedAt }: CallFacts) =>
    conversation === other &&
    outcome !== undefined &&
    initiatedAt !== undefined &&
    initiatedAt <= outcome.at &&
    outcome.at - initiatedAt <= ringsAtMostSeconds;

  function sessionFor(facts: CallFacts): string | undefined {
    const rang = [...(sessionsOf.get(facts.conversation ?? '') ?? [])].filter((id) => rangBefore(facts, said.get(id) ?? {}));
    return rang.sort((a, b) => (said.get(b)?.initiatedAt ?? 0) - (said.get(a)?.initiatedAt ?? 0))[0];
  }

  function joinPlaced(sessionId: string, facts: CallFacts): CallFacts | undefined {
    const known = said.get(sessionId);
    let joined = joinFacts(known ?? {}, { ...facts, sessionId });
    if (isSame(known, joined)) return undefined;
    if (joined.conversation !== undefined) {
      const sessions = sessionsOf.get(joined.conversation) ?? new Set();
      sessionsOf.set(joined.conversation, sessions.add(sessionId));
      for (const waiting of unplaced.filter((other) => rangBefore(other, joined))) {
        unplaced = unplaced.filter((other) => other !== waiting);
        joined = joinFacts(joined, { ...waiting, sessionId });
      }
    }
    said.set(sessionId, joined);
    fold(sessionId, joined);
    return { ...facts, sessionId };
  }

  return {
    get: (sessionId) => told.get(sessionId),

    list: () => sorted,
    count: () => said.size + unplaced.length,

    join(facts) {
      const sessionId = facts.sessionId ?? sessionFor(facts);
      if (sessionId !== undefined) return joinPlaced(sessionId, facts);
      if (unplaced.some((other) => isSame(other, facts))) return undefined;
      unplaced = [...unplaced, facts].slice(-maxUnplaced);
      return facts;
    },

    facts: () => [...said.values(), ...unplaced],

    refold() {
      // Newest first, because neighbours in the file are packed together.
      const order = new Set([...sorted.map(({ fields }) => fields.sessionId), ...said.keys()]);
      told.clear();
      sorted = [];
      for (const sessionId of order) fold(sessionId, said.get(sessionId) as CallFacts);
    },
  };
}
