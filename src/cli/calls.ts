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
  exitCodes,
  parseCommandConfig,
  printResult,
  UsageError,
} from './command.ts';
import { cell, print, tableLines, warn } from './terminal.ts';

const filterOptions = {
  type: { type: 'string', multiple: true, parameter: 'types' },
  status: { type: 'string', multiple: true, parameter: 'statuses' },
  mode: { type: 'string', parameter: 'mode' },
  'receiver-type': { type: 'string', parameter: 'receiverType' },
  uid: { type: 'string', short: 'u', parameter: 'uid' },
  since: { type: 'string', parameter: 'initiatedAt[gte]' },
  until: { type: 'string', parameter: 'initiatedAt[lt]' },
  'min-minutes': { type: 'string', parameter: 'duration[gte]' },
  'max-minutes': { type: 'string', parameter: 'duration[lte]' },
  recorded: { type: 'boolean', parameter: 'hasRecording' },
} as const;
const listOptions = {
  ...filterOptions,
  page: { type: 'string', parameter: 'page' },
  'per-page': { type: 'string', parameter: 'perPage' },
} as const;
const statsOptions = {
  ...filterOptions,
  by: { type: 'string', multiple: true, parameter: 'by' },
  'time-zone': { type: 'string', parameter: 'timeZone' },
} as const;

const filterHelp = `  -u, --uid UID             calls that this user started, received or joined
      --status STATUS       initiated, canceled, unanswered, rejected, busy, ongoing, ended; comma-separated
      --type TYPE           audio, video
      --mode MODE           call, meet, presenter
      --receiver-type TYPE  user, group
      --since TIME          started at or after: 7d, 24h or 90m ago, 2026-11-01, or 2026-11-01T09:00Z
      --until TIME          started before
      --min-minutes N       minimum length
      --max-minutes N       maximum length
      --recorded            only calls with a recording`;

const secondsOf = { m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

function parseTime(option: string, text: string, now: Date) {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  const written = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  const moment = ago
    ? now.getTime() - Number(ago[1]) * secondsOf[ago[2] as keyof typeof secondsOf] * 1000
    : written;
  if (Number.isNaN(moment))
    throw new UsageError(
      `--${option} must be a time such as 7d, 24h or 2026-11-01, not "${shownLine(text)}".`,
    );
  return toCallTime(Math.floor(moment / 1000));
}

/**
 * Parses the options as a query of the calls API, so both have the same rules. @throws UsageError
 */
export function readOptions<Known extends Readonly<Record<string, Parameter>>>(
  parameters: Known,
  values: Readonly<Record<string, unknown>>,
  now: Date,
) {
  const query = new URLSearchParams();
  const options = Object.entries({ ...listOptions, ...statsOptions });
  for (const [option, { parameter }] of options) {
    for (const text of [values[option] ?? []].flat().map(String)) {
      const isVerbatim = option === 'uid' || option === 'time-zone';
      const plain = isVerbatim ? text : text.replaceAll(' ', '').toLowerCase();
      query.append(
        parameter,
        option === 'since' || option === 'until' ? String(parseTime(option, text, now)) : plain,
      );
    }
  }
  try {
    return parseQuery(parameters, query);
  } catch (error) {
    if (!(error instanceof CallsError)) throw error;
    throw new UsageError(
      options.reduce(
        (text, [option, { parameter }]) => text.replace(` ${parameter} `, ` --${option} `),
        error.message,
      ),
    );
  }
}

const settingsHelp = 'Reads CALLS_FILE (environment or .env; unset: a sample of 500 calls).';

const help = {
  calls: `List and count calls of the embedded call log.

  knowledge-agent calls list    list calls
  knowledge-agent calls stats   count calls and minutes

Each command has its own --help. ${settingsHelp}
`,
  list: `List calls, newest first.

  knowledge-agent calls list [options]

${filterHelp}
      --page N              page to show (default: 1)
      --per-page N          calls per page, 1 to 100 (default: 30)
      --json                print the page as GET /v3/calls returns it

  knowledge-agent calls list --status ended --since 7d

${settingsHelp}
`,
  stats: `Count calls and minutes.

  knowledge-agent calls stats [options]

      --by KEY              day, type, status, user; comma-separated (default: all)
      --time-zone ZONE      time zone of the days, such as Europe/Berlin (default: UTC)
${filterHelp}
      --json                print the summary as JSON

A call counts for each of its users, with that user's own minutes.
${settingsHelp}
`,
};

async function withLog<T>(environment: NodeJS.ProcessEnv, use: (log: CallLog) => Promise<T>) {
  const { callsFile: file } = parseCommandConfig(environment);
  const log = new CallLog(resolve(orPackaged(file)), warn);
  await log.open();
  return use(log).finally(() => log.close());
}

/** Undefined for files and pipes: their lines are not cut. */
const terminalWidth = () => (process.stdout.isTTY ? process.stdout.columns : undefined);
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
  return [
    ...tableLines(head, data.map(toRow), terminalWidth()),
    ...(data.length > 0 ? [''] : []),
    end,
    '',
  ].join('\n');
}

function summaryText({ total, by, timeZone }: CallsSummary) {
  const toTable = (title: string, groups: SummaryPart['groups']) => {
    const rows = groups.map(({ key, calls, durationMinutes, voiceMinutes, videoMinutes }) => [
      cell(key),
      String(calls),
      ...[durationMinutes, voiceMinutes, videoMinutes].map(minutes),
    ]);
    return tableLines([title, '>calls', '>minutes', '>voice', '>video'], rows, terminalWidth());
  };
  const parts = Object.entries(by).flatMap(([key, { groups, leftOut }]) => [
    '',
    ...toTable(key === 'day' ? `day (${timeZone})` : key, groups),
    ...(leftOut > 0 ? [`… and ${leftOut} more`] : []),
  ]);
  return [...toTable('all', [{ key: '', ...total }]), ...parts, ''].join('\n');
}

const listCommand = createCommand(
  { help: help.list, options: listOptions },
  async ({ values }, environment) => {
    const filter = readOptions(callsParameters, values, new Date());
    return withLog(environment, async (log) => {
      const found = await log.list(filter);
      printResult(values, found, callsText(found));
      const [newest] =
        found.meta.pagination.total === 0 ? (await log.list({ perPage: 1 })).data : [];
      if (newest && !values.json)
        print(`The newest call is from ${time(newest.initiatedAt).slice(0, 10)}.\n`);
      return exitCodes.done;
    });
  },
);

const statsForm = { help: help.stats, options: statsOptions };
const statsCommand = createCommand(statsForm, async ({ values }, environment) => {
  const { by, timeZone, ...filter } = readOptions(summaryParameters, values, new Date());
  const summary = await withLog(environment, (log) => log.summarize(filter, { by, timeZone }));
  return printResult(values, summary, summaryText(summary));
});

export const callsCommand = createCommandGroup('calls', help.calls, {
  list: listCommand,
  stats: statsCommand,
});
