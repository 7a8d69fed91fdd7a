/** `npm run ingest -- <source> …`: POST /api/tools/ingestSources as a command, with a table. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { folderMatcher, listFolder } from '../ingest/folder.ts';
import {
  type IngestSourcesInput,
  ingestSourcesInput,
  requestsOf,
  toReport,
} from '../ingest/ingest-sources.ts';
import { requireFolders } from '../process.ts';
import {
  contextOf,
  createCommand,
  exitCodes,
  type Given,
  interruption,
  keyIn,
  namespaceNamed,
  parseCommandConfig,
  UsageError,
  wholeNumber,
} from './command.ts';
import { createRemoteServer, ingestAtServer, listUploads } from './remote-ingest.ts';
import { print, printJson, showRow, summaryTable, warn } from './terminal.ts';

const help = `Ingest sources into a namespace: URLs, sites, files, folders, or text from standard input.

  knowledge-agent ingest <url|path|-> … [options]

  -n, --namespace NAME      target namespace (default: default)
  -t, --title TITLE         title of the text from standard input
      --author NAME         person responsible for that text
      --review-by DAY       date of its next review: 2027-05-01
      --crawl               read the whole site of a URL: llms.txt, sitemaps and links on the same host
      --max-pages N         maximum pages of a crawl (default: 200)
      --max-depth N         maximum links from the first page (default: 3)
      --include PATTERN     only URL paths such as "/docs/*"; may be repeated
      --exclude PATTERN     skip these URL paths; may be repeated
      --glob PATTERN        files of a folder, such as "**/*.{md,pdf}" (default: all supported files)
      --refresh-every TIME  refresh the sources at this interval: 90m, 24h, 7d; off: no refresh
      --prune               delete documents whose sources no longer exist
      --server URL          ingest at a running server, with KNOWLEDGE_API_KEY: uploads files and folders, the server reads URLs

  knowledge-agent ingest https://docs.example.com --crawl --include "/guide/*"
  echo "Refunds are paid within 30 days." | knowledge-agent ingest - --title "Refund FAQ"

