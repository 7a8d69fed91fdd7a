#!/usr/bin/env node
/** `convert-to-markdown FILE`: writes the Markdown of a file to standard output. */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { KnowledgeError } from '../../shared/src/errors.ts';
import { shownLine } from '../../shared/src/language/invisible.ts';
import { formats } from './formats.ts';
import { createConverter } from './index.ts';

const help = `Usage: convert-to-markdown [--type TYPE] FILE | --help | --version

Writes the Markdown of FILE to standard output; - reads standard input.

  --type TYPE    format, if neither content nor name show it: ${Object.keys(formats).join(', ')}

Exit codes: 0 converted, 1 not converted, 2 wrong use.`;

/** @returns the text to print */
async function run(): Promise<string> {
  const { values, positionals } = parseArgs({
    options: {
      type: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help) return help;
  if (values.version)
    return createRequire(import.meta.url)('@knowledge-agent/converters/package.json').version;
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new KnowledgeError('invalid_request', `Name one file, not ${positionals.length}.`);
  const format = Object.entries(formats).find(([type]) => type === values.type)?.[1];
  if (values.type !== undefined && !format)
    throw new KnowledgeError('invalid_request', `Unknown type ${values.type}.`);
  const name = format && `input${format.extensions[0]}`;
  return (await createConverter().convert(path === '-' ? process.stdin : { path }, { name }))
    .markdown;
}

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader such as `head` may stop early.
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`The Markdown cannot be written: ${message}\n`);
  process.exit(1);
});
try {
  process.stdout.write(`${await run()}\n`);
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isWrongUse = code === 'invalid_request' || code.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${shownLine(message)}${isWrongUse ? ' Try --help.' : ''}\n`);
  process.exitCode = isWrongUse ? 2 : 1;
}
