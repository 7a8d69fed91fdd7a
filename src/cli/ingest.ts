/** `npm run ingest -- <source> …`: what POST /api/tools/ingestSources does, from a shell, with progress and a table at the end. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { ingestSourcesInput, requestsOf, toReport } from '../app/ingest-sources.ts';
import { requireFolders } from '../process.ts';
import {
  composeCommand,
  createCommand,
  exitCodes,
  type Given,
  interruption,
  parseCommandConfig,
  UsageError,
  wholeNumber,
} from './command.ts';
import { createProgress, print, printJson, summaryTable, warn } from './terminal.ts';

const help = `Read sources into a namespace: URLs, whole sites, files, folders, or a text from standard input.

  npm run ingest -- <url|path|-> … [options]

  -n, --namespace NAME      where to (default: default)
  -t, --title TITLE         of the text from standard input
      --author NAME         who answers for that text
      --review-by DAY       by when somebody should look at it again: 2027-05-01
      --crawl               follow a URL's site: llms.txt, sitemaps, and links within its host
      --max-pages N         of a crawl (default: 200)
      --max-depth N         links from the first page (default: 3)
      --include PATTERN     only paths such as "/docs/*"; may be repeated
      --exclude PATTERN     not these paths; may be repeated
      --glob PATTERN        files of a folder, such as "**/*.{md,pdf}" (default: all that can be read)
      --refresh-every TIME  let the server read the sources again: 90m, 24h, 7d; off ends that
      --prune               remove the documents of sources that are gone
      --json                print the report as JSON instead of the table
  -h, --help

  npm run ingest -- https://docs.example.com --crawl --include "/guide/*"
  npm run ingest -- ./handbook --glob "**/*.{md,pdf}" --namespace hr
  echo "Refunds are paid within 30 days." | npm run ingest -- - --title "Refund FAQ"

The settings are those of the server (environment or .env). Paths given here need not be in ALLOWED_FILE_ROOTS; private hosts need to be
in ALLOWED_URL_HOSTS. A running server with the same KNOWLEDGE_DIR finds the documents by itself.
Exit code: 0 all done, 1 something failed, 2 wrong arguments, 130 interrupted.
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
} as const;

type Values = Given<typeof options>['values'];

const isUrl = (argument: string) => /^https?:\/\//i.test(argument);

/** A source on the wire, still to be checked. */
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
    return { url: argument, refreshEvery, crawl: values.crawl ? { maxPages, maxDepth, include, exclude } : undefined };
  }
  // A file that is gone can be pruned.
  if (!existsSync(argument) && !values.prune)
    throw new UsageError(`There is no file or folder "${argument}"; a text is read from standard input with "-".`);
  return { path: argument, glob: values.glob, refreshEvery };
}

/** Folders that the person at the shell has named: what they can type they can read. */
function rootsOf(path: string): string[] {
  if (existsSync(path)) return [statSync(path).isDirectory() ? realpathSync(path) : dirname(realpathSync(path))];
  return existsSync(dirname(path)) ? [realpathSync(dirname(path))] : [];
}

export const ingestCommand = createCommand({ help, options, allowPositionals: true }, async ({ values, positionals }, environment) => {
  if (positionals.length === 0) throw new UsageError('At least one source is needed: a URL, a path, or "-" for standard input.');
  const sources = await Promise.all(positionals.map((argument) => toSource(argument, values)));
  const checked = ingestSourcesInput.safeParse({ namespace: values.namespace, prune: values.prune, sources });
  if (!checked.success) throw new UsageError(checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));

  const config = parseCommandConfig(environment);
  const named = positionals.filter((argument) => argument !== '-' && !isUrl(argument)).flatMap(rootsOf);
  const { api, namespaces, openToIngest } = await composeCommand({ ...config, allowedFileRoots: [...config.allowedFileRoots, ...named] });
  const namespace = api.parseNamespace(checked.data.namespace);
  await requireFolders(config);
  await openToIngest();

  const signal = interruption();
  const progress = createProgress('Reading');
  const rows = await api.ingestNow({
    namespace,
    requests: requestsOf(checked.data),
    prune: checked.data.prune,
    signal,
    onRow: progress.row,
    onTotal: progress.total,
  });
  progress.end(signal.aborted ? 'Interrupted' : 'Done');
  if (signal.aborted) warn('Interrupted: what was done stays; the same command goes on with the rest.');
  await namespaces.close();
  if (values.json) printJson(toReport(namespace, rows));
  else print(summaryTable(namespace, rows));
  if (signal.aborted) return exitCodes.interrupted;
  return rows.some((row) => row.status === 'failed') ? exitCodes.failed : exitCodes.done;
});
