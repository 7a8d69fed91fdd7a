/**
 * Stop words for the compared engines and for typos. A frozen copy of our list: changes of ours
 * must not move the others' scores.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also although always am an and any anybody anyone anything are aren't around as ask at away
  be because been before being below between both but by
  came can can't cannot could couldn't
  did didn't do does doesn't doing done don't down during
  each either else etc ever every everything example explain
  few find for from further
  get gets getting give gives given go goes going got
  had hadn't happen happens has hasn't have haven't having he he'd he'll he's hello help her here hers herself hey hi him himself his how
  however
  i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself
  just kind know let let's like long look made make makes many may maybe me mean means might mine more most much must my myself
  need needs neither no nobody nor not nothing now
  of off often oh ok okay on once one only onto or other others ought our ours ourselves out over own
  please possible
  rather really
  same say says see seem seems shall she should shouldn't show since so some somebody someone something sort still such
  take takes tell tells than thank thanks that that's the their theirs them themselves then there there's these they they'd they'll
  they're they've thing things think this those though through to too toward towards type types
  under until up upon us use used uses using
  very via
  want wants was wasn't way ways we we'd we'll we're we've well were weren't what what's whatever when where where's whether which while
  who who's whoever whole whom whose why will wish with within without won't work works would wouldn't
  yes yet you you'd you'll you're you've your yours yourself yourselves`
    .split(/\s+/)
    .map((word) => word.replace("'", '')),
);

const word = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
export const isStopWord = (text: string) => stopWords.has(text.toLowerCase().replace(/['’]/g, ''));

/**
 * Unique lowercase words of a query, without stop words and possessive endings; all words if
 * nothing else remains.
 */
export function meaningfulWords(query: string): string[] {
  const words = query.toLowerCase().match(word) ?? [];
  const kept = words.filter((each) => !isStopWord(each));
  const parts = (kept.length > 0 ? kept : words).flatMap((each) =>
    each.replace(/['’]s$/, '').split(/['’]/),
  );
  return [...new Set(parts)];
}
