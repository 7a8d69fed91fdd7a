/** Which passages a model is given: the best first, as many as fit into a budget of tokens. */
import type { Snippet } from '../types.ts';

/** About what six full chunks take; a model's own limit is far higher, its attention and its price are not. */
const maxContextTokens = 6_000;
/** Tokenizers of today's models: some four characters of text in a token, a character or more for each of the scripts without spaces. */
const charsPerToken = 4;
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;

/** An estimate from above for prose; code may take a third more. */
export function tokensOf(text: string): number {
  const heavy = text.match(dense)?.length ?? 0;
  return heavy + Math.ceil((text.length - heavy) / charsPerToken);
}

/** In their order; one that does not fit leaves its room to smaller ones after it. The first always fits. */
export function withinBudget(snippets: readonly Snippet[]): Snippet[] {
  let left = maxContextTokens;
  return snippets.filter(({ text }, position) => {
    const tokens = tokensOf(text);
    if (position > 0 && tokens > left) return false;
    left -= tokens;
    return true;
  });
}
