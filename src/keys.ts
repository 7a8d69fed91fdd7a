/**
 * `API_KEYS_FILE`: JSON lines with the SHA-256 of each key. A server applies changes within two
 * seconds. While the file is unreadable or invalid, the earlier keys stay valid. Ambiguous lines
 * are errors, so that no key gets more access than intended.
 */
import { hash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { z } from 'zod';
import { stageFile } from '../packages/shared/src/disk/replace-file.ts';
import { systemErrorCode } from '../packages/shared/src/errors.ts';
import { namespaceName } from './config/setting-types.ts';
import './issues.ts';
import { rights } from './rights.ts';

/** The normalized origin of a web page; undefined for patterns, `null`, paths and other schemes. */
export function toOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url &&
    /^https?:\/\/[^*]+$/.test(url.origin) &&
    text.replace(/\/$/, '').toLowerCase() === url.origin
    ? url.origin
    : undefined;
}

const origin = z
  .string()
  .refine((text) => toOrigin(text) === text, 'must be an origin such as https://example.com');

const keyFields = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  name: z.string().regex(/^\P{Cc}{1,100}$/u, 'must be 1 to 100 characters on one line'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case'),
  namespaces: z.union(
    [z.literal('*'), z.array(namespaceName).min(1)],
    'must be "*" or a list of names of namespaces',
  ),
  rights: z.array(z.enum(rights)).min(1),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  origins: z.array(origin).min(1).optional(),
});
/**
 * A key with `origins` is publishable: web pages contain it, so it may only ask and rate, in listed
 * namespaces.
 */
const storedKey = keyFields.refine(
  ({ origins, namespaces, rights: given }) =>
    !origins || (namespaces !== '*' && given.join() === 'ask'),
  'a key with origins must have namespaces and only the right ask',
);
/** A line of the file. */
export type StoredKey = z.infer<typeof storedKey>;

export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

export const hashKey = (key: string): string => hash('sha256', key);

function parseLine(line: string) {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new KeyFileError('is not JSON');
  }
  const { data, error } = storedKey.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new KeyFileError(
    `${issue?.path.map(String).join('.') || 'the line'}: ${issue?.message ?? 'is wrong'}`,
  );
}

/**
 * @param reservedHashes hashes of keys in API_KEYS; a key in both places would have two limits
 * @throws KeyFileError that names the line, but not its content
 */
export function parseKeys(
  text: string,
  reservedHashes: ReadonlySet<string> = new Set(),
): StoredKey[] {
  const ids = new Set<string>();
  const hashes = new Set(reservedHashes);
  return text.split('\n').flatMap((line, position) => {
    if (line.trim() === '') return [];
    try {
      const key = parseLine(line);
      if (ids.has(key.id)) throw new KeyFileError('this id is also in an earlier line');
      if (hashes.has(key.sha256))
        throw new KeyFileError('this key is also in an earlier line or in API_KEYS');
      ids.add(key.id);
      hashes.add(key.sha256);
      return [key];
    } catch (error) {
      throw error instanceof KeyFileError
        ? new KeyFileError(`line ${position + 1}: ${error.message}`)
        : error;
    }
  });
}

/** Changes with every write. */
const versionOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [ino, size, mtimeNs, ctimeNs].join(':');

/** Half of the promised two seconds. */
const pollIntervalMs = 1_000;

const isMissing = (error: unknown) => systemErrorCode(error) === 'ENOENT';

const problemOf = (error: unknown) => {
  if (error instanceof KeyFileError) return error.message;
  return `cannot be read (${systemErrorCode(error) ?? 'unknown'})`;
};

export interface KeyFile {
  /**
   * The key with this hash, unless it has expired. Not in constant time, because a hash reveals
   * nothing about its key.
   */
  find(sha256: string): Promise<StoredKey | undefined>;
  /** Whether a publishable key that has not expired lists the origin. */
  listsOrigin(origin: string): Promise<boolean>;
}

/**
 * Follows the file. @param options.reservedHashes hashes of keys in API_KEYS
 * @throws KeyFileError if it is unreadable or invalid at startup
 */
export function openKeyFile({
  path,
  reservedHashes,
  onWarning,
}: Readonly<{
  path: string;
  reservedHashes: ReadonlySet<string>;
  onWarning: (message: string) => void;
}>): KeyFile {
  const index = (text: string) =>
    new Map(parseKeys(text, reservedHashes).map((key) => [key.sha256, key]));
  let keys: ReadonlyMap<string, StoredKey>;
  let version: string;
  try {
    version = versionOf(statSync(path, { bigint: true }));
    keys = index(readFileSync(path, 'utf8'));
  } catch (error) {
    const problem = isMissing(error)
      ? 'does not exist: create it with the command `keys add --name NAME`'
      : problemOf(error);
    throw new KeyFileError(`API_KEYS_FILE: ${path} ${problem}`);
  }
  let checkedAt = performance.now();
  let reloading: Promise<void> | undefined;
  let isWarned = false;

  async function reloadIfChanged() {
    try {
      // Read before the content, so that the next check finds a concurrent write.
      const found = versionOf(await stat(path, { bigint: true }));
      if (found !== version) keys = index(await readFile(path, 'utf8'));
      version = found;
      isWarned = false;
    } catch (error) {
      if (!isWarned) onWarning(`API_KEYS_FILE ${problemOf(error)}; its earlier keys stay valid`);
      isWarned = true;
    }
  }

  async function follow() {
    if (performance.now() - checkedAt >= pollIntervalMs) {
      checkedAt = performance.now();
      reloading = reloadIfChanged();
    }
    await reloading;
  }
  const isValid = ({ expiresAt }: StoredKey) =>
    expiresAt === undefined || Date.parse(expiresAt) > Date.now();

  return {
    async find(sha256) {
      await follow();
      const key = keys.get(sha256);
      return key && isValid(key) ? key : undefined;
    },
    async listsOrigin(asked) {
      await follow();
      return keys.values().some((key) => key.origins?.includes(asked) === true && isValid(key));
    },
  };
}

/** Empty if the file does not exist. @throws KeyFileError */
async function textOf(path: string) {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw new KeyFileError(`${path} ${problemOf(error)}`);
  }
}

function parseFile(path: string, text: string) {
  try {
    return parseKeys(text);
  } catch (error) {
    throw new KeyFileError(`${path} ${problemOf(error)}`);
  }
}

/** All keys; empty if the file does not exist. @throws KeyFileError */
export const readKeys = async (path: string): Promise<StoredKey[]> =>
  parseFile(path, await textOf(path));

/**
 * Replaces the file atomically, with mode 600. A symbolic link to it stays.
 * @throws KeyFileError if the file is invalid, or was changed concurrently, because writing it
 * would restore revoked keys
 */
export async function editKeys(
  path: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await textOf(target);
  const keys = change(parseFile(path, before));
  const fail = (error: unknown) => {
    const code = systemErrorCode(error);
    throw new KeyFileError(
      `The key file cannot be written (${code}). Check its folder and permissions.`,
    );
  };
  const staged = await stageFile(target, (file) =>
    file.writeFile(keys.map((key) => `${JSON.stringify(key)}\n`).join('')),
  ).catch(fail);
  if ((await textOf(target)) === before) return staged.put().catch(fail);
  await staged.discard();
  throw new KeyFileError(
    `${path} was changed by another process, so nothing was saved. Run the command again`,
  );
}
