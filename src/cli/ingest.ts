/**
 * `npm run ingest -- <source> …`: POST /api/tools/ingestSources as a command, with progress and a
 * table of results.
 */
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
  flag,
  type Given,
  interruption,
  keyIn,
  namespaceNamed,
  namespaceOption,
  parseCommandConfig,
  printResult,
  textOption,
  UsageError,
  wholeNumber,
} from './command.ts';
import { createRemoteServer, ingestAtServer, listUploads } from './remote-ingest.ts';
import { createProgress, summaryTable, warn } from './terminal.ts';

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
      --server URL          ingest at a running server: uploads files and folders, the server reads URLs; its key
                            is KNOWLEDGE_API_KEY (environment or .env)
      --json                print the report as JSON instead of the table

  knowledge-agent ingest https://docs.example.com --crawl --include "/guide/*"
  knowledge-agent ingest ./handbook --glob "**/*.{md,pdf}" --namespace hr
  echo "Refunds are paid within 30 days." | knowledge-agent ingest - --title "Refund FAQ"
  knowledge-agent ingest ./handbook report.pdf --server https://knowledge.example.com

Without --server, uses the settings of the server (environment or .env). Paths need not be in ALLOWED_FILE_ROOTS; private hosts must be in
ALLOWED_URL_HOSTS. A running server with the same KNOWLEDGE_DIR finds the documents automatically.
`;

const options = {
  ...namespaceOption,
  title: { type: 'string', short: 't' },
  author: textOption,
  'review-by': textOption,
  crawl: flag,
  'max-pages': textOption,
  'max-depth': textOption,
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  glob: textOption,
  'refresh-every': textOption,
  prune: flag,
  server: textOption,
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

  const signal = interruption();
  const progress = createProgress('Reading');
  const rows = await api.ingestNow({
    namespace,
    requests: requestsOf(asked),
    prune: asked.prune,
    signal,
    onRow: progress.row,
    onTotal: progress.total,
  });
  progress.end(signal.aborted ? 'Interrupted' : 'Done');
  await namespaces.close();
  return { namespace, rows, isInterrupted: signal.aborted };
}

async function ingestRemotely(
  address: string,
  asked: IngestSourcesInput,
  values: Values,
  environment: NodeJS.ProcessEnv,
) {
  const pathOf = (source: IngestSourcesInput['sources'][number]) =>
    typeof source === 'object' && 'path' in source ? source.path : undefined;
  const paths = asked.sources.flatMap((source) => pathOf(source) ?? []);
  const refused = values.prune ? 'prune' : values['refresh-every'] && 'refresh-every';
  if (paths.length > 0 && refused)
    throw new UsageError(
      `--${refused} works only with URLs if --server is set: the server cannot read your files again.`,
    );
  const server = createRemoteServer(address, keyIn(environment, 'KNOWLEDGE_API_KEY'));
  const uploads = await listUploads(paths, values.glob);
  const signal = interruption();
  const progress = createProgress('Sending');
  const sources = asked.sources.filter((source) => pathOf(source) === undefined);
  const rows = await ingestAtServer(server, {
    namespace: asked.namespace,
    uploads,
    sources,
    prune: asked.prune,
    progress,
    signal,
  });
  progress.end(signal.aborted ? 'Interrupted' : 'Done');
  return { namespace: asked.namespace, rows, isInterrupted: signal.aborted };
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

const maxNamed = 10;
const listed = (names: readonly string[]) =>
  names.slice(0, maxNamed).map(shownLine).join(', ') +
  (names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '');

export const ingestCommand = createCommand(
  {
    help,
    exit: '0 all done, 1 some sources failed, 130 interrupted',
    options,
    allowPositionals: true,
  },
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
    const { namespace, rows, isInterrupted } =
      values.server === undefined
        ? await ingestLocally(checked.data, positionals, environment)
        : await ingestRemotely(values.server, checked.data, values, environment);
    if (isInterrupted)
      warn('Interrupted. Finished sources are stored; run the same command to continue.');
    printResult(values, toReport(namespace, rows), summaryTable(namespace, rows));
    const leftOut = values.glob === undefined ? await unreadableIn(positionals) : [];
    if (leftOut.length > 0)
      warn(
        `Left out ${leftOut.length} ${leftOut.length === 1 ? 'file' : 'files'} of other formats: ${listed(leftOut)}.`,
      );
    if (isInterrupted) return exitCodes.interrupted;
    return rows.some((row) => row.status === 'failed') ? exitCodes.failed : exitCodes.done;
  },
);
