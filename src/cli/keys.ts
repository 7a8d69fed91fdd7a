/**
 * `npm run keys -- add | list | revoke`: edits the API key file. A key is shown once and only its
 * hash is stored.
 */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { toNamespaceName } from '../documents/namespace-name.ts';
import { parseInterval } from '../ingest/source.ts';
import { editKeys, hashKey, KeyFileError, readKeys, type StoredKey, toOrigin } from '../keys.ts';
import { defaultRights, type Right, readRights, rights } from '../rights.ts';
import {
  createCommand,
  createCommandGroup,
  exitCodes,
  type Given,
  onlyOne,
  parseCommandConfig,
  printResult,
  textOption,
  UsageError,
} from './command.ts';
import { cell, print, printJson, tableLines, warn } from './terminal.ts';

const fileHelp = `  -f, --file PATH       key file (default: API_KEYS_FILE from the environment or .env)
      --json            print JSON`;

const help = {
  keys: `Manage API keys in a file of hashes. A running server applies changes within two seconds.

  knowledge-agent keys add --name NAME [--namespaces a+b] [--rights read+write] [--expires 90d]
  knowledge-agent keys add --publishable --origins https://example.com --namespaces help
  knowledge-agent keys list
  knowledge-agent keys revoke ID

Each command has its own --help.
`,
  add: `Create a key. It is printed once, on standard output; the file stores only its SHA-256.

  knowledge-agent keys add --name NAME [options]

      --name NAME       owner or purpose, shown in the list (default with --publishable: the first origin)
      --namespaces A+B  namespaces that the key may use (default: all)
      --rights A+B      one or more of ${rights.join(', ')} (default: all; with --namespaces: read and write)
      --publishable     key for the chat widget: it may only ask, so a web page may contain it
      --origins A,B     origins of the pages that may use it, such as https://example.com; only with --publishable
      --expires TIME    lifetime such as 90d, 24h or 30m, at most one year (default: never expires)
${fileHelp}

`,
  list: `List names, ids and limits of the keys. The keys themselves are not stored.

  knowledge-agent keys list [options]

${fileHelp}

In the server's log, the caller of a key is key:<id>.
`,
  revoke: `Revoke a key. Servers that use the file refuse it within two seconds.

  knowledge-agent keys revoke ID [options]

${fileHelp}

`,
};

/** Makes keys recognizable for people and secret scanners. */
const keyPrefixes = { secret: 'ka_', publishable: 'pk_' };
const keyBytes = 32;
const idChars = 12;

const fileOption = { file: { type: 'string', short: 'f' } } as const;

function pathOf({ file }: { readonly file?: string | undefined }, environment: NodeJS.ProcessEnv) {
  const path = file ?? parseCommandConfig(environment).apiKeysFile;
  if (path === undefined)
    throw new UsageError('The key file is missing. Give --file PATH or set API_KEYS_FILE.');
  return resolve(path);
}

const wordsOf = (list: string) => list.split(/[+,]/).map((word) => word.trim());

function namespacesOf(list: string | undefined) {
  if (list === undefined) return '*';
  return wordsOf(list).map((word) => {
    const name = toNamespaceName(word);
    if (name === undefined)
      throw new UsageError(
        `--namespaces: "${word}" is not a namespace name. Use letters, digits, dots, hyphens and underscores.`,
      );
    return name;
  });
}

function rightsIn(list: string | undefined, isLimited: boolean): Right[] {
  // Calls belong to no namespace, so a limited key needs the right explicitly.
  if (list === undefined)
    return defaultRights(isLimited).filter((right) => !isLimited || right !== 'calls');
  const given = readRights(wordsOf(list));
  if (!given)
    throw new UsageError(
      `--rights must be one or more of ${rights.join(', ')}, such as read+write, not "${list}".`,
    );
  return given;
}

const addOptions = {
  ...fileOption,
  name: textOption,
  namespaces: textOption,
  rights: textOption,
  publishable: { type: 'boolean' },
  origins: textOption,
  expires: textOption,
} as const;
type AddValues = Given<typeof addOptions>['values'];

function originsIn(list: string) {
  const given = list.split(',').map((text) => {
    const origin = toOrigin(text.trim());
    if (origin === undefined)
      throw new UsageError(
        `--origins: "${shownLine(text)}" is not an origin such as https://example.com.`,
      );
    return origin;
  });
  return [...new Set(given)];
}

