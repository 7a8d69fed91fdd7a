/**
 * `npm run drift`: lists stored answers whose quotes are no longer in the documents, with old and
 * new text.
 */

import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { type ListedAnswer, type ListedAnswers, listedAnswers } from '../app/stale-answers.ts';
import { noSuchNamespace } from '../documents/namespace-name.ts';
import { requireFolders } from '../process.ts';
import {
  composeCommand,
  createCommand,
  exitCodes,
  interruption,
  parseCommandConfig,
  wholeNumber,
} from './command.ts';
import { createRemoteServer } from './remote-ingest.ts';
import { cell, print, printJson } from './terminal.ts';

const help = `List past answers that the documents no longer support, with the quoted and the current text.

  knowledge-agent drift [options]

  -n, --namespace NAME  only this namespace (default: all)
  -l, --limit N         newest answers to show, 1 to 500 (default: 50)
      --server URL      ask a running server, with the key in KNOWLEDGE_API_KEY (environment or .env)
      --json            print the result of GET /api/answers?state=stale
  -h, --help

Without --server, uses the settings of the server (environment or .env): answers from STATE_DIR or DATABASE_URL, documents from
KNOWLEDGE_DIR. A server may be running. Private answers of a single user are not listed.
Exit code: 0 done, with or without such answers, 1 failed, 2 wrong arguments.
`;

const defaultLimit = 50;
const maxLimit = 500;
const maxLineChars = 200;
const nothing = 'no similar text is left';

const options = {
  namespace: { type: 'string', short: 'n' },
  limit: { type: 'string', short: 'l' },
  server: { type: 'string' },
} as const;

type DriftQuery = Readonly<{ namespace: string | undefined; limit: number }>;

async function listLocally(
  { namespace: name, limit }: DriftQuery,
  environment: NodeJS.ProcessEnv,
): Promise<ListedAnswers> {
  const config = parseCommandConfig(environment);
  const { api, openToIngest } = await composeCommand(config);
  const namespace = name === undefined ? undefined : api.parseNamespace(name);
  await requireFolders(config, false);
  await openToIngest();
  if (namespace !== undefined && !(await api.documents.names()).includes(namespace))
    throw noSuchNamespace(namespace);
  const namespaces = namespace === undefined ? undefined : [namespace];
  return api.staleAnswers.list({ namespaces, callerId: undefined, state: 'stale', limit });
}

async function listRemotely(
  address: string,
  { namespace, limit }: DriftQuery,
  environment: NodeJS.ProcessEnv,
): Promise<ListedAnswers> {
  const server = createRemoteServer(address, environment['KNOWLEDGE_API_KEY']);
  const query = new URLSearchParams({
    state: 'stale',
    limit: String(limit),
    ...(namespace === undefined ? {} : { namespace }),
  });
  const response = await server.get(`/api/answers?${query}`, interruption());
  const found = listedAnswers.safeParse(await response.json().catch(() => undefined));
  if (found.success) return found.data;
  throw new KnowledgeError(
    'upstream_failed',
    `${address} returned an unknown format. Check that it is a server of the same version.`,
  );
}

function answerLines({
  runId,
  namespace,
  askedAt,
  question,
  feedback,
  changed,
}: ListedAnswer): string[] {
  const asked = `asked ${cell(askedAt.slice(0, 16)).replace('T', ' ')} UTC`;
  const head = [
    cell(namespace, maxLineChars),
    asked,
    `${feedback.up} up, ${feedback.down} down`,
    `run ${cell(runId, maxLineChars)}`,
  ];
  const quotes = changed.flatMap(({ index, file, title, quote, now }) => [
    '',
    `  [${index}] ${cell(title, maxLineChars)} (${cell(file, maxLineChars)})`,
    `  was  ${shownLine(quote).trim()}`,
    `  now  ${shownLine(now?.text ?? nothing).trim()}`,
  ]);
  return [cell(question, maxLineChars), `  ${head.join(' · ')}`, ...quotes, '', ''];
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

function reportText({ answers, lookedAt, isPartial }: ListedAnswers, limit: number): string {
  const older =
    answers.length === limit
      ? 'Use --limit to show older ones.'
      : 'Older ones were not checked: use --namespace to check fewer.';
  const rest = isPartial ? ` ${older}` : '';
  if (lookedAt === 0 && !isPartial) return 'No answers are stored.\n';
  if (answers.length === 0)
    return `The documents still contain all quotes of ${counted(lookedAt, 'checked answer')}.${rest}\n`;
  const head = `${answers.length} of ${counted(lookedAt, 'checked answer')}`;
  return [
    ...answers.flatMap(answerLines),
    `${head} ${answers.length === 1 ? 'quotes' : 'quote'} text that the documents no longer contain.${rest}`,
    'Inform the users who got them, and correct copies. GET /api/answers/RUN returns a whole answer.',
    '',
  ].join('\n');
}

export const driftCommand = createCommand(
  { help, options, allowPositionals: false },
  async ({ values }, environment) => {
    const query = {
      namespace: values.namespace,
      limit: wholeNumber('limit', values.limit, 1, maxLimit) ?? defaultLimit,
    };
    const found = await (values.server === undefined
      ? listLocally(query, environment)
      : listRemotely(values.server, query, environment));
    if (values.json) printJson(found);
    else print(reportText(found, query.limit));
    return exitCodes.done;
  },
);
