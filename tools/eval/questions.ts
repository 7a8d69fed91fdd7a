/**
 * The questions file: JSON Lines, one question per line, with expected text and documents. All
 * invalid lines are reported at once and nothing runs: a misspelled field name would change what is
 * measured.
 */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';

export interface ParseOptions {
  /** Namespace of questions without one. */
  readonly namespace: string;
  /** @throws Error that explains the invalid name */
  readonly parseNamespace: (name: string) => string;
}

/** Maximum characters that a pattern searches; answers are a few sentences. */
const maxSearchedChars = 20_000;
/** Milliseconds after which a backtracking pattern counts as not matching. */
const maxMatchMs = 250;

const asExpression = /^\/(.+)\/([a-z]*)$/is;

/** @param text text of an answer */
export const withoutMarkers = (text: string) => text.replace(/[ \t]*\[\d{1,3}\]/g, '');
const flat = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

function matches(source: string, flags: string, text: string): boolean {
  try {
    // Only a separate context allows a timeout. It is new for each test, because `g` and `y` keep
    // state.
    return runInNewContext(
      'pattern.test(text)',
      { pattern: new RegExp(source, flags), text },
      { timeout: maxMatchMs },
    ) as boolean;
  } catch (error) {
    // Errors of another context are not instances of this `Error`.
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return false;
    throw error;
  }
}

export interface Pattern {
  /** As in the questions file. */
  readonly written: string;
  readonly isIn: (answer: string) => boolean;
}

/**
 * Expected text: found in any case and across line breaks, or a regular expression `/…/flags`.
 * Matched with and without citation markers, so that `[1]` between two sentences does not matter.
 * @throws SyntaxError if `/…/flags` is not a regular expression
 */
export function parsePattern(written: string): Pattern {
  const [, source, flags = ''] = asExpression.exec(written) ?? [];
  if (source !== undefined) new RegExp(source, flags);
  const wanted = flat(written.trim());
  const isInForm = (form: string) =>
    source === undefined ? flat(form).includes(wanted) : matches(source, flags, form);
  return {
    written,
    isIn: (text: string) =>
      [text, withoutMarkers(text)].some((form) => isInForm(form.slice(0, maxSearchedChars))),
  };
}

const maxQuestions = 10_000;
/** Same limit as the agent's search. */
const maxQuestionChars = 2_000;
const maxEntries = 50;
const maxEntryChars = 1_000;
const maxIdChars = 200;
const keyHexDigits = 20;
const maxShownChars = 200;

const text = (maxChars: number, error: string) =>
  z.string(error).max(maxChars, error).regex(/\S/, error);
const oneText = (name: string, maxChars: number) =>
  text(maxChars, `"${name}" must be a text of 1 to ${maxChars.toLocaleString('en')} characters`);
function texts(name: string) {
  const error = `"${name}" must be a list of at most ${maxEntries} texts of 1 to ${maxEntryChars.toLocaleString('en')} characters`;
  return z.array(text(maxEntryChars, error), error).max(maxEntries, error).default([]);
}

const fields = {
  question: oneText('question', maxQuestionChars),
  namespace: z.unknown().optional(),
  files: texts('files'),
  patterns: texts('patterns'),
  unanswerable: z.boolean('"unanswerable" must be true or false').default(false),
  id: oneText('id', maxIdChars).optional(),
};
const lineSchema = z.strictObject(fields, {
  error: (issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown field "${issue.keys.join('", "').slice(0, maxShownChars)}"; fields: ${Object.keys(fields).join(', ')}`
      : 'not a JSON object',
});

/** @throws Error with `what`, the error of `read`, and `hint` */
function orProblem<T>(read: () => T, what: string, hint = ''): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}${hint}`, {
      cause: error,
    });
  }
}

