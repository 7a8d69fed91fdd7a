/**
 * Measures answers without a model: right ones among the stated answers, and whether the requested
 * fact appears in one of up to three sections. Questions: `bench/questions` and
 * the collection `replies` (collections.ts). A fact counts only if a file that contains it is
 * cited. Prints a table; with `-v` each question and its text. Run: npm run bench:keyless [-- -v]
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig } from '../../src/config.ts';
import { Context } from '../../src/context.ts';
import { root } from '../server.ts';
import { filesOf, offTopicQuestions, questionsOf, setNames } from './question-sets.ts';

const { values: settings } = parseArgs({
  options: { verbose: { type: 'boolean', short: 'v', default: false } },
});

interface Case {
  readonly id: string;
  readonly set: string;
  readonly namespace: string;
  readonly question: string;
  readonly kind: 'answerable' | 'unanswerable' | 'off-topic';
  readonly files: readonly string[];
  /** Case-insensitive regular expressions. */
  readonly fact: readonly string[];
}

const replies = join(
  process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data'),
  'replies',
);
const handbooks = ['18f', 'sourcegraph', 'traefik'];

function repliesCases(): Case[] {
  if (!existsSync(replies)) {
    console.log(`No replies in ${replies}: only the project's own questions are measured.`);
    return [];
  }
  const lines = readFileSync(join(replies, 'replies.jsonl'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => ({ fact: [], files: [], ...JSON.parse(line), set: 'replies' }));
}

const cases: readonly Case[] = [
  ...repliesCases(),
  ...setNames.flatMap((set) =>
    questionsOf(set).map((one) => ({ ...one, set, namespace: set, fact: one.answer })),
  ),
  ...setNames.flatMap((set) =>
    offTopicQuestions().map((one) => ({ ...one, set, namespace: set, fact: [] })),
  ),
];

interface Outcome extends Pick<Case, 'set' | 'kind'> {
  readonly reason: string;
  /** Whether the text contains the requested fact and cites a right file. */
  readonly isSeen: boolean;
  readonly sectionChars: number;
}

async function askOne(
  { api }: Context,
  { id, set, namespace, question, kind, files, fact }: Case,
): Promise<Outcome> {
  const reply = await api.ask({
    messages: [{ role: 'user', content: `@agent ${question}` }],
    namespace,
  });
  const [said = ''] = reply.text.split('\n\nSources:');
  const isCited = reply.citations.some(({ file }) => files.includes(file));
  const isSeen = isCited && fact.some((pattern) => new RegExp(pattern, 'i').test(said));
  if (settings.verbose)
    console.log(
      `${id} in ${set} (${kind}): ${reply.reason}${isSeen ? ', fact shown' : ''}\n  ${question}\n  ${said.replace(/\n+/g, '\n  ')}\n`,
    );
  return {
    set,
    kind,
    reason: reply.reason,
    isSeen,
    sectionChars: reply.reason === 'closest' ? said.length - (said.split('\n')[0] ?? '').length : 0,
  };
}

const share = (part: number, whole: number) =>
  whole === 0 ? '–' : `${part}/${whole} (${((100 * part) / whole).toFixed(0)} %)`;

function row(name: string, outcomes: readonly Outcome[]): string {
  const of = (kind: Case['kind']) => outcomes.filter((one) => one.kind === kind);
  const answered = outcomes.filter(({ reason }) => reason === 'answered');
  const right = answered.filter(({ isSeen }) => isSeen).length;
  const [answerable, unanswerable, foreign] = [
    of('answerable'),
    of('unanswerable'),
    of('off-topic'),
  ];
  const seen = answerable.filter(({ isSeen }) => isSeen).length;
  const ofAnswerable = answered.filter(({ kind }) => kind === 'answerable');
  const notAnswered = unanswerable.filter(({ reason }) => reason !== 'answered').length;
  const refused = foreign.filter(({ reason }) => reason === 'no_context').length;
  const notStated = foreign.filter(({ reason }) => reason !== 'answered').length;
  return `| ${[
    name,
    answerable.length,
    share(right, ofAnswerable.length),
    share(seen, answerable.length),
    outcomes.filter(({ kind, reason }) => kind === 'answerable' && reason === 'no_context').length,
    share(notAnswered, unanswerable.length),
    share(notStated, foreign.length),
    share(refused, foreign.length),
    Math.max(0, ...outcomes.map(({ sectionChars }) => sectionChars)),
  ].join(' | ')} |`;
}

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const knowledgeDir = join(folder, 'knowledge');
for (const set of setNames)
  for (const { file, path } of filesOf(set)) cpSync(path, join(knowledgeDir, set, file));
if (existsSync(replies))
  for (const name of handbooks)
    for (const file of readdirSync(join(replies, 'documents', name)))
      cpSync(join(replies, 'documents', name, file), join(knowledgeDir, name, file));
const parts = new Context(
  parseConfig({
    KNOWLEDGE_DIR: knowledgeDir,
    INDEX_DIR: join(folder, 'index'),
    LOG_LEVEL: 'silent',
  }),
);
try {
  await parts.open();
  const outcomes: Outcome[] = [];
  for (const one of cases) outcomes.push(await askOne(parts, one));
  console.log(`| questions | answerable | stated answers right | fact shown | refused | unanswerable not answered | off-topic not answered | off-topic refused | longest sections, characters |
|---|---|---|---|---|---|---|---|---|`);
  for (const set of new Set(cases.map((one) => one.set)))
    console.log(
      row(
        set,
        outcomes.filter((one) => one.set === set),
      ),
    );
} finally {
  await parts.close();
  rmSync(folder, { recursive: true, force: true });
}
