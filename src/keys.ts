/**
 * `API_KEYS_FILE`: keys as JSON lines, of which only the SHA-256 is written down. A server follows the file: what is added or revoked
 * counts within two seconds. One that cannot be read any more, or is broken, changes nothing until it is right again. Whatever in it could
 * be misread is an error with its line, so that no key is wider than it was meant to be.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { z } from 'zod';
import { stageFile } from './disk/replace-file.ts';
import { toNamespaceName } from './documents/namespace-name.ts';
import { rights } from './rights.ts';

const namespace = z.string().transform((text, context) => {
  const name = toNamespaceName(text);
  if (name === undefined) context.addIssue({ code: 'custom', message: 'has to be the name of a namespace' });
  return name ?? z.NEVER;
});

/** A line of the file. */
const storedKey = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/, 'has to be 1 to 64 letters, digits, _ or -'),
  name: z.string().regex(/^\P{Cc}{1,100}$/u, 'has to be 1 to 100 characters on one line'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'has to be 64 hexadecimal digits in lower case'),
  namespaces: z.union([z.literal('*'), z.array(namespace).min(1)], 'has to be "*" or a list of names of namespaces'),
  rights: z.array(z.enum(rights)).min(1),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
});
export type StoredKey = z.infer<typeof storedKey>;

export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** Of a key as it is sent. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

function parseLine(line: string): StoredKey {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new KeyFileError('is not JSON');
  }
  const { data, error } = storedKey.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new KeyFileError(`${issue?.path.map(String).join('.') || 'the line'}: ${issue?.message ?? 'is wrong'}`);
}

/**
 * @param taken hashes of keys that are set elsewhere: with two limits, which of them counts could be misread
 * @throws KeyFileError that names the line, and nothing of what stands in it
 */
export function parseKeys(text: string, taken: ReadonlySet<string> = new Set()): StoredKey[] {
  const [ids, hashes] = [new Set<string>(), new Set(taken)];
  return text.split('\n').flatMap((line, position) => {
    if (line.trim() === '') return [];
    try {
      const key = parseLine(line);
      if (ids.has(key.id)) throw new KeyFileError('its id stands above already');
      if (hashes.has(key.sha256)) throw new KeyFileError('its key stands above already, or in API_KEYS');
      ids.add(key.id);
      hashes.add(key.sha256);
      return [key];
    } catch (error) {
      throw error instanceof KeyFileError ? new KeyFileError(`line ${position + 1}: ${error.message}`) : error;
    }
  });
}

/** Of two that are equal, nothing was written in between. */
const versionOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats) => [ino, size, mtimeNs, ctimeNs].join(':');

/** Half of what is promised. */
const lookEveryMs = 1_000;

export interface KeyFileOptions {
  readonly path: string;
  /** Hashes of keys that are set elsewhere. */
  readonly taken: ReadonlySet<string>;
  readonly onWarning: (message: string) => void;
}

const problemOf = (error: unknown) => {
  if (error instanceof KeyFileError) return error.message;
  return `cannot be read (${error instanceof Error && 'code' in error ? error.code : 'unknown'})`;
};

/** The keys of the file as it is now. @throws KeyFileError where it cannot be read, or is broken, at the start */
export function openKeyFile({ path, taken, onWarning }: KeyFileOptions) {
  const index = (text: string) => new Map(parseKeys(text, taken).map((key) => [key.sha256, key]));
  let keys: ReadonlyMap<string, StoredKey>;
  let version: string;
  try {
    version = versionOf(statSync(path, { bigint: true }));
    keys = index(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const problem = isMissing ? 'does not exist: create it with `npm run keys -- add --name NAME`' : problemOf(error);
    throw new KeyFileError(`API_KEYS_FILE: ${path} ${problem}`);
  }
  let lookedAt = performance.now();
  let looking: Promise<void> | undefined;
  let isWarned = false;

  async function look(): Promise<void> {
    try {
      // Before the content: what is written meanwhile is read the next time.
      const found = versionOf(await stat(path, { bigint: true }));
      if (found !== version) keys = index(await readFile(path, 'utf8'));
      version = found;
      isWarned = false;
    } catch (error) {
      if (!isWarned) onWarning(`API_KEYS_FILE ${problemOf(error)}; the keys that it held before count on`);
      isWarned = true;
    }
  }

  return {
    /** The key of a hash, where it is there and has not expired. No part of a hash tells anything of a key, so it is looked up. */
    async find(sha256: string): Promise<StoredKey | undefined> {
      if (performance.now() - lookedAt >= lookEveryMs) {
        lookedAt = performance.now();
        looking = look();
      }
      await looking;
      const key = keys.get(sha256);
      return key?.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now() ? undefined : key;
    },
  };
}

/** Empty where there is no file. @throws KeyFileError */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new KeyFileError(`${path} ${problemOf(error)}`);
  }
}

function parseFile(path: string, text: string): StoredKey[] {
  try {
    return parseKeys(text);
  } catch (error) {
    throw new KeyFileError(`${path} ${problemOf(error)}`);
  }
}

/** As written; none where there is no file. @throws KeyFileError */
export const readKeys = async (path: string): Promise<StoredKey[]> => parseFile(path, await textOf(path));

/**
 * Replaces the file in one step, readable by its owner alone. A link to it stays one.
 * @throws KeyFileError where it is broken, or somebody else has changed it meanwhile: what they revoked would be back
 */
export async function editKeys(path: string, change: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await textOf(target);
  const keys = change(parseFile(path, before));
  const staged = await stageFile(target, (file) => file.writeFile(keys.map((key) => `${JSON.stringify(key)}\n`).join('')));
  if ((await textOf(target)) === before) return staged.put();
  await staged.discard();
  throw new KeyFileError(`${path} was changed meanwhile by somebody else, so nothing was done; try again`);
}
