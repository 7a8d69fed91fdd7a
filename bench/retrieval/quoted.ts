/**
 * Padding: of the sentences that the service quotes without a key, how many answer what was asked, beside how many questions it answers.
 * The questions and the list of what answers each are in `bench/questions/quoted.jsonl`; that list was read off the documents: the sentences,
 * rows, items and code that tell what was asked, for every plan where the question names none, with the conditions of it. The documents are
 * the sample ones (ours), the guides of undici and pino (MIT) and READMEs of dependencies (each MIT), so that nothing has to be copied here.
 * Prints a table; with `-v` each question with its sentences, `+` those that answer. Run: npm run bench:quoted [-- -v]
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compose, type Parts } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { segments } from '../../src/language/segments.ts';
import { root } from '../server.ts';
import { filesOf } from './question-sets.ts';

const { values: settings } = parseArgs({ options: { verbose: { type: 'boolean', short: 'v', default: false } } });

type SetName = 'sample' | 'undici' | 'readmes';

interface Case {
  readonly id: string;
  readonly set: SetName;
  readonly question: string;
  /** `unanswerable`: near to what the documents are about, but they do not say it. */
  readonly kind: 'answerable' | 'unanswerable';
  /** Regular expressions, case-insensitive; a sentence answers where one of these or of the parts matches it. */
  readonly answers: readonly string[];
  /** What answers each thing that is asked for, where `answers` beside them are but conditions and the like: alone they make nothing right. */
  readonly parts?: readonly (readonly string[])[];
}

interface DocumentFile {
  readonly file: string;
  readonly path: string;
}

const sampleFolder = join(root, 'knowledge/default');
const readmes = ['close-with-grace', 'defuddle', 'minisearch', 'robots-parser', 'yauzl', 'yazl'];
const documents: Readonly<Record<SetName, readonly DocumentFile[]>> = {
  sample: readdirSync(sampleFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ file: name, path: join(sampleFolder, name) })),
  undici: filesOf('undici'),
  readmes: readmes.map((name) => ({ file: `${name}.md`, path: join(root, 'node_modules', name, 'README.md') })),
};
const setNames = Object.keys(documents) as SetName[];

