/**
 * Report of a fuzz: a table of operations, and each cause of failure with a command that repeats
 * it.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzRequest } from './requests.ts';
import { type Failure, isAnswer, type PassReport } from './run.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll(/\p{Cc}/gu, '?')}'`;
/** Characters of an inline body; longer and binary bodies go into a file. */
const maxInline = 400;

function bodyArgument(request: FuzzRequest): string {
  const { body, number } = request;
  if (!body) return '';
  const bytes = body.bytes.subarray(0, body.cutAt);
  const text = bytes.toString();
  if (bytes.length <= maxInline && Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text))
    return ` --data-raw ${quoted(text)}`;
  const path = join(tmpdir(), `fuzz-body-${number}`);
  writeFileSync(path, bytes);
  return ` --data-binary @${path}`;
}

/** @param hidden text to mask: the key of an operator's server */
export function curlOf(url: string, request: FuzzRequest, hidden?: string): string {
  const { method, path, headers } = request;
  const shown = (value: string) => (value === hidden ? '"$KEY"' : value);
  const lines = Object.entries(headers).map(
    ([name, value]) => ` -H ${quoted(value === '' ? `${name};` : `${name}: ${shown(value)}`)}`,
  );
  const chunked = request.body?.isChunked ? " -H 'transfer-encoding: chunked'" : '';
  return `curl -sS -i -g --path-as-is -X ${method}${lines.join('')}${chunked}${bodyArgument(request)} ${quoted(url + path)}`;
}

const causeOf = ({ check, cause, request }: Failure) =>
  `${request.operation.id}: ${check}: ${cause}`;

export function describeFailures(
  failures: readonly Failure[],
  url: string,
  seed: number,
  hidden?: string,
): string {
  return [...Map.groupBy(failures, causeOf)]
    .map(([cause, list]) => {
      const { request, answer } = list[0]!;
      const came = isAnswer(answer)
        ? `${answer.status} ${answer.text.slice(0, 600)}`
        : `no answer: ${answer.closed ?? 'in time'}`;
      const made = `request ${request.number} of seed ${seed}, ${request.kind}, as ${request.caller.name}`;
      return `${list.length} × ${cause}\n  ${made}\n  ${curlOf(url, request, hidden)}\n  ${came}`;
    })
    .join('\n\n');
}

/** Markdown table of requests and statuses per operation. */
export function tableOf(reports: readonly PassReport[]): string {
  const all = new Map<string, Map<number, number>>();
  for (const { statuses } of reports)
    for (const [id, own] of statuses) {
      const sums = all.get(id) ?? new Map<number, number>();
      for (const [status, count] of own) sums.set(status, (sums.get(status) ?? 0) + count);
      all.set(id, sums);
    }
  const rows = [...all].map(([id, own]) => {
    const counts = [...own]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status === 0 ? 'closed' : status}: ${count}`);
    return `| ${id} | ${[...own.values()].reduce((sum, count) => sum + count, 0)} | ${counts.join(', ')} |`;
  });
  return ['| operation | requests | statuses |', '|---|---|---|', ...rows].join('\n');
}