function accessOf({
  publishable,
  origins,
  ...values
}: AddValues): Pick<StoredKey, 'namespaces' | 'rights' | 'origins'> {
  const namespaces = namespacesOf(values.namespaces);
  if (!publishable) {
    if (origins !== undefined)
      throw new UsageError('--origins is only for keys with --publishable.');
    return { namespaces, rights: rightsIn(values.rights, namespaces !== '*') };
  }
  if (origins === undefined || values.namespaces === undefined)
    throw new UsageError(
      '--publishable needs --origins and --namespaces: the pages that may use the key, and what it may ask about.',
    );
  if (values.rights !== undefined)
    throw new UsageError('--publishable has only the right ask. Leave out --rights.');
  return { namespaces, rights: ['ask'], origins: originsIn(origins) };
}

function expiryOf(interval: string | undefined, now: number): Pick<StoredKey, 'expiresAt'> {
  if (interval === undefined) return {};
  const ms = parseInterval(interval);
  if (ms === undefined)
    throw new UsageError(
      `--expires must be a time such as 90d, 24h or 30m, at most one year, not "${interval}".`,
    );
  return { expiresAt: new Date(now + ms).toISOString() };
}

const describeScope = ({ namespaces, rights: given, origins }: StoredKey) =>
  `${given.join('+')} in ${namespaces === '*' ? 'all namespaces' : namespaces.join('+')}${origins ? ` from ${origins.join(', ')}` : ''}`;

const addCommand = createCommand(
  { help: help.add, options: addOptions },
  async ({ values }, environment) => {
    const access = accessOf(values);
    const name = values.name?.trim() ?? access.origins?.[0];
    if (!name || !/^\P{Cc}{1,100}$/u.test(name))
      throw new UsageError(
        '--name is missing or invalid. Give 1 to 100 characters that name the owner.',
      );
    const path = pathOf(values, environment);
    const key =
      keyPrefixes[values.publishable ? 'publishable' : 'secret'] +
      randomBytes(keyBytes).toString('base64url');
    const sha256 = hashKey(key);
    const now = Date.now();
    const expiry = expiryOf(values.expires, now);
    const id = sha256.slice(0, idChars);
    const stored: StoredKey = {
      id,
      name,
      sha256,
      ...access,
      createdAt: new Date(now).toISOString(),
      ...expiry,
    };
    await editKeys(path, (keys) => [...keys, stored]);
    if (values.json) printJson({ key, ...stored });
    else {
      print(`${key}\n`);
      warn(
        `Key ${id} of ${shownLine(name)}: ${describeScope(stored)}${expiry.expiresAt ? `, expires ${expiry.expiresAt}` : ''}.`,
      );
      warn('Store it now; it is not shown again.');
    }
    return exitCodes.done;
  },
);

function toRow(
  { id, name, namespaces, rights: given, createdAt, expiresAt, origins = [] }: StoredKey,
  now: number,
) {
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now;
  const until =
    expiresAt === undefined ? 'never' : `${expiresAt.slice(0, 16)}Z${isOver ? ' (expired)' : ''}`;
  return [
    cell(id),
    cell(name, 40),
    cell(namespaces === '*' ? '*' : namespaces.join('+'), 40),
    given.join('+'),
    createdAt.slice(0, 10),
    until,
    cell(origins.join(' '), 60),
  ];
}

const listForm = { help: help.list, options: fileOption };
const listKeysCommand = createCommand(listForm, async ({ values }, environment) => {
  const keys = await readKeys(pathOf(values, environment));
  const head = ['id', 'name', 'namespaces', 'rights', 'created', 'expires', 'origins'];
  const rows = keys.map((key) => toRow(key, Date.now()));
  const lines = keys.length === 0 ? ['The file has no keys.'] : tableLines(head, rows);
  const listed = { keys: keys.map(({ sha256: _, ...key }) => key) };
  return printResult(values, listed, `${lines.join('\n')}\n`);
});

const revokeForm = {
  help: help.revoke,
  exit: '0 done, 1 failed or unknown key',
  options: fileOption,
  allowPositionals: true,
};
const revokeCommand = createCommand(revokeForm, async ({ values, positionals }, environment) => {
  const id = onlyOne(positionals, 'id of a key');
  const path = pathOf(values, environment);
  await editKeys(path, (keys) => {
    if (keys.some((key) => key.id === id)) return keys.filter((key) => key.id !== id);
    throw new KeyFileError(
      `Key "${shownLine(id)}" is not in this file. The command keys list shows the ids.`,
    );
  });
  return printResult(values, { revoked: id }, `Key ${id} is revoked.\n`);
});

export const keysCommand = createCommandGroup('keys', help.keys, {
  add: addCommand,
  list: listKeysCommand,
  revoke: revokeCommand,
});
