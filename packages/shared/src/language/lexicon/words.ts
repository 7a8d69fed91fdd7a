import { readLists } from './read-lists.ts';

export const lexicon = readLists(
  [
    'stop-words',
    'joining-words',
    'numbers',
    'measures',
    'synonyms',
    'compound-parts',
    'abbreviations',
  ],
  [
    'measure-symbols',
    'measure-characters',
    'question-words',
    'korean-particles',
    'contact-words',
    'reply-words',
    'traditional',
  ],
);
