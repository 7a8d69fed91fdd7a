/**
 * One typo per question, in a word of at least four letters that is not a function word, because
 * every engine drops those. Falls back to any word of four letters; a question without one stays
 * unchanged. All five kinds are equally likely at any letter, including the first, which is harder
 * than real typos.
 */
import type { Question } from './collections.ts';
import { createRandom, type Random } from './random.ts';
import { isStopWord } from './stop-words.ts';

const minLetters = 4;
const word = /[a-z]+(?:['’][a-z]+)*/giu;
const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const alphabet = 'abcdefghijklmnopqrstuvwxyz';
/** Share of wrong letters that are next to the right one on the keyboard. */
const neighbourShare = 0.7;

/** Adjacent keys on a QWERTY keyboard. */
function neighbours(letter: string): string[] {
  const row = rows.findIndex((keys) => keys.includes(letter));
  const at = rows[row]?.indexOf(letter) ?? -1;
  const beside = [
    rows[row]?.[at - 1],
    rows[row]?.[at + 1],
    rows[row - 1]?.[at],
    rows[row - 1]?.[at + 1],
  ];
  return [...beside, rows[row + 1]?.[at - 1], rows[row + 1]?.[at]].filter(
    (key) => key !== undefined,
  );
}

/** A wrong letter in the case of the right one. */
function wrongLetter(right: string, random: Random): string {
  const beside = neighbours(right.toLowerCase());
  const wrong =
    random.next() < neighbourShare && beside.length > 0
      ? random.pick(beside)
      : random.pick([...alphabet]);
  return right === right.toUpperCase() ? wrong.toUpperCase() : wrong;
}

const kinds: readonly ((text: string, at: number, random: Random) => string)[] = [
  function swap(text, at) {
    const first = Math.min(at, text.length - 2);
    return `${text.slice(0, first)}${text[first + 1]}${text[first]}${text.slice(first + 2)}`;
  },
  function drop(text, at) {
    return text.slice(0, at) + text.slice(at + 1);
  },
  function double(text, at) {
    return text.slice(0, at + 1) + text.slice(at);
  },
  function replace(text, at, random) {
    return text.slice(0, at) + wrongLetter(text[at]!, random) + text.slice(at + 1);
  },
  function insert(text, at, random) {
    return text.slice(0, at) + wrongLetter(text[at]!, random) + text.slice(at);
  },
];

function misspell(text: string, random: Random): string {
  let misspelt = text;
  // Swapping two equal letters, or a letter with itself, is not a typo yet.
  while (misspelt.toLowerCase() === text.toLowerCase())
    misspelt = random.pick(kinds)(text, random.below(text.length), random);
  return misspelt;
}

function withTypo(text: string, random: Random): string {
  const long = [...text.matchAll(word)].filter(
    ([each]) => each.length >= minLetters && /^[a-z]+$/i.test(each),
  );
  const telling = long.filter(([each]) => !isStopWord(each));
  const candidates = telling.length > 0 ? telling : long;
  if (candidates.length === 0) return text;
  const { 0: chosen, index } = random.pick(candidates);
  return text.slice(0, index) + misspell(chosen, random) + text.slice(index + chosen.length);
}

/** Adds one typo to each question; another seed gives other typos. */
export function withTypos(questions: readonly Question[], seed: number): Question[] {
  const random = createRandom(seed);
  return questions.map(({ id, text }) => ({ id, text: withTypo(text, random) }));
}
