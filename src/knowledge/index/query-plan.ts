/**
 * A query → slots: for each word worth searching for, the terms of the index that may stand for it. A word that no document holds may
 * be said differently there (the lexicon), or be a slip of the keyboard: then it stands for the words one slip away.
 */
import { fold, isStopWord, type Language, stem, stopWordShares } from '../text/languages.ts';
import { type QueryWord, queryWords } from '../text/query-words.ts';
import { isEnglishWord } from '../text/real-words.ts';
import { phrasesIn, synonymousPhrases, synonymsOf } from '../text/synonyms.ts';
import { rawWords, termsOf } from '../text/words.ts';
import { germanForms, mayBeMistyped, nearWords } from './near-words.ts';
import { backgroundWeight, idfOf, nearCertainty, nearWeight, synonymCertainty, synonymWeight } from './scoring.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A term that may stand for a word. */
interface StandIn {
  readonly term: string;
  /** How surely the term says what the word says, 0 to 1; 1 is the word itself. */
  readonly weight: number;
  /** How surely a chunk that holds the term speaks of the word, 0 to 1: a word of a phrase is worth a part of it, and tells all of it. */
  readonly certainty: number;
}

export interface Alternative extends StandIn {
  /** The term's number. */
  readonly id: number;
  /** What one occurrence is worth: idf times weight. */
  readonly impact: number;
}

export interface Slot {
  readonly word: QueryWord;
  /** Worth most first; empty where no document holds anything like it. */
  readonly alternatives: readonly Alternative[];
  /** What the whole word is worth. */
  readonly idf: number;
  /** Carried over from the conversation. */
  readonly isBackground?: boolean;
}

export interface Indexed {
  readonly vocabulary: Vocabulary;
  readonly chunks: number;
  /** Languages of the documents. */
  readonly languages: readonly Language[];
}

/** A longer query is searched by its first words; far more than any question holds. */
const maxQueryWords = 128;
/** Terms that may stand for one word, those that are worth most: each costs a walk through its chunks. */
const maxAlternatives = 6;
/** Of the words one slip away, those that most chunks hold. */
const maxNearWords = 4;

/** Soft hyphens and characters without width come with what is pasted. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** Languages in which a query may be asked, among those of the documents: those with the most stop words in it. */
function askedIn(query: string, languages: readonly Language[]): readonly Language[] {
  const shares = [...stopWordShares(query)].filter(([language]) => languages.includes(language));
  const most = Math.max(0, ...shares.map(([, share]) => share));
  return most === 0 ? languages : shares.filter(([, share]) => share === most).map(([language]) => language);
}

/** A short word is one slip from too many: `SAML` is not `same`. Only letters that changed places tell there. */
const isPlainSlip = (word: string, spelling: string): boolean =>
  spelling.length >= minPlainLength || (word.length === spelling.length && [...word].sort().join('') === [...spelling].sort().join(''));
const minPlainLength = 6;

interface Near {
  readonly terms: readonly string[];
  /** The slip is in a word that only says how something is asked. */
  readonly isStopWord: boolean;
}

