/** `npm run keys -- add | list | revoke`: the file of keys that a server follows. A key is shown once, when it is made, and never kept. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { systemErrorCode } from '../errors.ts';
import { parseInterval } from '../ingest/source.ts';
import { editKeys, hashKey, KeyFileError, readKeys, type StoredKey } from '../keys.ts';
import { shownLine } from '../language/invisible.ts';
import { defaultRights, type Right, readRights, rights } from '../rights.ts';
import { type Command, chooseCommand, createCommand, exitCodes, onlyOne, parseCommandConfig, UsageError } from './command.ts';
import { cell, print, printJson, tableLines, warn } from './terminal.ts';

const fileHelp = `  -f, --file PATH       the file of keys (default: API_KEYS_FILE, from the environment or .env)
      --json            print JSON
  -h, --help`;

const help = {
  keys: `The keys that callers send: a file with their hashes, which a running server follows within two seconds.

  npm run keys -- add --name NAME [--namespaces a+b] [--rights read+write] [--expires 90d]
  npm run keys -- list
  npm run keys -- revoke ID

Each with --help for more.
`,
  add: `Make a key. It is printed on standard output, once; the file keeps its SHA-256 alone.

  npm run keys -- add --name NAME [options]

      --name NAME       whose it is, for whoever reads the list
      --namespaces A+B  the namespaces that it is for (default: all)
      --rights A+B      of ${rights.join(', ')} (default: all; with --namespaces read and write)
      --expires TIME    ends after 90d, 24h or 30m, a year at most (default: never)
${fileHelp}

Exit code: 0 done, 1 failed, 2 wrong arguments.
`,
  list: `The keys of the file, without the keys themselves.

  npm run keys -- list [options]

${fileHelp}

The id of a key that was made here is what the log of the server calls its caller: key:<id>.
Exit code: 0 done, 1 failed, 2 wrong arguments.
`,
  revoke: `Remove a key. Servers that follow the file refuse it within two seconds.

  npm run keys -- revoke ID [options]

${fileHelp}

Exit code: 0 done, 1 failed or no such key, 2 wrong arguments.
`,
};

/** Says what it is, to people and to whoever scans for secrets. */
const keyPrefix = 'ka_';
const keyBytes = 32;
const idChars = 12;

const fileOption = { file: { type: 'string', short: 'f' } } as const;

function pathOf({ file }: { readonly file?: string | undefined }, environment: NodeJS.ProcessEnv): string {
  const path = file ?? parseCommandConfig(environment).apiKeysFile;
  if (path === undefined) throw new UsageError('Say which file with --file PATH, or set API_KEYS_FILE.');
  return resolve(path);
}

const wordsOf = (list: string) => list.split(/[+,]/).map((word) => word.trim());

function namespacesOf(list: string | undefined): StoredKey['namespaces'] {
  if (list === undefined) return '*';
  return wordsOf(list).map((word) => {
    const name = toNamespaceName(word);
    if (name === undefined) throw new UsageError(`--namespaces: "${word}" is not a namespace name.`);
    return name;
  });
}

function rightsIn(list: string | undefined, isLimited: boolean): Right[] {
  // Calls are in no namespace, so a limited key has them where that is said.
  if (list === undefined) return defaultRights(isLimited).filter((right) => !isLimited || right !== 'calls');
  const given = readRights(wordsOf(list));
  if (!given) throw new UsageError(`--rights has to be a list of ${rights.join(', ')}, such as read+write.`);
  return given;
}

function expiryOf(interval: string | undefined, now: number): Pick<StoredKey, 'expiresAt'> {
  if (interval === undefined) return {};
  const ms = parseInterval(interval);
  if (ms === undefined) throw new UsageError('--expires has to be a time such as 90d, 24h or 30m, a year at most.');
  return { expiresAt: new Date(now + ms).toISOString() };
}

const describeScope = ({ namespaces, rights: given }: StoredKey) =>
  `${given.join('+')} in ${namespaces === '*' ? 'every namespace' : namespaces.join('+')}`;

