/**
 * The reply where no model is set up: the few sentences of the passages of the turn that answer, marked like a model's, so that they go
 * through the same check; nothing where none answers surely enough.
 */
import { splitQuestion } from '../../calls/calls-question.ts';
import { foundTextOf } from '../../documents/document.ts';
import { toPlainPassage } from '../../grounding/plain-passage.ts';
import { languageOf } from '../../language/languages.ts';
import { segments } from '../../language/segments.ts';
import { contentWords } from '../../language/tokens.ts';
import { passageLabelOf } from '../../reply/sources.ts';
import { confidenceOf, minConfidence } from './answer-confidence.ts';
import { type Extract, type ExtractInput, extractAnswer, type RankedPassage } from './extract-answer.ts';
import { type QuestionPart, questionParts } from './question-parts.ts';
import { searchesOf, type Turn } from './turn.ts';

/** In a table row the marker stands inside the last cell, so that the line stays a row; after code below its fence. */
function withMarker({ text, number, kind, marker }: Extract): string {
  if (kind === 'row') return `${text.replace(/\|\s*$/, '').trimEnd()} [${number}] |`;
  if (kind === 'code') return `\`\`\`\n${text}\n\`\`\`\n[${number}]`;
  if (kind === 'item') return `${marker ?? '-'} ${text} [${number}]`;
  // Where a quotation goes on to the next line, the mark of its first line shows that it is one.
  return `${/\n\s*>/.test(text) ? '> ' : ''}${text} [${number}]`;
}

/** What tools found was asked for: the first sentence of each record says what it is, and of one alone the second says more. */
const fromRecords = (records: readonly RankedPassage[]): string[] =>
  records.flatMap(({ number, text }, order) => {
    const sentences = [...segments(text)].slice(0, records.length === 1 ? 2 : 1);
    return sentences.map(({ start, end }) => `${order > 0 ? '- ' : ''}${text.slice(start, end)} [${number}]`);
  });

/** Where one part of a question is surely answered, the documents are about the other one too. */
const minConfidenceBeside = minConfidence / 2;

/** Each part of a question by itself, or the whole where no part is surely answered. */
function sureExtracts({ question, asked, passages }: ExtractInput): Extract[] {
  const answer = (part: QuestionPart) => {
    const extracted = extractAnswer({ question: part.text, asked: part.asked, passages });
    return extracted ? [{ ...extracted, confidence: confidenceOf(extracted.features) }] : [];
  };
  const parts = questionParts(question, asked);
  const found = parts.flatMap(answer);
  const isSure = found.some(({ confidence }) => confidence >= minConfidence);
  const sure = isSure
    ? found.filter(({ confidence }) => confidence >= minConfidenceBeside)
    : parts.length > 1
      ? answer({ text: question, asked }).filter(({ confidence }) => confidence >= minConfidence)
      : [];
  const extracts = sure.flatMap((one) => one.extracts);
  return extracts.filter(({ text }, at) => extracts.findIndex((one) => one.text === text) === at);
}

/** @returns nothing where no sentence answers surely enough */
export function extractiveReply(turn: Turn): string {
  const given = turn.passages.map((passage, position) => ({
    number: position + 1,
    label: passageLabelOf(passage),
    text: toPlainPassage(foundTextOf(passage)).text,
    language: passage.document.textLanguage,
    score: passage.score,
    isRecord: passage.isRecord === true,
  }));
  const records = fromRecords(given.filter(({ isRecord }) => isRecord));
  // Of a question with two parts the documents are asked the other one.
  const question = records.length > 0 ? splitQuestion(turn.question).rest : turn.question;
  const words = new Set(contentWords(question, languageOf(question)).map(({ term }) => term));
  const known = searchesOf(turn)[0]?.asked ?? [];
  const asked = records.length > 0 ? known.filter(({ forms }) => forms.some(({ term }) => words.has(term))) : known;
  const passages = given.filter(({ isRecord }) => !isRecord);
  const sentences = question === '' ? [] : sureExtracts({ question, passages, asked }).map(withMarker);
  return [...records, ...sentences].join('\n\n');
}
