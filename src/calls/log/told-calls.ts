/**
 * Calls as the webhooks tell them, over those of the file: facts by session, the folded record of each, newest first. A ringing event
 * that names its conversation and no session belongs to the last call of that conversation that rang shortly before.
 */
import type { CallRecord } from '../types.ts';
import { type CallFacts, joinFacts } from '../webhooks/call-facts.ts';
import { foldCall } from '../webhooks/fold-call.ts';
import { type CallFields, toFields } from './call-fields.ts';
import { compareCalls } from './call-table.ts';

export interface ToldCall {
  readonly record: CallRecord;
  readonly fields: CallFields;
}

export interface ToldCalls {
  get(sessionId: string): ToldCall | undefined;
  /** Newest first. */
  list(): readonly ToldCall[];
  /** @returns the facts that are new, to be kept; undefined where nothing was */
  join(facts: CallFacts): CallFacts | undefined;
  /** Everything that was said, one entry for a call, and what has found no call yet. */
  facts(): CallFacts[];
  /** Folds all anew, over another file. */
  refold(): void;
}

/** A phone does not ring longer. */
const ringsAtMostSeconds = 600;
const maxUnplaced = 1_000;

const isSame = (a: CallFacts | undefined, b: CallFacts) => a !== undefined && JSON.stringify(a) === JSON.stringify(b);

/** @param recordInFile what the file has of a session */
export function createToldCalls(recordInFile: (sessionId: string) => CallRecord | undefined): ToldCalls {
  const said = new Map<string, CallFacts>();
  const told = new Map<string, ToldCall>();
  const sessionsOf = new Map<string, Set<string>>();
  let unplaced: CallFacts[] = [];
  let sorted: ToldCall[] | undefined;

  function fold(sessionId: string, facts: CallFacts): void {
    const record = foldCall(recordInFile(sessionId), facts);
    const fields = toFields(record);
    if (record && fields) told.set(sessionId, { record, fields });
    sorted = undefined;
  }

  function list(): readonly ToldCall[] {
    sorted ??= [...told.values()].sort((a, b) =>
      compareCalls(a.fields.numbers.initiatedAt, a.fields.sessionId, b.fields.numbers.initiatedAt, b.fields.sessionId),
    );
    return sorted;
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

    list,

    join(facts) {
      const sessionId = facts.sessionId ?? sessionFor(facts);
      if (sessionId !== undefined) return joinPlaced(sessionId, facts);
      if (unplaced.some((other) => isSame(other, facts))) return undefined;
      unplaced = [...unplaced, facts].slice(-maxUnplaced);
      return facts;
    },

    facts: () => [...said.values(), ...unplaced],

    refold() {
      // Neighbours in the file are packed together.
      const order = new Map(list().map(({ fields }, place) => [fields.sessionId, place]));
      const placeOf = (sessionId: string) => order.get(sessionId) ?? order.size;
      told.clear();
      for (const [sessionId, facts] of [...said].sort(([a], [b]) => placeOf(a) - placeOf(b))) fold(sessionId, facts);
    },
  };
}