const cases: readonly Case[] = readFileSync(join(root, 'bench/questions/quoted.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

/** As the regular expressions read it: without list marker, emphasis, backticks and the targets of links, on one line. */
const asJudged = (text: string): string =>
  text
    .replace(/\[([^\][]*)\](?:\([^)\s]*\)|\[[^\][]*\])/g, '$1')
    .replace(/\*\*|[`\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[-*+>]|\d{1,3}[.)]) /, '');

const holdsOneOf = (text: string, patterns: readonly string[]): boolean => patterns.some((pattern) => new RegExp(pattern, 'i').test(text));

const patternsOf = ({ answers, parts = [] }: Case): string[] => [...answers, ...parts.flat()];

/** @throws where a case is not whole, or one of its regular expressions finds nothing that could be quoted: the documents have changed */
function verify(): void {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const set of setNames) {
    const pieces = documents[set].flatMap(({ path }) => {
      const text = readFileSync(path, 'utf8');
      return [...segments(text)].map(({ start, end }) => asJudged(text.slice(start, end)));
    });
    for (const each of cases.filter((one) => one.set === set)) {
      const patterns = patternsOf(each);
      if (seen.has(each.id) || seen.has(each.question)) wrong.push(`${each.id}: its id or question stands there twice`);
      seen.add(each.id).add(each.question);
      if ((each.kind === 'answerable') !== patterns.length > 0) wrong.push(`${each.id}: ${each.kind}, with ${patterns.length} answers`);
      for (const pattern of patterns)
        if (!pieces.some((piece) => holdsOneOf(piece, [pattern]))) wrong.push(`${each.id}: nothing in ${set} matches ${pattern}`);
    }
  }
  if (seen.size !== 2 * cases.length) wrong.push('a case names no known set');
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

const citation = /\s(?:\[\d{1,2}\])+(?: \|)?(?=\s|$)/;

/** The quoted sentences of an answer: each ends in the marker of its citation. */
function quotedIn(text: string): string[] {
  const [body = ''] = text.split('\n\nSources:');
  // What stands behind the last marker is no quotation.
  return body.split(citation).slice(0, -1).map(asJudged);
}

/** The row that is shown as "header: value", as it stands in the document. */
const rowShownAs = (text: string, rows: readonly string[]): string => {
  const row = rows.find((one) =>
    asJudged(one)
      .split('|')
      .every((cell) => text.includes(cell.trim())),
  );
  return row === undefined ? text : asJudged(row);
};

interface Outcome {
  readonly set: SetName;
  readonly isAnswerable: boolean;
  readonly isAnswered: boolean;
  readonly sentences: readonly { readonly text: string; readonly isAnswer: boolean }[];
  /** Whether each thing that is asked for is answered. */
  readonly parts: readonly boolean[];
}

async function askOne({ api }: Parts, one: Case): Promise<Outcome> {
  const { id, set, question, kind, parts = [] } = one;
  const reply = await api.ask({ messages: [{ role: 'user', content: `@agent ${question}` }], namespace: set });
  const rows = reply.citations.flatMap(({ quote }) => quote.split('\n')).filter((line) => line.startsWith('|'));
  const quoted = reply.answered ? quotedIn(reply.text).map((text) => rowShownAs(text, rows)) : [];
  if (reply.answered && quoted.length === 0) throw new Error(`${id}: no quotation found in ${reply.text}`);
  const patterns = patternsOf(one);
  const asked = parts.length === 0 ? [patterns] : parts;
  const outcome: Outcome = {
    set,
    isAnswerable: kind === 'answerable',
    isAnswered: reply.answered,
    sentences: quoted.map((text) => ({ text, isAnswer: holdsOneOf(text, patterns) })),
    parts: asked.map((part) => quoted.some((text) => holdsOneOf(text, part))),
  };
  if (settings.verbose) tell(one, outcome);
  return outcome;
}

function tell({ id, set, question, kind }: Case, { isAnswered, sentences, parts }: Outcome): void {
  const ofParts = parts.length > 1 ? `, parts answered: ${parts.filter(Boolean).length} of ${parts.length}` : '';
  const lines = sentences.map(({ text, isAnswer }) => `  ${isAnswer ? '+' : '-'} ${text}`);
  console.log([`${id} in ${set} (${kind}): ${question}${isAnswered ? '' : ' – refused'}${ofParts}`, ...lines, ''].join('\n'));
}

const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** The cells of one line of the table. */
function cells(outcomes: readonly Outcome[]): (string | number)[] {
  const answerable = outcomes.filter(({ isAnswerable }) => isAnswerable);
  const unanswerable = outcomes.filter(({ isAnswerable }) => !isAnswerable);
  const answered = answerable.filter(({ isAnswered }) => isAnswered);
  const right = answered.filter((outcome) => outcome.parts.includes(true));
  const sentences = answered.flatMap((outcome) => outcome.sentences);
  const answering = sentences.filter(({ isAnswer }) => isAnswer).length;
  const parts = answerable.flatMap((outcome) => (outcome.parts.length > 1 ? outcome.parts : []));
  return [
    answerable.length,
    answered.length,
    right.length,
    sentences.length,
    `${answering} (${share(answering, sentences.length)})`,
    (sentences.length / answered.length).toFixed(2),
    `${parts.filter(Boolean).length}/${parts.length}`,
    `${unanswerable.filter(({ isAnswered }) => isAnswered).length}/${unanswerable.length}`,
  ];
}

function print(outcomes: readonly Outcome[]): void {
  console.log(
    `| documents | questions | answered | right: a sentence tells what was asked | sentences quoted | of them answer | sentences per answer | parts of two-part questions answered | answered though nothing answers |
|---|---|---|---|---|---|---|---|---|`,
  );
  for (const set of setNames) console.log(`| ${set} | ${cells(outcomes.filter((one) => one.set === set)).join(' | ')} |`);
  console.log(`| all | ${cells(outcomes).join(' | ')} |`);
}

verify();
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const knowledgeDir = join(folder, 'knowledge');
for (const set of setNames) for (const { file, path } of documents[set]) cpSync(path, join(knowledgeDir, set, file));
const parts = compose(parseConfig({ KNOWLEDGE_DIR: knowledgeDir, INDEX_DIR: join(folder, 'index'), LOG_LEVEL: 'silent' }));
try {
  await parts.open();
  const outcomes: Outcome[] = [];
  for (const one of cases) outcomes.push(await askOne(parts, one));
  print(outcomes);
} finally {
  await parts.close();
  rmSync(folder, { recursive: true, force: true });
}
