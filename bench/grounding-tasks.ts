/**
 * Reference answers of mtrag-un with the passages that people wrote them from, split into sentences
 * like a reply. Excludes tasks without an answer in their passages and tasks answered by a
 * question: no passage could support them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { segments } from '../packages/shared/src/language/segments.ts';
import { readLines } from './retrieval/collections.ts';
import { createRandom } from './retrieval/random.ts';
import { root } from './server.ts';

interface Row {
  readonly task_id: string;
  readonly contexts: readonly {
    readonly document_id: string;
    readonly text: string;
    readonly title?: string;
  }[];
  readonly targets: readonly { readonly text: string }[];
  readonly answerability: readonly string[];
  readonly Collection: string;
}

export interface Task {
  readonly collection: string;
  /**
   * Whether the documents answer only a part of the question; people then added their own
   * knowledge.
   */
  readonly isPartial: boolean;
  readonly documents: ReadonlySet<string>;
  readonly passages: readonly { readonly title: string; readonly text: string }[];
  readonly sentences: readonly string[];
}

const shuffleSeed = 12_345;

/**
 * Returns tasks in a fixed random order. If the folder is missing, prints that and exits with 0.
 */
export function loadTasks(): Task[] {
  const folder = process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data');
  const path = join(folder, 'mtrag-un/reference.jsonl.gz');
  if (!existsSync(path)) {
    console.log(
      `No test collections in ${folder}: nothing is measured. Set KNOWLEDGE_BENCH_DATA to their folder.`,
    );
    process.exit(0);
  }
  const random = createRandom(shuffleSeed);
  return readLines<Row>(path)
    .filter(
      ({ answerability: [kind], contexts }) =>
        (kind === 'ANSWERABLE' || kind === 'PARTIAL') && contexts.length > 0,
    )
    .map((row) => ({ row, draw: random.next() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ row }) => {
      const answer = row.targets[0]?.text ?? '';
      return {
        collection: row.Collection,
        isPartial: row.answerability[0] === 'PARTIAL',
        documents: new Set(row.contexts.map(({ document_id }) => document_id)),
        passages: row.contexts.map(({ title, text }) => ({ title: title ?? '', text })),
        sentences: [...segments(answer)].map(({ start, end }) => answer.slice(start, end)),
      };
    });
}

const sharesDocument = (a: Task, b: Task) =>
  [...a.documents].some((document) => b.documents.has(document));

/** Returns the next task written from other documents, optionally of the same collection. */
export function foreignTo(
  task: Task,
  tasks: readonly Task[],
  isSameCollection: boolean,
): Task | undefined {
  const at = tasks.indexOf(task);
  const others = [...tasks.slice(at + 1), ...tasks.slice(0, at)];
  return others.find(
    (other) =>
      (!isSameCollection || other.collection === task.collection) && !sharesDocument(task, other),
  );
}
