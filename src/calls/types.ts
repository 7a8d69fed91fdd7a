/**
 * The glossary of the calls: what the calling service lists, what may be asked for, and the port behind which either the real service
 * or the embedded call log answers. The wire is the one of `GET /v3/calls`; unknown fields and values of a record pass through.
 */

/** Comparisons that all have to hold; `eq` is what a bare value means. */
export interface Comparison {
  readonly eq?: number;
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
}

export const callTypes = ['voice', 'video'] as const;
export const callModes = ['call', 'meet', 'presenter'] as const;
export const callStatuses = ['initiated', 'cancelled', 'unanswered', 'rejected', 'busy', 'ongoing', 'ended'] as const;
export const receiverTypes = ['user', 'group'] as const;

export type CallType = (typeof callTypes)[number];
export type CallMode = (typeof callModes)[number];
export type CallStatus = (typeof callStatuses)[number];
export type ReceiverType = (typeof receiverTypes)[number];

/**
 * Everything that is given has to hold; an empty list and a comparison without an operator ask nothing. Times are unix seconds, durations
 * and minutes decimal minutes.
 */
export interface CallsFilter {
  /** `voice` finds records whose type is `audio`. */
  readonly type?: CallType;
  readonly types?: readonly CallType[];
  readonly mode?: CallMode;
  /** `cancelled` finds records that say `canceled` as well. */
  readonly status?: CallStatus;
  readonly statuses?: readonly CallStatus[];
  readonly receiverType?: ReceiverType;
  /** Exactly this many (`totalParticipants`). */
  readonly participantsCount?: number;
  readonly totalParticipants?: Comparison;
  readonly initiatedAt?: Comparison;
  /** A call without the time is found by no comparison of it. */
  readonly startedAt?: Comparison;
  readonly endedAt?: Comparison;
  /** Of `totalDurationInMinutes`. */
  readonly duration?: Comparison;
  /** Of `totalAudioMinutes`. */
  readonly voiceMinutes?: Comparison;
  /** Of `totalVideoMinutes`. */
  readonly videoMinutes?: Comparison;
  readonly hasRecording?: boolean;
  /** A user who is the call's initiator, its receiver (where that is a user) or one of its participants. */
  readonly uid?: string;
  /** From 1. */
  readonly page?: number;
  /** 1 to 100, 30 where it is not given. */
  readonly perPage?: number;
}

export interface Participant {
  readonly uid: string;
  readonly totalAudioMinutes: number;
  readonly totalVideoMinutes: number;
  /** Minutes. */
  readonly totalDuration: number;
  readonly isJoined: boolean;
  readonly state: string;
  readonly deviceId?: string;
  readonly joinedAt?: number;
  readonly leftAt?: number;
  readonly mid?: string;
  readonly [unknown: string]: unknown;
}

export interface CallRecord {
  readonly sessionId: string;
  readonly totalAudioMinutes: number;
  readonly totalVideoMinutes: number;
  /** `HH:MM:SS`. */
  readonly totalDuration: string;
  readonly totalDurationInMinutes: number;
  readonly hasRecording: boolean;
  readonly initiatedAt: number;
  /** Missing where the call never started. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly initiator: string;
  readonly mode: string;
  readonly receiver: string;
  readonly receiverType: string;
  readonly status: string;
  readonly totalParticipants: number;
  /** `audio` or `video`; others pass. */
  readonly type: string;
  readonly mid: string;
  readonly participants: readonly Participant[];
  readonly [unknown: string]: unknown;
}

export interface Pagination {
  readonly total: number;
  /** Records on this page. */
  readonly count: number;
  readonly per_page: number;
  readonly current_page: number;
  /** At least 1, also where nothing was found, as the paginator counts whose fields the platform's answers carry (Laravel's). */
  readonly total_pages: number;
}

/** Newest first by `initiatedAt`; of the same second by `sessionId`, descending. A page beyond the end has no data, and right figures. */
export interface CallsPage {
  readonly data: readonly CallRecord[];
  readonly meta: { readonly pagination: Pagination };
}

export interface CallsRequestOptions {
  /** Only calls of this user, as the filter `uid` finds them; an empty one has none. Sent upstream as the header `onBehalfOf`. */
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where calls come from. */
export interface CallSource {
  list(filter: CallsFilter, options?: CallsRequestOptions): Promise<CallsPage>;
  /** @throws CallsError `ERR_CALL_SESSION_NOT_FOUND` */
  get(sessionId: string, options?: CallsRequestOptions): Promise<CallRecord>;
}
