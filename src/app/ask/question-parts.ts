/** A question that asks for two things → what each part asks, with what the other part is about as its background. */
import { fold } from '../../language/languages.ts';
import { rawWords } from '../../language/tokens.ts';
import { backgroundWeight } from '../../search/scoring.ts';
import type { QueryTerm } from '../../search/search-engine.ts';

export interface QuestionPart {
  readonly text: string;
  /** The words of the question; those that the part does not ask for count less. */
  readonly asked: readonly QueryTerm[];
}

const joint =
  /[?？]\s*(?=\S)|,?\s+(?:and|und|et|y|e|en)\s+(?:also\s+)?(?=(?:what|how|when|where|who|which|why|can|could|do|does|is|are|will|should|was|wie|wann|wo|wer|welche\p{L}*|kann|comment|quand|où|qui|quel\p{L}*|cómo|cuándo|dónde|quién|qué|cuánto\p{L}*)(?!\p{L}))/giu;
const maxParts = 3;

export function questionParts(question: string, asked: readonly QueryTerm[]): QuestionPart[] {
  const texts = question.split(joint).filter((text) => /\p{L}/u.test(text));
  const parts = texts.slice(0, maxParts).flatMap((text): QuestionPart[] => {
    const words = new Set(rawWords(text).map(fold));
    const isOwn = ({ word }: QueryTerm) => words.has(word);
    if (!asked.some((term) => isOwn(term) && term.isBackground !== true)) return [];
    const weighed = asked.map((term) => (isOwn(term) ? term : { ...term, idf: term.idf * backgroundWeight, isBackground: true }));
    return [{ text, asked: weighed }];
  });
  return parts.length > 1 ? parts : [{ text: question, asked }];
}
