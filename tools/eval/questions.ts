/**
 * The questions file: JSON Lines, one question a line, with what its answer has to say and which documents hold it. Every wrong line is
 * told at once, and a file with one is not run: a field with a slip in its name would turn what is measured into something else.
 */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { parseLine } from '../../src/disk/line-file.ts';

export interface ParseOptions {
  /** Of questions that name none. */
  readonly namespace: string;
  /** @throws Error whose message says what is wrong with the name */
  readonly parseNamespace: (name: string) => string;
}

/** An answer is a few sentences; no expression is run over more. */
const maxSearchedChars = 20_000;
/** An expression that goes back and forth for longer is taken not to match. */
const maxMatchMs = 250;

const asExpression = /^\/(.+)\/([a-z]*)$/is;

/** @param text of an answer */
export const withoutMarkers = (text: string) => text.replace(/[ \t]*\[\d{1,3}\]/g, '');
const flat = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

function matches(source: string, flags: string, text: string): boolean {
  try {
    // Only in a context of its own can an expression be ended; a new one for each test, because `g` and `y` remember.
    return runInNewContext('pattern.test(text)', { pattern: new RegExp(source, flags), text }, { timeout: maxMatchMs }) as boolean;
  } catch (error) {
    // An error of the other context is no `Error` of this one.
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

/**
 * What an answer has to say: a text, found in any case and across line breaks, or a regular expression written as `/…/flags`. An answer
 * is looked at with and without its markers, so that `[1]` between two sentences is in nobody's way.
 * @throws SyntaxError where `/…/flags` is no regular expression
 */
export function parsePattern(written: string) {
  const [, source, flags = ''] = asExpression.exec(written) ?? [];
  if (source !== undefined) new RegExp(source, flags);
  const wanted = flat(written.trim());
  const isInForm = (form: string) => (source === undefined ? flat(form).includes(wanted) : matches(source, flags, form));
  return { written, isIn: (text: string) => [text, withoutMarkers(text)].some((form) => isInForm(form.slice(0, maxSearchedChars))) };
}

const maxQuestions = 10_000;
/** As much as the agent searches for. */
const maxQuestionChars = 2_000;
const maxEntries = 50;
const maxEntryChars = 1_000;
const maxIdChars = 200;
const keyHexDigits = 20;
const maxShownChars = 200;

const text = (maxChars: number, error: string) => z.string(error).max(maxChars, error).regex(/\S/, error);
const oneText = (name: string, maxChars: number) =>
  text(maxChars, `"${name}" has to be a text of 1 to ${maxChars.toLocaleString('en')} characters`);
function texts(name: string) {
  const error = `"${name}" has to be a list of at most ${maxEntries} texts of 1 to ${maxEntryChars.toLocaleString('en')} characters`;
  return z.array(text(maxEntryChars, error), error).max(maxEntries, error).default([]);
}

const fields = {
  question: oneText('question', maxQuestionChars),
  namespace: z.unknown().optional(),
  files: texts('files'),
  patterns: texts('patterns'),
  unanswerable: z.boolean('"unanswerable" has to be true or false').default(false),
  id: oneText('id', maxIdChars).optional(),
};
const lineSchema = z.strictObject(fields, {
  error: (issue) =>
    issue.code === 'unrecognized_keys'
      ? `there is no field "${issue.keys.join('", "').slice(0, maxShownChars)}"; there are ${Object.keys(fields).join(', ')}`
      : 'not a JSON object',
});

/** @throws Error with `what` before the reason why `read` fails, and `hint` after it */
function orProblem<T>(read: () => T, what: string, hint = ''): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}${hint}`, { cause: error });
  }
}

export type Question = Readonly<ReturnType<typeof toQuestion>>;

/**
 * `key`: the same question with the same expectations, in any run; `line`: from 1; `files`: documents that hold the answer, by file, title
 * or source; `patterns`: each of them has to be in the answer.
 * @throws Error that says what is wrong with the fields
 */
function toQuestion(fields: z.infer<typeof lineSchema>, line: number, options: ParseOptions) {
  const { question, namespace: given = options.namespace, files, patterns: written, unanswerable, id } = fields;
  const hint = ' (a text with slashes around it is written as /\\/a\\//)';
  const patterns = orProblem(() => written.map(parsePattern), 'a pattern is no regular expression', hint);
  const namespace = orProblem(() => options.parseNamespace(typeof given === 'string' ? given : ''), '"namespace"');
  if (unanswerable && files.length + written.length > 0)
    throw new Error('a question that is unanswerable has neither "files" nor "patterns"');
  const identity = JSON.stringify([namespace, question, [...files].sort(), [...written].sort(), unanswerable]);
  const key = createHash('sha256').update(identity).digest('hex').slice(0, keyHexDigits);
  return { key, line, id, question: question.trim(), namespace, files, patterns, isUnanswerable: unanswerable };
}

/**
 * Empty lines are no questions. Of two with the same `id`, or the same text in one namespace, the second is a problem.
 * @returns problems as `line 3: …`, in the order of the lines; where there are any, nothing is to be run
 */
export function parseQuestions(text: string, options: ParseOptions) {
  const questions: Question[] = [];
  const problems: string[] = [];
  /** `id`, or namespace and text → the line that has it first. */
  const firstLines = new Map<string, number>();
  const read = (content: string, line: number) => {
    const question = toQuestion(lineSchema.parse(parseLine(content)), line, options);
    const names = [JSON.stringify([question.namespace, question.question]), question.id ?? []].flat();
    const first = names.flatMap((name) => firstLines.get(name) ?? [])[0];
    for (const name of names) if (!firstLines.has(name)) firstLines.set(name, line);
    if (first !== undefined) throw new Error(`the same "id" or question as line ${first}`);
    questions.push(question);
  };
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, content] of lines.entries()) {
    try {
      if (content.trim() !== '') read(content, index + 1);
    } catch (error) {
      const found = error instanceof z.ZodError ? error.issues : [error as Error];
      problems.push(...new Set(found.map(({ message }) => `line ${index + 1}: ${message}`)));
    }
  }
  if (problems.length === 0 && questions.length === 0) problems.push('there is no question in the file');
  if (questions.length > maxQuestions) problems.push(`there are more than ${maxQuestions.toLocaleString('en')} questions in the file`);
  return { questions, problems };
}

// Which document an entry of `files` means: by its file below the namespace's folder, by its title, or by its source.

export type ExpectedPlace = Readonly<Record<'file' | 'title' | 'source', string>>;

const pathOf = (entry: string) => entry.trim().replaceAll('\\', '/').replace(/^\.\//, '');
/** A fragment or a slash at the end leads to the same page. */
const sourceOf = (entry: string) => (URL.canParse(entry) ? entry.trim().replace(/#.*$/, '').replace(/\/$/, '') : entry.trim());

export const isMeant = (entry: string, { file, title, source }: ExpectedPlace): boolean =>
  pathOf(entry) === file || entry.trim().toLowerCase() === title.toLowerCase() || sourceOf(entry) === sourceOf(source);

/** Entries that mean none of their namespace's documents, each with the lines that have it: a slip, or a document that is missing. */
export function unknownFiles(questions: readonly Question[], documents: ReadonlyMap<string, readonly ExpectedPlace[]>) {
  const unknown = new Map<string, { readonly namespace: string; readonly entry: string; readonly lines: number[] }>();
  for (const { namespace, files, line } of questions) {
    for (const entry of files) {
      const name = JSON.stringify([namespace, entry]);
      if (documents.get(namespace)?.some((place) => isMeant(entry, place))) continue;
      unknown.set(name, { namespace, entry, lines: [...(unknown.get(name)?.lines ?? []), line] });
    }
  }
  return [...unknown.values()];
}
