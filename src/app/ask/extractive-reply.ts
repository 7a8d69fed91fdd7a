/**
 * Replies without a model: answering sentences with citation marks, checked like a model's reply.
 * Without supported sentences: excerpts.
 */

import { toPlainPassage } from '../../../packages/grounding/src/plain-passage.ts';
import { languageOf } from '../../../packages/shared/src/language/languages.ts';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../../packages/shared/src/language/tokens.ts';
import { markdownLines } from '../../../packages/shared/src/markdown/lines.ts';
import { splitQuestion } from '../../calls/calls-question.ts';
import { foundTextOf } from '../../documents/document.ts';
import { type Answer, closest, refusal } from '../../reply/answer.ts';
import { plainPassageOf } from '../../reply/checked-passage.ts';
import {
  citationAt,
  closestPlaces,
  labelAt,
  rowAsText,
  shareInformativeWords,
} from '../../reply/closest.ts';
import { passageLabelOf } from '../../reply/sources.ts';
import {
  type Extract,
  type ExtractInput,
  extractAnswer,
  isSure,
  questionParts,
  type RankedPassage,
} from './extract-answer.ts';
import { answerWriterOf, languageOfQuestion, searchesOf, type Turn, wordingOf } from './turn.ts';

const unpadded = (row: string): string => row.replace(/[ \t]+/g, ' ').trim();

/**
 * Puts the citation into the last cell of a table row, because rows end with `|`, or below a code
 * fence. A single item has no bullet.
 */
function withMarker(
  { text, number, kind, marker }: Extract,
  _: number,
  all: readonly Extract[],
): string {
  if (kind === 'row') return `${unpadded(text).replace(/\|$/, '').trimEnd()} [${number}] |`;
  if (kind === 'code') return `\`\`\`\n${text}\n\`\`\`\n[${number}]`;
  if (kind === 'item' && all.filter((one) => one.kind === 'item').length > 1)
    return `${marker ?? '-'} ${text} [${number}]`;
  // A multi-line quotation keeps the `>` of its first line.
  return `${/\n\s*>/.test(text) ? '> ' : ''}${text} [${number}]`;
}

/** First sentence of each record; if there is only one record, its first two. */
const fromRecords = (records: readonly RankedPassage[]): string[] =>
  records.flatMap(({ number, text }, order) => {
    const sentences = [...segments(text)].slice(0, records.length === 1 ? 2 : 1);
    return sentences.map(
      ({ start, end }) => `${order > 0 ? '- ' : ''}${text.slice(start, end)} [${number}]`,
    );
  });

function sureExtracts({ question, asked, passages }: ExtractInput): Extract[] {
  const found = questionParts(question, asked).map((part) =>
    extractAnswer({ question: part.text, asked: part.asked, passages }),
  );
  if (!found.every((one) => one && isSure(one.features))) return [];
  const extracts = found.flatMap((one) => one?.extracts ?? []);
  return extracts.filter(({ text }, at) => extracts.findIndex((one) => one.text === text) === at);
}

export function extractiveReply(turn: Turn): string {
  const given = turn.passages.map((passage, position) => {
    const plain = toPlainPassage(foundTextOf(passage));
    return {
      number: position + 1,
      label: passageLabelOf(passage),
      labelAt: labelAt({ passage, plain }),
      text: plain.text,
      language: passage.document.textLanguage,
      score: passage.score,
      isRecord: passage.isRecord === true,
    };
  });
  const records = fromRecords(given.filter(({ isRecord }) => isRecord));
  const isAboutCalls = records.length > 0 || turn.lookupError !== undefined;
  const question = isAboutCalls ? splitQuestion(turn.question).rest : turn.question;
  const words = new Set(contentWords(question, languageOf(question)).map(({ term }) => term));
  const known = searchesOf(turn)[0]?.asked ?? [];
  const asked = isAboutCalls
    ? known.filter(({ forms }) => forms.some(({ term }) => words.has(term)))
    : known;
  const passages = given.filter(({ isRecord }) => !isRecord);
  const sentences =
    question === '' ? [] : sureExtracts({ question, passages, asked }).map(withMarker);
  return [...records, ...sentences].join('\n\n');
}

function closestAnswer(turn: Turn): Answer {
  const checked = turn.passages.map((passage) => ({ passage, plain: plainPassageOf(passage) }));
  const asked = searchesOf(turn)[0]?.asked ?? [];
  const language = languageOfQuestion(turn);
  // A question in another language shares few words with any document.
  const isForeign =
    turn.passages[0] !== undefined && language !== turn.passages[0].document.textLanguage;
  const places =
    isForeign || shareInformativeWords(checked, asked)
      ? closestPlaces(checked, asked, turn.question)
      : [];
  const citations = places.flatMap((place, order) => {
    const found = checked[place.passage];
    return found ? [citationAt(found, place, order + 1)] : [];
  });
  return citations.length > 0 ? closest(citations, wordingOf(turn)) : refusal(wordingOf(turn));
}

const frame = /^\|(?: --- \|)+$/;
const citedRow = /^(.*?)((?:\s*\[\d{1,3}\])+)\s*\|$/;

export function withoutPipes(text: string): string {
  const shown: string[] = [];
  let header = '';
  const lines = [...markdownLines(text)];
  const isFrame = (at: number) => lines[at]?.kind === 'prose' && frame.test(lines[at]?.text ?? '');
  const isRow = (at: number) =>
    lines[at]?.kind === 'prose' &&
    lines[at]?.text.startsWith('|') &&
    !isFrame(at) &&
    !isFrame(at + 1);
  const bullet = lines.filter((_, at) => isRow(at)).length > 1 ? '- ' : '';
  for (const [at, { text: line }] of lines.entries()) {
    if (isFrame(at + 1)) header = line;
    else if (isRow(at)) {
      const [, row = line, marks = ''] = citedRow.exec(line) ?? [];
      shown.push(`${bullet}${rowAsText(`${row} |`, header)}${marks}`);
    } else if (!isFrame(at)) shown.push(line);
  }
  return shown.join('\n');
}

/**
 * Answers a turn with sentences of its passages, checked like a model's; otherwise with excerpts.
 */
export function quotedAnswer(turn: Turn, maxSentences: number): Answer {
  const reply = extractiveReply(turn);
  const writer = answerWriterOf(turn, maxSentences);
  writer.push(reply);
  const { answer } = writer.end();
  return answer.reason === 'answered'
    ? { ...answer, text: withoutPipes(answer.text) }
    : closestAnswer(turn);
}
