/** A sentence of an answer as the judge of support reads it, once for all the passages that it is held against. */
import type { Language } from '../text/languages.ts';
import { type SynonymMatch, synonymousPhrases } from '../text/synonyms.ts';
import { rawWords } from '../text/words.ts';
import { weightOf } from './alignment.ts';
import { type ExactParts, exactPartsOf } from './exact-parts.ts';
import { type Clause, clausesOf, type Word } from './statement.ts';
import { joinTurns } from './turns.ts';

export interface SentenceReading {
  readonly clauses: readonly Clause[];
  /** Its clauses, the small ones and conditions joined to their neighbours: what has to be told of. */
  readonly parts: readonly Clause[];
  /** The same with conditions by themselves: what is compared as one statement. */
  readonly compared: readonly Clause[];
  /** Telling words, each once. */
  readonly words: readonly Word[];
  readonly weight: number;
  readonly phrases: readonly SynonymMatch[];
  readonly exact: ExactParts;
}

/** `Yes, …` answers the question and says nothing of its own. */
const opener =
  /^\W{0,3}(?:yes|no|sure|certainly|of course|absolutely|correct|right|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)[,.!:、，。！]\s*/iu;
/** `3.` at the end is the number of the next item. */
const nextItem = /[:.]\s+\d{1,2}\.$/;
/** A clause that tells less is no statement by itself. */
const minPartWeight = 1.2;

function joined(a: Clause, b: Clause): Clause {
  return {
    text: `${a.text}${b.text}`,
    words: [...new Map([...a.words, ...b.words].map((word) => [word.term, word])).values()],
    terms: new Set([...a.terms, ...b.terms]),
    figures: [...a.figures, ...b.figures],
    measures: new Set([...a.measures, ...b.measures]),
    turns: joinTurns(a.turns, b.turns),
    continues: a.continues,
    excepts: a.excepts || b.excepts,
    isCondition: b.isCondition,
  };
}

const isSmall = ({ words }: Clause) => weightOf(words) < minPartWeight;

function partsOf(clauses: readonly Clause[]): Clause[] {
  const parts: Clause[] = [];
  for (const clause of clauses) {
    const last = parts.at(-1);
    if (last && (isSmall(clause) || isSmall(last) || clause.excepts || last.isCondition)) parts[parts.length - 1] = joined(last, clause);
    else parts.push(clause);
  }
  return parts;
}

/** A small condition that denies nothing is nobody's contrary. */
function comparedOf(clauses: readonly Clause[]): Clause[] {
  const conditions = clauses.filter((clause) => clause.isCondition && (clause.turns.denies || !isSmall(clause)));
  return [...conditions, ...partsOf(clauses.filter(({ isCondition }) => !isCondition))];
}

function read(sentence: string, language: Language): SentenceReading {
  const clauses = clausesOf(sentence.normalize('NFKC').replace(opener, '').replace(nextItem, '.'), language);
  const words = [...new Map(clauses.flatMap((clause) => clause.words).map((word) => [word.term, word])).values()];
  return {
    clauses,
    parts: partsOf(clauses),
    compared: comparedOf(clauses),
    words,
    weight: weightOf(words),
    phrases: synonymousPhrases(rawWords(sentence), language),
    exact: exactPartsOf(sentence),
  };
}

const remembered = new Map<string, SentenceReading>();
const maxRemembered = 32;

export function readSentence(sentence: string, language: Language): SentenceReading {
  const key = `${language} ${sentence}`;
  let reading = remembered.get(key);
  if (!reading) {
    reading = read(sentence, language);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, reading);
  }
  return reading;
}
