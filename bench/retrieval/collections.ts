/**
 * The public test collections (`../shared/data`, or KNOWLEDGE_BENCH_DATA): passages, questions, and
 * relevant passages per question. Their README explains sources, judgements and sampled questions;
 * this repository copies none of them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from '../server.ts';
import { createRandom } from './random.ts';

export interface Passage {
  readonly id: string;
  /** Empty if the collection has no titles. */
  readonly title: string;
  readonly text: string;
}

export interface Question {
  readonly id: string;
  readonly text: string;
  /** Only in mtrag-un: what the user asked before. */
  readonly before?: string;
}

export interface Collection {
  readonly name: string;
  readonly passages: readonly Passage[];
  /** Questions with at least one passage of a gain above 0. */
  readonly questions: readonly Question[];
  /** Questions on the passages' topics that no passage answers; only in squad2. */
  readonly unanswerable: readonly Question[];
  /** Question → passage → gain; a missing passage has a gain of 0. */
  readonly gains: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Question → alternative answers, verbatim from the passage; only in squad2. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** Minimum gain of a relevant passage for recall and reciprocal rank. */
  readonly minRelevantGain: number;
}

const names = ['squad2', 'medquad', 'npl'] as const;
const sampledQuestions = 1_000;
const sampleSeed = 12_345;

/** Reads gzipped JSON Lines. Splits only at byte 0x0A: some lines contain U+2028. */
export function readLines<T>(path: string): T[] {
  const bytes = gunzipSync(readFileSync(path));
  const records: T[] = [];
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(0x0a, from);
    const to = found < 0 ? bytes.length : found;
    if (to > from) records.push(JSON.parse(bytes.toString('utf8', from, to)));
    from = to + 1;
  }
  return records;
}

function readGains(path: string): Map<string, Map<string, number>> {
  const gains = new Map<string, Map<string, number>>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [question, passage, gain] = line.split('\t');
    if (!question || !passage || !(Number(gain) > 0)) continue;
    const judged = gains.get(question) ?? new Map<string, number>();
    gains.set(question, judged.set(passage, Number(gain)));
  }
  return gains;
}

/** Only squad2 has answers. */
function readAnswers(path: string): Map<string, readonly string[]> {
  if (!existsSync(path)) return new Map();
  const entries: Record<string, { readonly answers: readonly string[] }> = JSON.parse(
    gunzipSync(readFileSync(path)).toString(),
  );
  return new Map(Object.entries(entries).map(([question, { answers }]) => [question, answers]));
}

/** Draws one number per question in file order and takes the 1,000 smallest. */
function sample(questions: readonly Question[]): Question[] {
  const random = createRandom(sampleSeed);
  const drawn = questions.map((question) => ({ question, draw: random.next() }));
  return drawn
    .sort((a, b) => a.draw - b.draw)
    .slice(0, sampledQuestions)
    .map(({ question }) => question);
}

function loadCollection(folder: string, name: (typeof names)[number]): Collection {
  const path = join(folder, name);
  const asked = readLines<Question & { answerable?: boolean }>(join(path, 'queries.jsonl.gz'));
  const gains = readGains(join(path, 'qrels.tsv'));
  const questions = asked.filter(({ id, answerable }) => answerable !== false && gains.has(id));
  return {
    name,
    passages: readLines<Passage>(join(path, 'corpus.jsonl.gz')),
    questions: name === 'squad2' ? sample(questions) : questions,
    unanswerable: asked.filter(({ answerable }) => answerable === false),
    gains,
    answers: readAnswers(join(path, 'answers.json.gz')),
    minRelevantGain: name === 'medquad' ? 2 : 1,
  };
}

const dataFolder = () => process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data');

interface Task {
  readonly task_id: string;
  readonly contexts: readonly {
    readonly document_id: string;
    readonly title?: string;
    readonly text: string;
  }[];
  readonly input: readonly { readonly speaker: string; readonly text: string }[];
}

function askedIn({ input }: Task): Pick<Question, 'text' | 'before'> {
  const asked = input.filter(({ speaker }) => speaker === 'user').map(({ text }) => text);
  return { text: asked.at(-1) ?? '', before: asked.at(-2) ?? '' };
}

/** All answerable questions, not only the sampled ones. */
export const answerableIn = (name: string, gains: Collection['gains']): Question[] =>
  readLines<Question>(join(dataFolder(), name, 'queries.jsonl.gz')).filter(({ id }) =>
    gains.has(id),
  );

/**
 * Last questions of conversations (mtrag-un), without their context. A passage is relevant if its
 * answer was written from it.
 */
export function loadConversations(): Collection {
  const tasks = readLines<Task>(join(dataFolder(), 'mtrag-un/reference.jsonl.gz')).filter(
    ({ contexts }) => contexts.length > 0,
  );
  const passages = tasks.flatMap(({ contexts }) =>
    contexts.map(({ document_id: id, title = '', text }) => ({ id, title, text })),
  );
  return {
    name: 'mtrag-un',
    passages: [...new Map(passages.map((passage) => [passage.id, passage])).values()],
    questions: tasks.map((task) => ({
      id: task.task_id,
      ...askedIn(task),
    })),
    unanswerable: [],
    gains: new Map(
      tasks.map((task) => [
        task.task_id,
        new Map(task.contexts.map((context) => [context.document_id, 1])),
      ]),
    ),
    answers: new Map(),
    minRelevantGain: 1,
  };
}

/**
 * Loads all three. If the folder is missing, prints that and exits with 0: no check of the project
 * depends on it.
 */
export function loadCollections(): Collection[] {
  const folder = dataFolder();
  if (!existsSync(join(folder, names[0]))) {
    console.log(
      `No test collections in ${folder}: nothing is measured. Set KNOWLEDGE_BENCH_DATA to their folder.`,
    );
    process.exit(0);
  }
  return names.map((name) => loadCollection(folder, name));
}
