import { readLists } from './read-lists.ts';

/** Phrases of messages and headings. They are apart because a check of sentences needs none. */
export const talkLexicon = readLists(
  ['small-talk', 'person-request', 'suggestions'],
  ['small-talk', 'person-request'],
);
