/**
 * `npm run keys -- add | list | revoke`: edits the API key file. A key is shown once and only its
 * hash is stored.
 */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { parseInterval } from '../ingest/source.ts';
import {
  checkKey,
  editKeys,
  hashKey,
  KeyFileError,
  readKeys,
  type StoredKey,
  toOrigin,
} from '../keys.ts';
import { defaultRights, rights } from '../rights.ts';
import {
  type Command,
  createCommand,
  createCommandGroup,
  exitCodes,
  type Given,
  onlyOne,
  parseCommandConfig,
  printResult,
  UsageError,
} from './command.ts';
import { cell, print, printJson, tableLines, warn } from './terminal.ts';

const fileHelp = '  -f, --file PATH       key file (default: API_KEYS_FILE)';

const help = {
  keys: `Manage API keys in a file of hashes. A running server applies changes within two seconds.

  knowledge-agent keys add --name NAME [--namespaces a+b] [--rights read+write] [--expires 90d]
  knowledge-agent keys add --publishable --origins https://example.com --namespaces help
  knowledge-agent keys list
  knowledge-agent keys revoke ID
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
  list: `List names, ids and limits of the keys. In the server's log, the caller of a key is key:<id>.

  knowledge-agent keys list [options]

${fileHelp}
`,
  revoke: `Revoke a key. Servers that use the file refuse it within two seconds.

  knowledge-agent keys revoke ID [options]

${fileHelp}
`,
};

const fileOption = { file: { type: 'string', short: 'f' } } as const;

function pathOf(
  { file }: { readonly file?: string | undefined },
  environment: NodeJS.ProcessEnv,
): string {
  const path = file ?? parseCommandConfig(environment).apiKeysFile;
  if (path === undefined)
    throw new UsageError('The key file is missing. Give --file PATH or set API_KEYS_FILE.');
  return resolve(path);
}

const addOptions = {
  ...fileOption,
  name: { type: 'string' },
  namespaces: { type: 'string' },
  rights: { type: 'string' },
  publishable: { type: 'boolean', default: false },
  origins: { type: 'string' },
  expires: { type: 'string' },
} as const;

const wordsOf = (list: string) => [...new Set(list.split(/[+,]/).map((word) => word.trim()))];

function accessOf({
  publishable,
  namespaces,
  rights: asked,
  origins: list,
}: Given<typeof addOptions>['values']) {
  const origins = list?.split(',').map((text) => toOrigin(text.trim()) ?? text);
  const isLimited = namespaces !== undefined;
  const isWidget = origins !== undefined && isLimited && asked === undefined;
  if (publishable ? !isWidget : origins !== undefined)
    throw new UsageError('--publishable needs --origins and --namespaces, and no --rights.');
  // Calls belong to no namespace, so a limited key needs the right explicitly.
  const usual = defaultRights(isLimited).filter((right) => !isLimited || right !== 'calls');
  return {
    namespaces: namespaces === undefined ? '*' : wordsOf(namespaces),
    rights: publishable ? ['ask'] : asked === undefined ? usual : wordsOf(asked),
    origins: origins && [...new Set(origins)],
  };
}

function expiryOf(interval: string | undefined, now: number) {
  if (interval === undefined) return undefined;
  const ms = parseInterval(interval);
  if (ms === undefined)
    throw new UsageError('--expires must be a time such as 90d, 24h or 30m, at most one year.');
  return new Date(now + ms).toISOString();
}

/** Makes keys recognizable for people and secret scanners. */
const newKey = (isPublishable: boolean) =>
  `${isPublishable ? 'pk_' : 'ka_'}${randomBytes(32).toString('base64url')}`;

const namesIn = ({ namespaces }: StoredKey) =>
  namespaces === '*' ? 'all namespaces' : namespaces.join('+');

const addForm = { help: help.add, options: addOptions };
const addCommand = createCommand(addForm, async ({ values }, environment) => {
  const access = accessOf(values);
  const key = newKey(values.publishable);
  const sha256 = hashKey(key);
  const now = Date.now();
  const given = {
    id: sha256.slice(0, 12),
    name: values.name?.trim() ?? access.origins?.[0],
    sha256,
    ...access,
    createdAt: new Date(now).toISOString(),
    expiresAt: expiryOf(values.expires, now),
  };
  let stored: StoredKey;
  try {
    stored = checkKey(given);
  } catch (error) {
    throw error instanceof KeyFileError ? new UsageError(`--${error.message}`) : error;
  }
  await editKeys(pathOf(values, environment), (keys) => [...keys, stored]);
  if (values.json) printJson({ key, ...stored });
  else {
    const { id, name, expiresAt, origins } = stored;
    const from = origins ? ` from ${origins.join(', ')}` : '';
    const until = expiresAt ? `, expires ${expiresAt}` : '';
    const scope = `${stored.rights.join('+')} in ${namesIn(stored)}${from}${until}`;
    print(`${key}\n`);
    warn(`Key ${id} of ${shownLine(name)}: ${scope}. Store it now; it is not shown again.`);
  }
  return exitCodes.done;
});

const toRow = (key: StoredKey) => [
  key.id,
  cell(key.name, 40),
  cell(key.namespaces === '*' ? '*' : namesIn(key), 40),
  key.rights.join('+'),
  key.createdAt.slice(0, 10),
  key.expiresAt?.slice(0, 10) ?? 'never',
  cell(key.origins?.join(' ') ?? '', 60),
];

const listForm = { help: help.list, options: fileOption };
const listCommand = createCommand(listForm, async ({ values }, environment) => {
  const keys = await readKeys(pathOf(values, environment));
  const head = ['id', 'name', 'namespaces', 'rights', 'created', 'expires', 'origins'];
  const lines = keys.length === 0 ? ['The file has no keys.'] : tableLines(head, keys.map(toRow));
  const listed = { keys: keys.map(({ sha256: _, ...key }) => key) };
  return printResult(values, listed, `${lines.join('\n')}\n`);
});

const revokeForm = { help: help.revoke, options: fileOption, allowPositionals: true };
const revokeCommand = createCommand(revokeForm, async ({ values, positionals }, environment) => {
  const id = onlyOne(positionals, 'id of a key');
  await editKeys(pathOf(values, environment), (keys) => {
    if (keys.some((key) => key.id === id)) return keys.filter((key) => key.id !== id);
    throw new KeyFileError(
      `Key "${shownLine(id)}" is not in this file. The command keys list shows the ids.`,
    );
  });
  return printResult(values, { revoked: id }, `Key ${id} is revoked.\n`);
});

const keys = createCommandGroup('keys', help.keys, {
  add: addCommand,
  list: listCommand,
  revoke: revokeCommand,
});

export const keysCommand: Command = (args, environment) =>
  keys(args, environment).catch((error: unknown) => {
    if (error instanceof KeyFileError) throw new KnowledgeError('internal', error.message);
    const code = systemErrorCode(error);
    if (code === undefined || code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new KnowledgeError('storage_unavailable', `The key file cannot be written (${code}).`);
  });
