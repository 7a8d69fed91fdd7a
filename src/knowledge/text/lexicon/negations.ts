/**
 * What denies a statement, any inflection of it; what holds such a word and denies nothing; words before which a part of a sentence
 * begins that says something of its own; and words that a part begins with whose subject stands in the part before it.
 */

export const negations = {
  en: "not, no, never, none, nor, neither, nobody, nothing, nowhere, without, cannot, can't, won't, don't, doesn't, isn't, aren't, wasn't, weren't, didn't, shouldn't, mustn't, couldn't, wouldn't, hasn't, haven't, hadn't, needn't, ain't, unless, except, excepting, hardly, scarcely, rarely, seldom, =barely, unable, fail, failure, refuse, lack, no longer, other than, apart from, neglect, cease",
  de: 'nicht, nie, niemals, ohne, kein, keine, keinen, keinem, keiner, keines, weder, noch nie, niemand, nichts, ausser, kaum, selten, ausgenommen',
  fr: "pas, jamais, sans, aucun, aucune, ni, rien, personne ne, sauf, n'est, n'ont, ne, n'a, n'y, hormis, excepte",
  es: 'no, nunca, sin, ningun, ninguna, ninguno, nada, nadie, jamas, tampoco, excepto, salvo, ni',
  it: 'non, mai, senza, nessun, nessuno, nessuna, niente, eccetto, tranne, ne',
  nl: 'niet, nooit, zonder, geen, niemand, niets, behalve, noch',
  pt: 'nao, nunca, sem, nenhum, nenhuma, nada, ninguem, exceto, salvo, jamais',
  ru: 'не, нет, никогда, без, никто, ничего, кроме, нельзя',
  ja: 'ません, ない, なし, 不可, なく, 除き, 除く, 除外, ず',
  zh: '不, 没有, 没, 无, 無, 未, 除外, 除了, 非',
  ko: '없, 않, 못, 아니',
} as const;

/** Hold a word that denies, and deny nothing; taken before the others. */
export const affirmations = {
  en: "not only, not just, not limited to, not hesitate, don't hesitate, no of, no matter, whether or not, not least, not to mention, no doubt, no wonder, nothing but, no problem, last but not least, why not, if not, no one but, no later than, no more than, not more than, no less than, not less than, no fewer than, no earlier than, no longer than, not exceed, no charge, no extra cost, no additional cost, at no cost, at no charge",
  de: 'nicht nur, ohne weiteres, nicht mehr als, nicht spater als',
  fr: 'non seulement, pas plus de, pas plus tard',
  es: 'no solo, no mas de, no mas tarde',
  ja: 'だけでなく, なければなりません, なければならない, 少なく, なくとも',
  zh: '不仅, 不但, 不超过, 不少于, 不包括, 不包含, 不得, 不可, 无论',
} as const;

/** What begins a part so takes something out of what the part before it says. */
export const exceptions =
  'except, unless, without, excluding, excepting, ausser, ohne, sauf, sans, hormis, excepto, salvo, sin, behalve, zonder';

/** A part of a sentence begins before each of these; what joins equals (`or`) hands a denial on. */
export const joints = {
  en: 'and, but, or, while, whereas, although, though, because, so, which, who, whose, unless, except, if, when, as well as, nor, without, excluding, including, plus, however, only if, provided',
  de: 'und, aber, oder, wahrend, obwohl, weil, sondern, ausser, wenn, sofern, sowie, ohne',
  fr: 'et, mais, ou, tandis que, sauf, si, sans',
  es: 'y, pero, o, mientras, excepto, salvo, si, sin',
  it: 'e, ma, o, mentre, se',
  nl: 'en, maar, of, terwijl, als',
  pt: 'e, mas, ou, enquanto, se',
} as const;

/** A part that begins so speaks of what the part before it speaks of. */
export const continuations = {
  en: "is, are, was, were, be, can, can't, cannot, could, may, might, must, mustn't, will, won't, would, shall, should, shouldn't, do, does, don't, doesn't, did, didn't, has, have, hasn't, haven't, not, never, isn't, aren't, then, also, except, unless, without, with, for, which, who, it, they, this, these, that, only, excluding, including, no, if, when, after, before",
  de: 'ist, sind, war, waren, kann, konnen, darf, durfen, muss, mussen, wird, werden, hat, haben, nicht, ausser, ohne, sie, er, es, wenn, nach, vor',
  fr: 'est, sont, peut, peuvent, doit, doivent, ne, sauf, sans, il, elle, ils, elles, si, apres, avant',
  es: 'es, son, esta, estan, puede, pueden, debe, deben, no, excepto, salvo, sin, si, despues, antes',
} as const;
