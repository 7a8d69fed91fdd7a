/** `npm run calls -- list | stats`: the embedded call log from a shell. */
import { resolve } from 'node:path';
import { CallsError } from '../../packages/calls/src/errors.ts';
import { parseQuery } from '../../packages/calls/src/query.ts';
import {
  type CallRecord,
  type CallsPage,
  callsParameters,
  type Parameter,
} from '../../packages/calls/src/types.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { CallLog } from '../calls/call-log.ts';
import { toCallTime } from '../calls/period.ts';
import { type CallsSummary, summaryParameters } from '../calls/schemas.ts';
import type { SummaryPart } from '../calls/summarize.ts';
import { orPackaged } from '../package.ts';
import {
  createCommand,
  createCommandGroup,
  parseCommandConfig,
  printResult,
  UsageError,
} from './command.ts';
import { cell, tableLines, warn } from './terminal.ts';

/** Each option is a parameter of `GET /v3/calls` or of its summary. */
const options = {
  status: { type: 'string', multiple: true, parameter: 'statuses' },
  since: { type: 'string', parameter: 'initiatedAt[gte]' },
  until: { type: 'string', parameter: 'initiatedAt[lt]' },
} as const;
const statsOptions = {
  ...options,
  by: { type: 'string', multiple: true, parameter: 'by' },
  'time-zone': { type: 'string', parameter: 'timeZone' },
} as const;

const filterHelp = `      --status STATUS   initiated, canceled, unanswered, rejected, busy, ongoing, ended; comma-separated
      --since TIME      started at or after: 7d, 24h or 90m ago, 2026-11-01, or 2026-11-01T09:00Z
      --until TIME      started before

FILTER is any other filter of GET /v3/calls, such as uid=alice, type=video or 'duration[gte]=1.5'.`;

const secondsOf = { m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

function parseTime(option: string, text: string) {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  const written = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  const moment = ago
    ? Date.now() - Number(ago[1]) * secondsOf[ago[2] as keyof typeof secondsOf] * 1000
    : written;
  if (Number.isNaN(moment))
    throw new UsageError(
      `--${option} must be a time such as 7d, 24h or 2026-11-01, not "${shownLine(text)}".`,
    );
  return String(toCallTime(Math.floor(moment / 1000)));
}

/**
 * Parses filters and options as a query of the calls API, so both have the same rules. @throws
 * UsageError
 */
function parseGiven<const Known extends Readonly<Record<string, Parameter>>>(
  parameters: Known,
  filters: readonly string[],
  values: Readonly<Record<string, unknown>>,
) {
  const query = new URLSearchParams(filters.join('&'));
  for (const [option, { parameter }] of Object.entries(statsOptions))
    for (const text of [values[option] ?? []].flat().map(String))
      query.append(parameter, parameter.startsWith('initiatedAt') ? parseTime(option, text) : text);
  try {
    return parseQuery(parameters, query);
  } catch (error) {
    if (!(error instanceof CallsError)) throw error;
    throw new UsageError(
      Object.entries(statsOptions).reduce(
        (text, [option, { parameter }]) => text.replace(` ${parameter} `, ` --${option} `),
        error.message,
      ),
    );
  }
}

const help = {
  calls: `List and count calls of the embedded call log: CALLS_FILE, or a sample of 500 calls.

  knowledge-agent calls list    list calls
  knowledge-agent calls stats   count calls and minutes
`,
  list: `List calls, newest first, 30 on a page.

  knowledge-agent calls list [FILTER …] [options]

${filterHelp}

  knowledge-agent calls list --status ended --since 7d page=2
`,
  stats: `Count calls and minutes. A call counts for each of its users, with that user's own minutes.

  knowledge-agent calls stats [FILTER …] [options]

      --by KEY          day, type, status, user; comma-separated (default: all)
      --time-zone ZONE  time zone of the days, such as Europe/Berlin (default: UTC)
${filterHelp}
`,
};

async function withLog<T>(
  environment: NodeJS.ProcessEnv,
  use: (log: CallLog) => Promise<T>,
): Promise<T> {
  const { callsFile: file } = parseCommandConfig(environment);
  const log = new CallLog(resolve(orPackaged(file)), warn);
  await log.open();
  return use(log).finally(() => log.close());
}

const time = (seconds: number) =>
  new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
const minutes = (value: number) => value.toFixed(2);
const shown = (value: unknown) => cell(String(value ?? ''));

const toRow = (call: CallRecord) => [
  time(call.initiatedAt),
  ...[call.status, call.type, call.mode, call.initiator, call.receiver].map(shown),
  minutes(Number(call.totalDurationInMinutes) || 0),
  shown(call.totalParticipants),
  call.hasRecording ? 'yes' : '',
  shown(call.sessionId),
];

function callsText({ data, meta }: CallsPage) {
  const { total, current_page, total_pages } = meta.pagination;
  const head = [
    'started (UTC)',
    'status',
    'type',
    'mode',
    'from',
    'to',
    '>minutes',
    '>users',
    'rec',
    'session',
  ];
  const end = `${total} ${total === 1 ? 'call' : 'calls'}, page ${current_page} of ${total_pages}`;
  return [...tableLines(head, data.map(toRow)), ...(data.length > 0 ? [''] : []), end, ''].join(
    '\n',
  );
}

function summaryText({ total, by, timeZone }: CallsSummary) {
  const toTable = (title: string, groups: SummaryPart['groups']) => {
    const rows = groups.map(({ key, calls, durationMinutes, voiceMinutes, videoMinutes }) => [
      cell(key),
      String(calls),
      ...[durationMinutes, voiceMinutes, videoMinutes].map(minutes),
    ]);
    return tableLines([title, '>calls', '>minutes', '>voice', '>video'], rows);
  };
  const parts = Object.entries(by).flatMap(([key, { groups, leftOut }]) => [
    '',
    ...toTable(key === 'day' ? `day (${timeZone})` : key, groups),
    ...(leftOut > 0 ? [`… and ${leftOut} more`] : []),
  ]);
  return [...toTable('all', [{ key: '', ...total }]), ...parts, ''].join('\n');
}

const listForm = { help: help.list, options, allowPositionals: true };
const listCommand = createCommand(listForm, async ({ values, positionals }, environment) => {
  const filter = parseGiven(callsParameters, positionals, values);
  const found = await withLog(environment, (log) => log.list(filter));
  return printResult(values, found, callsText(found));
});

const statsForm = { help: help.stats, options: statsOptions, allowPositionals: true };
const statsCommand = createCommand(statsForm, async ({ values, positionals }, environment) => {
  const { by, timeZone, ...filter } = parseGiven(summaryParameters, positionals, values);
  const summary = await withLog(environment, (log) => log.summarize(filter, { by, timeZone }));
  return printResult(values, summary, summaryText(summary));
});

export const callsCommand = createCommandGroup('calls', help.calls, {
  list: listCommand,
  stats: statsCommand,
});