const addOptions = {
  ...fileOption,
  name: { type: 'string' },
  namespaces: { type: 'string' },
  rights: { type: 'string' },
  expires: { type: 'string' },
} as const;

const addCommand = createCommand({ help: help.add, options: addOptions, allowPositionals: false }, async ({ values }, environment) => {
  const name = values.name?.trim();
  if (!name || !/^\P{Cc}{1,100}$/u.test(name)) throw new UsageError('--name is needed: 1 to 100 characters that say whose key it is.');
  const namespaces = namespacesOf(values.namespaces);
  const given = rightsIn(values.rights, namespaces !== '*');
  const path = pathOf(values, environment);
  const key = keyPrefix + randomBytes(keyBytes).toString('base64url');
  const sha256 = hashKey(key);
  const now = Date.now();
  const expiry = expiryOf(values.expires, now);
  const id = sha256.slice(0, idChars);
  const stored: StoredKey = { id, name, sha256, namespaces, rights: given, createdAt: new Date(now).toISOString(), ...expiry };
  await editKeys(path, (keys) => [...keys, stored]);
  if (values.json) printJson({ key, ...stored });
  else {
    print(`${key}\n`);
    warn(`Key ${id} of ${shownLine(name)}: ${describeScope(stored)}${expiry.expiresAt ? `, until ${expiry.expiresAt}` : ''}.`);
    warn('It is not shown again.');
  }
  return exitCodes.done;
});

function toRow({ id, name, namespaces, rights: given, createdAt, expiresAt }: StoredKey, now: number): string[] {
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now;
  const until = expiresAt === undefined ? 'never' : `${expiresAt.slice(0, 16)}Z${isOver ? ' (over)' : ''}`;
  return [
    cell(id),
    cell(name, 40),
    cell(namespaces === '*' ? '*' : namespaces.join('+'), 40),
    given.join('+'),
    createdAt.slice(0, 10),
    until,
  ];
}

const listForm = { help: help.list, options: fileOption, allowPositionals: false } as const;
const listKeysCommand = createCommand(listForm, async ({ values }, environment) => {
  const keys = await readKeys(pathOf(values, environment));
  const head = ['id', 'name', 'namespaces', 'rights', 'made', 'ends'];
  if (values.json) printJson({ keys: keys.map(({ sha256: _, ...key }) => key) });
  else if (keys.length === 0) print('There is no key.\n');
  else
    print(
      `${tableLines(
        head,
        keys.map((key) => toRow(key, Date.now())),
      ).join('\n')}\n`,
    );
  return exitCodes.done;
});

const revokeForm = { help: help.revoke, options: fileOption, allowPositionals: true } as const;
const revokeCommand = createCommand(revokeForm, async ({ values, positionals }, environment) => {
  const id = onlyOne(positionals, 'id of a key');
  const path = pathOf(values, environment);
  await editKeys(path, (keys) => {
    if (keys.some((key) => key.id === id)) return keys.filter((key) => key.id !== id);
    throw new KeyFileError(`There is no key "${shownLine(id)}" in this file; list shows them.`);
  });
  if (values.json) printJson({ revoked: id });
  else print(`Key ${id} is revoked.\n`);
  return exitCodes.done;
});

const commands: Readonly<Record<string, Command>> = { add: addCommand, list: listKeysCommand, revoke: revokeCommand };

async function run(command: Command, ...given: Parameters<Command>): Promise<number> {
  try {
    return await command(...given);
  } catch (error) {
    const code = systemErrorCode(error);
    if (!(error instanceof KeyFileError) && code === undefined) throw error;
    if (code?.startsWith('ERR_PARSE_ARGS')) throw error;
    warn(error instanceof KeyFileError ? error.message : `The file of keys cannot be written (${code}).`);
    return exitCodes.failed;
  }
}

export const keysCommand: Command = async ([name = '', ...rest], environment) => {
  if (name !== '--help' && name !== '-h') return run(chooseCommand('keys command', name, commands), rest, environment);
  print(help.keys);
  return exitCodes.done;
};