function planQuery(query: string, { vocabulary, chunks, languages }: Indexed): Slot[] {
  const visible = query.replace(invisible, '');
  const asked = askedIn(visible, languages);
  const words = queryWords(visible, languages, asked).slice(0, maxQueryWords);
  const raw = rawWords(visible);
  const matches = asked.flatMap((language) => synonymousPhrases(raw, language));

  const holders = (term: string) => vocabulary.holders(term);
  const isKnown = (term: string) => holders(term) > 0;
  const idfOfAny = (terms: readonly string[]) => idfOf(Math.max(0, ...terms.map(holders)), chunks);

  function near(word: string): Near {
    if (!mayBeMistyped(word) || (asked.includes('en') && isEnglishWord(word))) return { terms: [], isStopWord: false };
    const found = new Set<string>();
    let isStop = false;
    for (const language of languages) {
      for (const spelling of nearWords(word, language)) {
        isStop ||= asked.includes(language) && isStopWord(spelling, language) && isPlainSlip(word, spelling);
        const term = stem(spelling, language);
        if (isKnown(term) && !isStopWord(spelling, language)) found.add(term);
      }
    }
    // What the documents hold is meant before what only asks.
    if (found.size === 0 && isStop) return { terms: [], isStopWord: true };
    const terms = [...found].sort((a, b) => holders(b) - holders(a) || (a < b ? -1 : 1)).slice(0, maxNearWords);
    return { terms, isStopWord: false };
  }

  /** Terms that mean the same as a word, or as a phrase that it is part of and has a share in. */
  function synonyms({ terms, position, isWhole }: QueryWord): readonly StandIn[] {
    const found = new Map<string, number>();
    for (const language of asked)
      for (const term of terms) for (const alike of synonymsOf(term, language)) if (isKnown(alike)) found.set(alike, 1);
    for (const { from, to, stems } of isWhole ? [] : matches) {
      if (position < from || position >= to) continue;
      const members = words.filter((word) => word.position >= from && word.position < to && !word.isWhole).length;
      for (const term of stems) if (isKnown(term)) found.set(term, Math.max(found.get(term) ?? 0, 1 / members));
    }
    return [...found].map(([term, share]) => ({ term, weight: synonymWeight * share, certainty: synonymCertainty }));
  }

  function slot(word: QueryWord, standIns: readonly StandIn[], wholeIdf: number): Slot {
    const idf = wholeIdf * word.share;
    const alternatives = standIns.map((standIn): Alternative => {
      const { term, weight } = standIn;
      const own = weight === 1 ? idf : word.share * Math.min(wholeIdf, idfOfAny([term]));
      return { ...standIn, id: vocabulary.find(term) as number, impact: weight * own };
    });
    alternatives.sort((a, c) => c.impact - a.impact || a.id - c.id);
    return { word, alternatives: alternatives.slice(0, maxAlternatives), idf };
  }

  /** A German word that is known in another form alone. */
  const respelled = (word: string): readonly string[] =>
    languages.includes('de') ? germanForms(word).flatMap((form) => termsOf(form, 'de').filter(isKnown)) : [];

  /** In scripts without spaces a phrase of the lexicon stands for the others of its group as one more thing that is asked. */
  const phrases = asked.flatMap((language) =>
    phrasesIn(fold(visible), language).flatMap(({ phrase, others }): Slot[] => {
      const found = others.flatMap((other): StandIn[] => {
        const terms = termsOf(other, language).filter(isKnown);
        const said = terms.includes(other) ? [other] : terms;
        return said.map((term) => ({ term, weight: synonymWeight / said.length, certainty: synonymCertainty }));
      });
      const word = { word: phrase, terms: [], isName: false, isStop: false, isWhole: true, share: 1, position: 0 };
      return found.length === 0 ? [] : [slot(word, found, idfOfAny(found.map(({ term }) => term)))];
    }),
  );

  const slots = words.flatMap((word): Slot[] => {
    const exact = word.terms.filter(isKnown);
    if (exact.length === 0) exact.push(...respelled(word.word));
    const alike = synonyms(word).filter(({ term }) => !exact.includes(term));
    if (exact.length > 0) return [slot(word, [...exact.map((term) => ({ term, weight: 1, certainty: 1 })), ...alike], idfOfAny(exact))];
    const meant = near(word.word);
    if (meant.isStopWord) return [];
    const standIns = [...alike, ...meant.terms.map((term) => ({ term, weight: nearWeight, certainty: nearCertainty }))];
    return [slot(word, standIns, idfOfAny(standIns.map(({ term }) => term)))];
  });
  return [...slots, ...phrases];
}

/** The slots of a query, and of what the conversation was about. Of a query that only points back ("how long does it take?") nothing else is left. */
export function planConversation(query: string, background: string, indexed: Indexed): readonly Slot[] {
  const own = planQuery(query, indexed);
  const hasContent = own.some(({ word }) => !word.isStop);
  // Words that only ask are searched where there are no others, but cover nothing.
  if (background === '') return hasContent ? own : own.map((slot) => ({ ...slot, isBackground: true }));
  const kept = hasContent ? own : [];
  const terms = new Set(kept.flatMap(({ alternatives }) => alternatives.map(({ term }) => term)));
  const carried = planQuery(background, indexed)
    .filter(({ alternatives }) => !alternatives.some(({ term }) => terms.has(term)))
    .map(
      (slot): Slot => ({
        ...slot,
        idf: slot.idf * backgroundWeight,
        alternatives: slot.alternatives.map((one) => ({ ...one, impact: one.impact * backgroundWeight })),
        isBackground: kept.length > 0,
      }),
    );
  return [...kept, ...carried];
}
