/** The filters of `calls list` and `calls stats` as a person types them → a filter of calls. */
import { type CallsFilter, callModes, callStatuses, callTypes, receiverTypes } from '../calls/types.ts';
import { UsageError } from './command.ts';

export const filterOptions = {
  type: { type: 'string', multiple: true },
  status: { type: 'string', multiple: true },
  mode: { type: 'string' },
  'receiver-type': { type: 'string' },
  uid: { type: 'string', short: 'u' },
  since: { type: 'string' },
  until: { type: 'string' },
  'min-minutes': { type: 'string' },
  'max-minutes': { type: 'string' },
  recorded: { type: 'boolean' },
} as const;

export const filterHelp = `  -u, --uid UID             calls that this user made, received or took part in
      --status STATUS       initiated, cancelled, unanswered, rejected, busy, ongoing, ended; several by commas
      --type TYPE           voice, video
      --mode MODE           call, meet, presenter
      --receiver-type TYPE  user, group
      --since TIME          begun at or after: 7d, 24h, 90m ago, or 2026-11-01, or 2026-11-01T09:00Z
      --until TIME          begun before
      --min-minutes N       lasted at least
      --max-minutes N       lasted at most
      --recorded            with a recording`;

export interface FilterValues {
  readonly type?: string[] | undefined;
  readonly status?: string[] | undefined;
  readonly mode?: string | undefined;
  readonly 'receiver-type'?: string | undefined;
  readonly uid?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly 'min-minutes'?: string | undefined;
  readonly 'max-minutes'?: string | undefined;
  readonly recorded?: boolean | undefined;
}

const secondsOf = { m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** Unix seconds; a day without a time begins at midnight, UTC. */
function parseTime(option: string, text: string, now: Date): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago) return Math.floor(now.getTime() / 1000) - Number(ago[1]) * secondsOf[ago[2] as keyof typeof secondsOf];
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new UsageError(`--${option} has to be a time such as 7d, 24h or 2026-11-01.`);
  return Math.floor(moment / 1000);
}

function choose<T extends string>(option: string, given: string, values: readonly T[]): T {
  const found = values.find((value) => value === given.trim().toLowerCase());
  if (found === undefined) throw new UsageError(`--${option} has to be one of ${values.join(', ')}; "${given}" is none.`);
  return found;
}

const chooseSome = <T extends string>(option: string, given: readonly string[], values: readonly T[]): T[] =>
  given.flatMap((list) => list.split(',')).map((one) => choose(option, one, values));

function minutes(option: string, given: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(given)) throw new UsageError(`--${option} has to be a number of minutes.`);
  return Number(given);
}

export function toFilter(values: FilterValues, now: Date): CallsFilter {
  const { type, status, mode, uid, since, until, recorded } = values;
  const [receiverType, least, most] = [values['receiver-type'], values['min-minutes'], values['max-minutes']];
  const begun = {
    ...(since === undefined ? {} : { gte: parseTime('since', since, now) }),
    ...(until === undefined ? {} : { lt: parseTime('until', until, now) }),
  };
  const lasted = {
    ...(least === undefined ? {} : { gte: minutes('min-minutes', least) }),
    ...(most === undefined ? {} : { lte: minutes('max-minutes', most) }),
  };
  return {
    ...(type ? { types: chooseSome('type', type, callTypes) } : {}),
    ...(status ? { statuses: chooseSome('status', status, callStatuses) } : {}),
    ...(mode === undefined ? {} : { mode: choose('mode', mode, callModes) }),
    ...(receiverType === undefined ? {} : { receiverType: choose('receiver-type', receiverType, receiverTypes) }),
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(begun).length > 0 ? { initiatedAt: begun } : {}),
    ...(Object.keys(lasted).length > 0 ? { duration: lasted } : {}),
    ...(recorded ? { hasRecording: true } : {}),
  };
}
