/**
 * Every spelling at one slip from a word: two neighbouring letters swapped, one left out, one too many, one for another
 * (Damerau 1964: four in five misspellings are one of these). What is looked up are the stems of these spellings, so that a slip in an
 * ending is found as well as one in the stem.
 */
import type { Language } from '../text/languages.ts';

const latin = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: Readonly<Partial<Record<Language, string>>> = {
  de: `${latin}äöüß`,
  en: latin,
  es: `${latin}áéíóúñ`,
  fr: `${latin}éèêàçôîûù`,
  it: `${latin}àèéìòù`,
  nl: `${latin}ëé`,
  pt: `${latin}áâãçéêíóôõú`,
  ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
};

/** In a shorter word a slip leaves too little to tell what was meant. */
const minLetters = 4;
const maxLetters = 24;
const lettersOnly = /^[\p{Script=Latin}\p{Script=Cyrillic}]+$/u;

export const mayBeMistyped = (word: string): boolean => word.length >= minLetters && word.length <= maxLetters && lettersOnly.test(word);

/** How people write a German word without the keys for it: `Kuendigung`, `Gebuehr`. */
const digraphs: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };

/** @returns the word with its umlauts, where it is written without */
const withUmlauts = (word: string): string => word.replace(/ae|oe|(?<![aeq])ue/g, (pair) => digraphs[pair] ?? pair);

/** `gekündigt`, `heruntergeladen`: the stemmer leaves the `ge` of a participle where it stands. */
const participle = /^(\p{L}{2,8}?)?ge(\p{L}{3,}?)(?:en|e?t)$/u;

/** Other forms of a German word under which it may be known: with umlauts, and the infinitive of a participle. */
export function germanForms(word: string): readonly string[] {
  const spelled = withUmlauts(word);
  const infinitives = [...new Set([word, spelled])].flatMap((form) => {
    const [, prefix = '', root] = participle.exec(form) ?? [];
    return root === undefined ? [] : [`${prefix}${root}en`];
  });
  return [...(spelled === word ? [] : [spelled]), ...infinitives];
}

/** @param word lower case, letters only. Some come more than once. */
export function* nearWords(word: string, language: Language): Generator<string> {
  for (let at = 0; at + 1 < word.length; at++) {
    if (word[at] !== word[at + 1]) yield `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  }
  for (let at = 0; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1);
  for (let at = 0; at <= word.length; at++) {
    for (const letter of alphabets[language] ?? latin) {
      yield word.slice(0, at) + letter + word.slice(at);
      if (at < word.length && word[at] !== letter) yield word.slice(0, at) + letter + word.slice(at + 1);
    }
  }
}
