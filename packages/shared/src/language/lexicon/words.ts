import { readLists } from './read-lists.ts';

export const lexicon = readLists(
  [
    'stop-words',
    'negations',
    'affirmations',
    'opposites',
    'joints',
    'discourse',
    'numbers',
    'measures',
    'synonyms',
    'compound-parts',
  ],
  ['measure-symbols', 'measure-characters'],
);
