/**
 * `@knowledge-agent/converters`: files to Markdown, in child processes with limits of time, memory
 * and size.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { lazy } from '../../shared/src/concurrency/lazy.ts';
import { KnowledgeError, systemErrorCode } from '../../shared/src/errors.ts';
import { createParserProcess, createSourceParser, type ParserProcessOptions } from './parse.ts';
import type { ParsedSource } from './source.ts';

export { type ErrorCode, KnowledgeError } from '../../shared/src/errors.ts';
export type { ParsedSource } from './source.ts';

/** Whole numbers from 1. */
export interface ConverterOptions extends ParserProcessOptions {
  /** Maximum bytes of a file, and of its Markdown. Default: 20 MiB. */
  readonly maxBytes?: number;
}

/** Bytes, a stream of bytes (standard input, the body of a response), or a file. */
export type ConverterInput =
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array>
  | { readonly path: string };

export type InputDetails = Readonly<{
  /** Name of the file, for its extension. Default: the path. */
  name?: string | undefined;
  /** `Content-Type` header, which may declare a charset. */
  contentType?: string | null | undefined;
  /** Address of a page, the base of its relative links. */
  url?: string | undefined;
  /** Cancels the conversion. */
  signal?: AbortSignal | undefined;
}>;

export interface Converter {
  /**
   * Converts one file. The content decides the format, then `contentType`, then `name`. @throws
   * KnowledgeError with a code of README.md
   */
  convert(input: ConverterInput, details?: InputDetails): Promise<ParsedSource>;
  /**
   * Ends all child processes; running conversions fail with `cancelled`. Idle ones end after 20
   * seconds and with this process.
   */
  close(): void;
}

const readFailures = {
  ENOENT: ['source_not_found', 'The file does not exist.'],
  EISDIR: ['invalid_request', 'This is a folder. Name a file.'],
  other: ['ingest_failed', 'The file cannot be read.'],
} as const;

const badInput = () =>
  new KnowledgeError('invalid_request', 'Pass bytes, a stream of bytes, or { path }.');

function pathOf(input: ConverterInput) {
  if (Object(input) !== input) throw badInput();
  if (!('path' in input)) return undefined;
  if (typeof input.path === 'string') return input.path;
  // Standard input is a stream whose path is not a text.
  if (Symbol.asyncIterator in input) return undefined;
  throw badInput();
}

/** @throws KnowledgeError `payload_too_large` as soon as the input exceeds the limit */
async function readInput(input: ConverterInput, maxBytes: number, signal: AbortSignal | undefined) {
  const path = pathOf(input);
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  try {
    // A pipe without a writer would never end.
    const found = path === undefined ? undefined : await stat(path);
    if (found && !found.isFile() && !found.isDirectory())
      throw new KnowledgeError(
        'invalid_request',
        'This is not a regular file. Pass a stream instead.',
      );
    const stream = path === undefined ? input : createReadStream(path, { signal });
    for await (const chunk of Symbol.asyncIterator in stream
      ? stream
      : [new Uint8Array(stream as ArrayBuffer)]) {
      if (!(chunk instanceof Uint8Array)) throw badInput();
      room -= chunk.byteLength;
      if (room < 0)
        throw new KnowledgeError('payload_too_large', `The file is larger than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    const [code, problem] =
      readFailures[systemErrorCode(error) as keyof typeof readFailures] ?? readFailures.other;
    throw error instanceof KnowledgeError
      ? error
      : new KnowledgeError(code, problem, { cause: error });
  }
  return Buffer.concat(chunks);
}

/**
 * Creates a pool of child processes, which the first conversion starts. @throws KnowledgeError
 * `invalid_request`
 */
export function createConverter(options: ConverterOptions = {}): Converter {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value < 2 ** 31))
      throw new KnowledgeError(
        'invalid_request',
        `${name} must be a whole number from 1 to 2147483647.`,
      );
  const { maxBytes = 20 * 1024 * 1024, ...limits } = options;
  const closing = new AbortController();
  const parse = createSourceParser(createParserProcess(limits, closing.signal), maxBytes);
  let conversions = 0;
  return {
    async convert(input, { name = pathOf(input) ?? '', contentType, url: location, signal } = {}) {
      const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || undefined;
      const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType ?? '')?.[1];
      try {
        const bytes = await readInput(input, maxBytes, signal);
        const source = { bytes, fileName: name, mediaType, charset, location };
        // An owner gets only a part of the processes, so each conversion is an owner.
        return await parse({ kind: 'file', namespace: `${conversions++}` }, source, signal);
      } catch (error) {
        if (!closing.signal.aborted && !signal?.aborted) throw error;
        throw new KnowledgeError(
          'cancelled',
          'The conversion was cancelled, or the converter is closed.',
          { cause: error },
        );
      }
    },
    close: () => closing.abort(),
  };
}

const sharedConverter = lazy(() => createConverter());

/**
 * Converts one file with the default limits. Calls share one pool of child processes. @throws
 * KnowledgeError like `Converter.convert`
 */
export const convertFile = (path: string): Promise<ParsedSource> =>
  sharedConverter().convert({ path });
