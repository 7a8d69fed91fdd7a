/**
 * The questions file: JSON Lines, one question a line. Every wrong line is told at once, and a file with one is not run: a field with
 * a slip in its name would turn what is measured into something else.
 */
import { createHash } from 'node:crypto';
import { type Pattern, parsePattern } from './pattern.ts';

export interface Question {
  /** The same question with the same expectations, in any run. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
  readonly id: string | undefined;
  readonly question: string;
  readonly namespace: string;
  /** Documents that hold the answer, by file, title or source; none where the file names none. */
  readonly files: readonly string[];
  /** Each of them has to be in the answer. */
  readonly patterns: readonly Pattern[];
  readonly isUnanswerable: boolean;
}

export interface ParsedQuestions {
  readonly questions: readonly Question[];
  /** `line 3: …`, in the order of the lines; where there are any, nothing is to be run. */
  readonly problems: readonly string[];
}

export interface ParseOptions {
  /** Of questions that name none. */
  readonly namespace: string;
  /** @throws Error whose message says what is wrong with the name */
  readonly parseNamespace: (name: string) => string;
}

const maxQuestions = 10_000;
/** As much as the agent searches for. */
const maxQuestionChars = 2_000;
const maxEntries = 50;
const maxEntryChars = 1_000;
const maxIdChars = 200;
const keyHexDigits = 20;
const fields = ['question', 'namespace', 'files', 'patterns', 'unanswerable', 'id'];

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const isText = (value: unknown, maxChars: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxChars;

function textsOf(name: string, value: unknown, problems: string[]): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length <= maxEntries && value.every((entry) => isText(entry, maxEntryChars))) return value as string[];
  problems.push(`"${name}" has to be a list of at most ${maxEntries} texts of 1 to ${maxEntryChars.toLocaleString('en')} characters`);
  return [];
}

function patternsOf(texts: readonly string[], problems: string[]): Pattern[] {
  return texts.flatMap((text) => {
    try {
      return [parsePattern(text)];
    } catch (error) {
      problems.push(`a pattern is no regular expression: ${reasonOf(error)} (a text with slashes around it is written as /\\/a\\//)`);
      return [];
    }
  });
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** @param problems what is wrong with the line is put here */
function parseLine(text: string, line: number, options: ParseOptions, problems: string[]): Question | undefined {
  const value = objectOf(text);
  if (!value) {
    problems.push('not a JSON object');
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (!fields.includes(name)) problems.push(`there is no field "${name.slice(0, 50)}"; there are ${fields.join(', ')}`);
  }
  const { question, namespace = options.namespace, unanswerable = false, id } = value;
  if (!isText(question, maxQuestionChars))
    problems.push(`"question" has to be a text of 1 to ${maxQuestionChars.toLocaleString('en')} characters`);
  if (typeof unanswerable !== 'boolean') problems.push('"unanswerable" has to be true or false');
  if (id !== undefined && !isText(id, maxIdChars)) problems.push(`"id" has to be a text of 1 to ${maxIdChars} characters`);
  const files = textsOf('files', value['files'], problems);
  const patternTexts = textsOf('patterns', value['patterns'], problems);
  const patterns = patternsOf(patternTexts, problems);
  if (unanswerable === true && files.length + patternTexts.length > 0)
    problems.push('a question that is unanswerable has neither "files" nor "patterns"');
  let parsedNamespace = '';
  try {
    parsedNamespace = options.parseNamespace(typeof namespace === 'string' ? namespace : '');
  } catch (error) {
    problems.push(`"namespace": ${reasonOf(error)}`);
  }
  if (problems.length > 0) return undefined;
  const identity = JSON.stringify([parsedNamespace, question, [...files].sort(), [...patternTexts].sort(), unanswerable]);
  return {
    key: createHash('sha256').update(identity).digest('hex').slice(0, keyHexDigits),
    line,
    id: id as string | undefined,
    question: (question as string).trim(),
    namespace: parsedNamespace,
    files,
    patterns,
    isUnanswerable: unanswerable as boolean,
  };
}

/** Empty lines are no questions. Of two with the same `id`, or the same text in one namespace, the second is a problem. */
export function parseQuestions(text: string, options: ParseOptions): ParsedQuestions {
  const questions: Question[] = [];
  const problems: string[] = [];
  const firstLines = new Map<string, number>();
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const found: string[] = [];
    const question = parseLine(content, line, options, found);
    if (question) {
      const same = JSON.stringify([question.namespace, question.question]);
      const first = firstLines.get(same) ?? (question.id === undefined ? undefined : firstLines.get(question.id));
      if (first === undefined) questions.push(question);
      else found.push(`the same "id" or question as line ${first}`);
      for (const name of [same, question.id]) if (name !== undefined && !firstLines.has(name)) firstLines.set(name, line);
    }
    problems.push(...found.map((problem) => `line ${line}: ${problem}`));
  }
  if (problems.length === 0 && questions.length === 0) problems.push('there is no question in the file');
  if (questions.length > maxQuestions) problems.push(`there are more than ${maxQuestions.toLocaleString('en')} questions in the file`);
  return { questions, problems };
}
