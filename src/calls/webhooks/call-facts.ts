/**
 * What the platform's events say of one call. Facts are joined, never overwritten: in any order, any number of times, the result is the
 * same, because the platform delivers again after a slow answer and keeps no order.
 */

/** One time of being in a call; who comes back has another one. */
export interface Stay {
  /** Empty where the event gives a name alone. */
  readonly uid: string;
  readonly name: string;
  readonly joinedAt: number;
  readonly leftAt?: number | undefined;
  readonly isAudio?: boolean | undefined;
}

/** How a call ended that never started. */
export interface Outcome {
  readonly status: string;
  readonly at: number;
}

/** Times are unix seconds. */
export interface CallFacts {
  /** Undefined where the event names the conversation alone. */
  readonly sessionId?: string | undefined;
  readonly conversation?: string | undefined;
  readonly initiatedAt?: number | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly isEnded?: boolean | undefined;
  readonly outcome?: Outcome | undefined;
  readonly type?: string | undefined;
  readonly mode?: string | undefined;
  readonly initiator?: string | undefined;
  readonly receiver?: string | undefined;
  readonly receiverType?: string | undefined;
  readonly hasRecording?: boolean | undefined;
  /** Who is called what; a name of two users belongs to none of them. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly stays?: readonly Stay[] | undefined;
}

const pick = <T>(a: T | undefined, b: T | undefined, better: (a: T, b: T) => T): T | undefined =>
  a === undefined ? b : b === undefined ? a : better(a, b);
const earlier = (a: number | undefined, b: number | undefined) => pick(a, b, Math.min);
const later = (a: number | undefined, b: number | undefined) => pick(a, b, Math.max);
/** Two events that contradict one another have to be settled the same way in both orders. */
const either = (a: string | undefined, b: string | undefined) => pick(a, b, (one, other) => (one < other ? one : other));
const any = (a: boolean | undefined, b: boolean | undefined) => (a || b ? true : undefined);

const lastOutcome = (a: Outcome, b: Outcome) => (a.at > b.at || (a.at === b.at && a.status < b.status) ? a : b);

const stayKey = ({ uid, name, joinedAt }: Stay) => JSON.stringify([uid, name, joinedAt]);

function joinStays(a: readonly Stay[], b: readonly Stay[]): Stay[] {
  const stays = new Map<string, Stay>();
  for (const stay of [...a, ...b]) {
    const known = stays.get(stayKey(stay));
    const { uid, name, joinedAt } = stay;
    const leftAt = later(known?.leftAt, stay.leftAt);
    const isAudio = pick(known?.isAudio, stay.isAudio, (one, other) => one || other);
    stays.set(stayKey(stay), { uid, name, joinedAt, leftAt, isAudio });
  }
  return [...stays]
    .sort(([one, oneStay], [other, otherStay]) => oneStay.joinedAt - otherStay.joinedAt || (one < other ? -1 : 1))
    .map(([, stay]) => stay);
}

/** People choose their names: `constructor` is one. */
export const uidOfName = (names: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;

function joinNames(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Map(Object.entries(a));
  for (const [name, uid] of Object.entries(b)) names.set(name, names.has(name) && names.get(name) !== uid ? '' : uid);
  return Object.fromEntries([...names].sort());
}

export function joinFacts(a: CallFacts, b: CallFacts): CallFacts {
  const names = joinNames(a.names ?? {}, b.names ?? {});
  const stays = joinStays(a.stays ?? [], b.stays ?? []);
  const joined: CallFacts = {
    sessionId: a.sessionId ?? b.sessionId,
    conversation: either(a.conversation, b.conversation),
    initiatedAt: earlier(a.initiatedAt, b.initiatedAt),
    startedAt: earlier(a.startedAt, b.startedAt),
    endedAt: later(a.endedAt, b.endedAt),
    isEnded: any(a.isEnded, b.isEnded),
    outcome: pick(a.outcome, b.outcome, lastOutcome),
    type: either(a.type, b.type),
    mode: either(a.mode, b.mode),
    initiator: either(a.initiator, b.initiator),
    receiver: either(a.receiver, b.receiver),
    receiverType: either(a.receiverType, b.receiverType),
    hasRecording: any(a.hasRecording, b.hasRecording),
    names: Object.keys(names).length > 0 ? names : undefined,
    stays: stays.length > 0 ? stays : undefined,
  };
  // In one form, so that two that say the same are written the same.
  return JSON.parse(JSON.stringify(joined));
}
