/**
 * Paraphrased questions in eleven languages over small libraries (`bench/languages`): how often the
 * right document is first, and among five. `en-inflected` tests other word forms; `mixed` combines
 * documents and questions of several languages. Prints a table. Run: npm run bench:languages
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server.ts';
import { indexMarkdown } from './markdown-index.ts';

interface Library {
  readonly documents: readonly {
    readonly file: string;
    readonly title: string;
    readonly text: string;
  }[];
  readonly questions: readonly { readonly question: string; readonly document: string }[];
}

const folder = join(root, 'bench/languages');
/** Several chunks may belong to one document. */
const chunks = 20;
const among = 5;

async function measure({
  documents,
  questions,
}: Library): Promise<{ first: number; found: number }> {
  const index = await indexMarkdown(
    documents.map(({ file, title, text }) => ({ file, content: `# ${title}\n\n${text}` })),
  );
  let first = 0;
  let found = 0;
  for (const { question, document } of questions) {
    const { hits } = await index.search(question, chunks);
    const rank = [...new Set(hits.map((hit) => hit.documentId))].indexOf(document);
    if (rank === 0) first++;
    if (rank >= 0 && rank < among) found++;
  }
  return { first, found };
}

const share = (part: number, whole: number) =>
  `${part}/${whole} (${((part / whole) * 100).toFixed(0)} %)`;

console.log(`| language | documents | right document first | among ${among} |\n|---|---|---|---|`);
for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const library: Library = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { first, found } = await measure(library);
  const asked = library.questions.length;
  console.log(
    `| ${name.replace('.json', '')} | ${library.documents.length} | ${share(first, asked)} | ${share(found, asked)} |`,
  );
}
