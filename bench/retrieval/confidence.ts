/**
 * How surely a sentence that is picked without a model answers: fits the weights (src/app/ask/answer-confidence.json) to SQuAD 2.0, whose
 * questions people answered, or could not answer, from a paragraph (CC BY-SA 4.0), and prints for each threshold how many questions are
 * answered and how many of them rightly: of SQuAD, and of the question sets of the support chat, which nothing is fitted to.
 * Run: npm run bench:confidence [-- --write]
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfidenceFeatures, confidenceFeatures, confidenceOf, minConfidence } from '../../src/app/ask/answer-confidence.ts';
import { type Extracted, extractAnswer } from '../../src/app/ask/extract-answer.ts';
import { compose } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { toPlainPassage } from '../../src/grounding/plain-passage.ts';
import { passageLabelOf } from '../../src/reply/sources.ts';
import { areaUnderCurve, fitLogistic } from '../logistic.ts';
import { root } from '../server.ts';
import { loadCollections } from './collections.ts';
import { indexPassages } from './ours.ts';
import { filesOf, offTopicQuestions, questionsOf, type SetName, setNames } from './question-sets.ts';

const passagesPerQuestion = 6;
const thresholds = [0.1, 0.15, 0.2, minConfidence, 0.3, 0.35, 0.4, 0.5, 0.6];

interface Case {
  readonly kind: 'answerable' | 'unanswerable' | 'off-topic';
  readonly features: ConfidenceFeatures | undefined;
  readonly isRight: boolean;
}

const toCase = (kind: Case['kind'], extracted: Extracted | undefined, holds: (text: string, number: number) => boolean): Case => ({
  kind,
  features: extracted?.features,
  isRight: kind === 'answerable' && (extracted?.extracts.some(({ text, number }) => holds(text, number)) ?? false),
});

async function casesOfSquad(): Promise<Case[]> {
  const squad = loadCollections().find(({ answers }) => answers.size > 0)!;
  const index = await indexPassages(squad.passages);
  const passages = new Map(squad.passages.map((passage) => [passage.id, passage]));
  const cases: Case[] = [];
  for (const [kind, questions] of [
    ['answerable', squad.questions],
    ['unanswerable', squad.unanswerable],
  ] as const)
    for (const { id, text: question } of questions) {
      const { hits, asked } = await index.search(question, passagesPerQuestion);
      const ranked = hits.map(({ documentId, score }, position) => {
        const { title, text } = passages.get(documentId)!;
        return { number: position + 1, label: title, text, language: 'en' as const, score };
      });
      const gold = (squad.answers.get(id) ?? []).map((text) => text.toLowerCase());
      const extracted = extractAnswer({ question, passages: ranked, asked });
      cases.push(toCase(kind, extracted, (text) => gold.some((each) => text.toLowerCase().includes(each))));
    }
  return cases;
}

async function casesOfChat(): Promise<Case[]> {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
  for (const set of setNames) for (const { file, path } of filesOf(set)) cpSync(path, join(folder, 'knowledge', set, file));
  const settings = { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index'), LOG_LEVEL: 'silent' };
  const { api, namespaces, open, close } = compose(parseConfig(settings));
  const ask = async (set: SetName, question: string) => {
    const { results } = await api.searchDocs({ query: question, namespace: set, maxResults: passagesPerQuestion });
    const { asked } = await (await namespaces.get(set)).index.search(question, passagesPerQuestion);
    const passages = results.map(({ text, title, headingPath, score }, position) => {
      const label = passageLabelOf({ document: { title }, headingPath } as unknown as Parameters<typeof passageLabelOf>[0]);
      return { number: position + 1, label, text: toPlainPassage(text).text, language: 'en' as const, score };
    });
    return { results, extracted: extractAnswer({ question, passages, asked }) };
  };
  try {
    await open();
    const cases: Case[] = [];
    for (const set of setNames)
      for (const { question, kind, files, answer } of [...questionsOf(set), ...offTopicQuestions()]) {
        const { results, extracted } = await ask(set, question);
        const isOf = (number: number) => files.includes(results[number - 1]?.file ?? '');
        cases.push(toCase(kind, extracted, (text, number) => isOf(number) && answer.some((one) => new RegExp(one, 'i').test(text))));
      }
    return cases;
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(name: string, cases: readonly Case[]): void {
  const scored = cases.map(({ kind, features, isRight }) => ({ kind, isRight, score: features ? confidenceOf(features) : 0 }));
  const area = areaUnderCurve(scored.map(({ score, isRight }) => ({ score, isTrue: isRight })));
  const count = (kind: Case['kind']) => cases.filter((one) => one.kind === kind).length;
  console.log(`\n| ${name}: area ${area.toFixed(3)} | right of ${count('answerable')} | answered with something else | unanswerable answered, of ${count('unanswerable')} | off-topic answered, of ${count('off-topic')} |
|---|---|---|---|---|`);
  for (const threshold of thresholds) {
    const answered = scored.filter(({ score }) => score >= threshold);
    const of = (kind: Case['kind']) => answered.filter((one) => one.kind === kind);
    const right = answered.filter(({ isRight }) => isRight).length;
    const used = threshold === minConfidence ? ' (used)' : '';
    console.log(
      `| ${threshold}${used} | ${right} | ${of('answerable').length - right} | ${of('unanswerable').length} | ${of('off-topic').length} |`,
    );
  }
}

const [squad, chat] = [await casesOfSquad(), await casesOfChat()];
const rows = squad.flatMap(({ features, isRight }) =>
  features ? [{ features: confidenceFeatures.map((name) => features[name]), isTrue: isRight }] : [],
);
const weights = fitLogistic(rows).map((weight) => Math.round(weight * 100) / 100);
const data = Object.fromEntries([['intercept', weights[0]], ...confidenceFeatures.map((name, at) => [name, weights[at + 1]])]);
console.log(JSON.stringify(data));
print('SQuAD 2.0, fitted to', squad);
print('support chat', chat);
if (process.argv.includes('--write'))
  writeFileSync(join(root, 'src/app/ask/answer-confidence.json'), `${JSON.stringify(data, undefined, 2)}\n`);
