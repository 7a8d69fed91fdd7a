/**
 * Words for figures and units in each language → the names that all languages share, from the lexicons. `30 days`, `thirty days` and
 * `30日` state the same.
 */
import { fold, type Language } from '../text/languages.ts';
import { measureCharacters, measureSymbols, measureWords } from '../text/lexicon/measures.ts';
import { numberWords } from '../text/lexicon/number-words.ts';
import { unshared } from '../text/unshared.ts';

interface Measures {
  /** Unit of a word wherever it stands. */
  of(word: string): string | undefined;
  /** Unit of what follows a figure, short forms included. */
  afterFigure(word: string): string | undefined;
  /** Figure that a word stands for. */
  numberOf(word: string): string | undefined;
}

function parseLines(lines: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of lines.trim().split('\n')) {
    const [name = '', words = ''] = line.split(/: (.*)/);
    for (const word of words.split(' ')) names.set(word, name);
  }
  return names;
}

const symbols = parseLines(measureSymbols);
const characters = [...parseLines(measureCharacters)].sort((a, b) => b[0].length - a[0].length);

const germanTens = ['zwanzig', 'dreissig', 'vierzig', 'funfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig'];
const germanOnes = ['ein', 'zwei', 'drei', 'vier', 'funf', 'sechs', 'sieben', 'acht', 'neun'];

function parseNumbers(language: keyof typeof numberWords): Map<string, string> {
  const numbers = new Map<string, string>();
  for (const entry of numberWords[language].split('|')) {
    const [value = '', ...words] = entry.split(' ');
    for (const word of words) numbers.set(word, value);
  }
  if (language === 'de') {
    for (const [tens, ten] of germanTens.entries())
      for (const [ones, one] of germanOnes.entries()) numbers.set(`${one}und${ten}`, String((tens + 2) * 10 + ones + 1));
  }
  return numbers;
}

const maxRemembered = 20_000;

function remembering(make: (word: string) => string): (word: string) => string {
  const made = new Map<string, string>();
  return (word) => {
    let found = made.get(word);
    if (found === undefined) {
      found = make(word);
      if (made.size >= maxRemembered) made.clear();
      if (word.length < 40) made.set(unshared(word), found);
    }
    return found;
  };
}

const known = new Map<Language, Measures>();

/** A language without a lexicon of its own, and one without spaces, has the English words: units and product names are often English. */
export function measuresOf(language: Language): Measures {
  let measures = known.get(language);
  if (!measures) {
    const words = parseLines(language in measureWords ? measureWords[language as keyof typeof measureWords] : measureWords.en);
    const numbers = parseNumbers(language in numberWords ? (language as keyof typeof numberWords) : 'en');
    const folded = remembering(fold);
    const of = (word: string) => words.get(word) ?? words.get(folded(word));
    measures = {
      of,
      afterFigure: (word) => of(word) ?? symbols.get(word.toLowerCase()),
      numberOf: (word) => numbers.get(folded(word)),
    };
    known.set(language, measures);
  }
  return measures;
}

export const symbolMeasure = (symbol: string): string | undefined => symbols.get(symbol.toLowerCase());

/** The unit that a text of a script without spaces begins with. */
export const measureAtStart = (text: string): string | undefined => characters.find(([word]) => text.startsWith(word))?.[1];

const chineseDigits = '〇一二三四五六七八九';
const chineseNumber = /^[〇一二两三四五六七八九十百千万]{1,9}$/u;

/** `三十` → 30; undefined for what is no number. */
export function chineseFigure(text: string): number | undefined {
  if (!chineseNumber.test(text)) return undefined;
  let [whole, part, digit] = [0, 0, 0];
  for (const character of text.replaceAll('两', '二')) {
    const value = chineseDigits.indexOf(character);
    if (value >= 0) digit = value;
    else if (character === '万') [whole, part, digit] = [whole + (part + digit) * 10_000, 0, 0];
    else [part, digit] = [part + (digit || 1) * (character === '十' ? 10 : character === '百' ? 100 : 1_000), 0];
  }
  return whole + part + digit;
}
