/** Whether a record that somebody brings can be kept: what is there has to be of its kind; what nobody knows passes. */
import { toFields, toNumber } from '../log/call-fields.ts';

const numbers = [
  'initiatedAt',
  'startedAt',
  'endedAt',
  'totalAudioMinutes',
  'totalVideoMinutes',
  'totalDurationInMinutes',
  'totalParticipants',
];
const texts = ['initiator', 'mode', 'receiver', 'receiverType', 'status', 'type', 'mid'];
/** Ten digits, as every time of the platform: milliseconds would sort a call into a far future. */
const [firstTime, lastTime] = [1_000_000_000, 9_999_999_999];

const isGiven = (value: unknown) => value !== undefined && value !== null;

/** @returns what is wrong, as a sentence; undefined: nothing */
export function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'This is not a call record.';
  const record = value as Readonly<Record<string, unknown>>;
  if (typeof record['sessionId'] !== 'string' || record['sessionId'] === '') return 'sessionId is missing.';
  if (!isGiven(record['initiatedAt'])) return 'initiatedAt is missing.';
  for (const name of numbers) {
    if (!isGiven(record[name])) continue;
    const number = toNumber(record[name]);
    if (!Number.isFinite(number) || number < 0) return `${name} has to be a number from 0.`;
    if (name.endsWith('edAt') && (number < firstTime || number > lastTime)) return `${name} has to be unix seconds, of ten digits.`;
  }
  for (const name of texts) if (isGiven(record[name]) && typeof record[name] !== 'string') return `${name} has to be a text.`;
  if (isGiven(record['hasRecording']) && typeof record['hasRecording'] !== 'boolean') return 'hasRecording has to be true or false.';
  const participants = record['participants'];
  if (isGiven(participants) && !(Array.isArray(participants) && participants.every((one) => typeof one === 'object' && one !== null)))
    return 'participants has to be a list of objects.';
  return toFields(record) ? undefined : 'This is not a call record.';
}
