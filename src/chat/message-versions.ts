/**
 * Versions of a chat message, for several servers: its text is version 0, and each edit or delete
 * claims the next version. Before a server sends an answer, it claims the version after its own. So
 * one answer is sent, to the newest version.
 */
import type { ChatDeliveryRows } from '../records/chat-delivery-table.ts';

/** Stores which messages are being answered or were answered, each by several keys. */
export type ChatDeliveries = Pick<ChatDeliveryRows, 'stateOf' | 'begin' | 'end' | 'close'>;

/** A version of a message that this server answers. `keys`: to settle with it. */
export type VersionClaim = Readonly<{ key: string; version: number; keys: readonly string[] }>;

const versionKeyOf = (message: string, version: number) => `${message} ${version}`;
const sendingKeyOf = (message: string) => `${message} sending`;

/** Claims a new message. @returns undefined if it is a duplicate */
export const claimMessage = async (
  { begin }: ChatDeliveries,
  keys: readonly string[],
): Promise<VersionClaim | undefined> =>
  (await begin(keys)) ? { key: keys.at(-1) ?? '', version: 0, keys } : undefined;

/** Claims an edit or a delete. @returns undefined unless the message waits for its answer */
export async function claimChange(
  { stateOf, begin }: ChatDeliveries,
  message: string,
): Promise<VersionClaim | undefined> {
  let newest = await stateOf([message]);
  for (let version = 1; newest !== undefined; version++) {
    if ((await stateOf([sendingKeyOf(message)])) !== undefined) return undefined;
    const key = versionKeyOf(message, version);
    const known = await stateOf([key]);
    if (known === undefined && newest === 'settled') return undefined;
    if (known === undefined && (await begin([key]))) return { key: message, version, keys: [key] };
    newest = known ?? 'waiting';
  }
  return undefined;
}

/** The right to send the answer to a version. */
export function sendingRight({ begin, end }: ChatDeliveries, { key, version }: VersionClaim) {
  const keys = [versionKeyOf(key, version + 1), sendingKeyOf(key)];
  let isOwn = false;
  return {
    /** While the storage is away, an answer to an old text is better than none. */
    acquire: async () => {
      try {
        isOwn = await begin(keys);
        return isOwn;
      } catch {
        return true;
      }
    },
    release: async () => {
      if (isOwn) await end(keys, false);
    },
  };
}