Paths need not be in ALLOWED_FILE_ROOTS; private hosts must be in ALLOWED_URL_HOSTS. A running server with the same KNOWLEDGE_DIR
finds the documents automatically.
`;

const options = {
  namespace: { type: 'string', short: 'n', default: 'default' },
  title: { type: 'string', short: 't' },
  author: { type: 'string' },
  'review-by': { type: 'string' },
  crawl: { type: 'boolean', default: false },
  'max-pages': { type: 'string' },
  'max-depth': { type: 'string' },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  glob: { type: 'string' },
  'refresh-every': { type: 'string' },
  prune: { type: 'boolean', default: false },
  server: { type: 'string' },
} as const;

type Values = Given<typeof options>['values'];

const isUrl = (argument: string) => /^https?:\/\//i.test(argument);

async function toSource(argument: string, values: Values): Promise<Record<string, unknown>> {
  if (argument === '-') {
    const { title, author, 'review-by': reviewBy } = values;
    return { text: await readAll(process.stdin), title, author, reviewBy };
  }
  const refreshEvery = values['refresh-every'];
  if (isUrl(argument)) {
    const { include, exclude } = values;
    const maxPages = wholeNumber('max-pages', values['max-pages']);
    const maxDepth = wholeNumber('max-depth', values['max-depth']);
    return {
      url: argument,
      refreshEvery,
      crawl: values.crawl ? { maxPages, maxDepth, include, exclude } : undefined,
    };
  }
  if (!existsSync(argument) && !values.prune)
    throw new UsageError(
      `File or folder "${shownLine(argument)}" does not exist. Use "-" to read text from standard input.`,
    );
  return { path: argument, glob: values.glob, refreshEvery };
}

/**
 * Returns the folder of a path as an allowed file root, because the operator can read it anyway.
 */
function fileRootsOf(path: string) {
  if (existsSync(path))
    return [statSync(path).isDirectory() ? realpathSync(path) : dirname(realpathSync(path))];
  return existsSync(dirname(path)) ? [realpathSync(dirname(path))] : [];
}

async function ingestLocally(
  { namespace: name, ...asked }: IngestSourcesInput,
  positionals: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
) {
  const config = parseCommandConfig(environment);
  const named = positionals
    .filter((argument) => argument !== '-' && !isUrl(argument))
    .flatMap(fileRootsOf);
  const { api, namespaces, openToIngest } = await contextOf({
    ...config,
    allowedFileRoots: [...config.allowedFileRoots, ...named],
  });
  const namespace = namespaceNamed(api, name);
  await requireFolders(config);
  await openToIngest();
  const requests = requestsOf(asked);
  const { prune } = asked;
  const rows = await api.ingestNow({ namespace, requests, prune, signal, onRow: showRow });
  await namespaces.close();
  return { namespace, rows };
}

async function ingestRemotely(
  address: string,
  { namespace, sources: asked, prune }: IngestSourcesInput,
  values: Values,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
) {
  const paths: string[] = [];
  const sources = asked.filter((source) => {
    const isPath = typeof source === 'object' && 'path' in source;
    if (isPath) paths.push(source.path);
    return !isPath;
  });
  const refused = values.prune ? 'prune' : values['refresh-every'] && 'refresh-every';
  if (paths.length > 0 && refused)
    throw new UsageError(
      `--${refused} works only with URLs if --server is set: the server cannot read your files again.`,
    );
  const server = createRemoteServer(address, keyIn(environment, 'KNOWLEDGE_API_KEY'));
  const uploads = await listUploads(paths, values.glob);
  return {
    namespace,
    rows: await ingestAtServer(server, { namespace, uploads, sources, prune, signal }),
  };
}

/** Files of the folders that no reader understands. */
async function unreadableIn(positionals: readonly string[]) {
  const isReadable = folderMatcher(undefined);
  const folders = positionals.filter((path) => existsSync(path) && statSync(path).isDirectory());
  const found = folders.map((path) => listFolder(path, (name) => !isReadable(name), undefined));
  return (await Promise.all(found)).flatMap((names) => names ?? []);
}

/** The argument that a field of the request comes from. */
function argumentOf(path: readonly PropertyKey[]) {
  const field = String(path.findLast((part) => typeof part === 'string'));
  const option = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (Object.hasOwn(options, option)) return `--${option}`;
  return field === 'text' ? 'The text from standard input' : path.join('.');
}

export const ingestCommand = createCommand(
  { help, options, allowPositionals: true },
  async ({ values, positionals }, environment) => {
    if (positionals.length === 0)
      throw new UsageError('Give at least one source: a URL, a path, or "-" for standard input.');
    const sources = await Promise.all(positionals.map((argument) => toSource(argument, values)));
    const checked = ingestSourcesInput.safeParse({
      namespace: values.namespace,
      prune: values.prune,
      sources,
    });
    if (!checked.success)
      throw new UsageError(
        checked.error.issues
          .map(({ path, message }) => `${argumentOf(path)}: ${message}`)
          .join('\n'),
      );
    const signal = interruption();
    const { namespace, rows } =
      values.server === undefined
        ? await ingestLocally(checked.data, positionals, environment, signal)
        : await ingestRemotely(values.server, checked.data, values, environment, signal);
    if (signal.aborted)
      warn('Interrupted. Finished sources are stored; run the same command to continue.');
    if (values.json) printJson(toReport(namespace, rows));
    else print(summaryTable(namespace, rows));
    const leftOut = values.glob === undefined ? await unreadableIn(positionals) : [];
    if (leftOut.length > 0) {
      const named = leftOut.slice(0, 10).map(shownLine).join(', ');
      const what = leftOut.length === 1 ? 'file' : 'files';
      warn(`Left out ${leftOut.length} ${what} of other formats: ${named}.`);
    }
    if (signal.aborted) return exitCodes.interrupted;
    return rows.some((row) => row.status === 'failed') ? exitCodes.failed : exitCodes.done;
  },
);