export interface Question {
  /** Equal for the same question and expectations in any run. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
  readonly id: string | undefined;
  readonly question: string;
  readonly namespace: string;
  /** Documents with the answer, by file, title or source. */
  readonly files: readonly string[];
  /** All must match. */
  readonly patterns: readonly Pattern[];
  readonly isUnanswerable: boolean;
}

/** @throws Error that explains the invalid fields */
function toQuestion(
  fields: z.infer<typeof lineSchema>,
  line: number,
  options: ParseOptions,
): Question {
  const {
    question,
    namespace: given = options.namespace,
    files,
    patterns: written,
    unanswerable,
    id,
  } = fields;
  const hint = ' (write a text between slashes as /\\/a\\//)';
  const patterns = orProblem(() => written.map(parsePattern), 'invalid regular expression', hint);
  const namespace = orProblem(
    () => options.parseNamespace(typeof given === 'string' ? given : ''),
    '"namespace"',
  );
  if (unanswerable && files.length + written.length > 0)
    throw new Error('an unanswerable question must not have "files" or "patterns"');
  const identity = JSON.stringify([
    namespace,
    question,
    [...files].sort(),
    [...written].sort(),
    unanswerable,
  ]);
  const key = createHash('sha256').update(identity).digest('hex').slice(0, keyHexDigits);
  return {
    key,
    line,
    id,
    question: question.trim(),
    namespace,
    files,
    patterns,
    isUnanswerable: unanswerable,
  };
}

/**
 * Ignores empty lines. A repeated `id`, or a repeated text in one namespace, is a problem.
 * @returns problems as `line 3: …`, in order; if there are any, run nothing
 */
export function parseQuestions(text: string, options: ParseOptions) {
  const questions: Question[] = [];
  const problems: string[] = [];
  /** `id`, or namespace and text → first line with it. */
  const firstLines = new Map<string, number>();
  const read = (content: string, line: number) => {
    const question = toQuestion(lineSchema.parse(parseLine(content)), line, options);
    const names = [
      JSON.stringify([question.namespace, question.question]),
      question.id ?? [],
    ].flat();
    const first = names.flatMap((name) => firstLines.get(name) ?? [])[0];
    for (const name of names) if (!firstLines.has(name)) firstLines.set(name, line);
    if (first !== undefined) throw new Error(`repeats the "id" or question of line ${first}`);
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
  if (problems.length === 0 && questions.length === 0) problems.push('the file has no questions');
  if (questions.length > maxQuestions)
    problems.push(`the file has more than ${maxQuestions.toLocaleString('en')} questions`);
  return { questions, problems };
}

// How an entry of `files` names a document: by its file in the namespace's folder, its title or its
// source.

export type ExpectedPlace = Readonly<Record<'file' | 'title' | 'source', string>>;

const pathOf = (entry: string) => entry.trim().replaceAll('\\', '/').replace(/^\.\//, '');
/** Ignores a fragment and a trailing slash: they lead to the same page. */
const sourceOf = (entry: string) =>
  URL.canParse(entry) ? entry.trim().replace(/#.*$/, '').replace(/\/$/, '') : entry.trim();

export const isMeant = (entry: string, { file, title, source }: ExpectedPlace): boolean =>
  pathOf(entry) === file ||
  entry.trim().toLowerCase() === title.toLowerCase() ||
  sourceOf(entry) === sourceOf(source);

/** Entries without a matching document in their namespace, each with its lines. */
export function unknownFiles(
  questions: readonly Question[],
  documents: ReadonlyMap<string, readonly ExpectedPlace[]>,
) {
  const unknown = new Map<
    string,
    { readonly namespace: string; readonly entry: string; readonly lines: number[] }
  >();
  for (const { namespace, files, line } of questions) {
    for (const entry of files) {
      const name = JSON.stringify([namespace, entry]);
      if (documents.get(namespace)?.some((place) => isMeant(entry, place))) continue;
      unknown.set(name, { namespace, entry, lines: [...(unknown.get(name)?.lines ?? []), line] });
    }
  }
  return [...unknown.values()];
}
