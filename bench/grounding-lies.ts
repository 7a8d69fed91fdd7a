/**
 * Turns true sentences into lies by rule: one thing is changed, as models do by mistake. The text
 * was not written for the check, and the rules use none of its lexicons.
 */

export interface MadeLie {
  readonly kind: string;
  readonly text: string;
}

const swaps: readonly (readonly [RegExp, string])[] = [
  [/\bbefore\b/, 'after'],
  [/\bafter\b/, 'before'],
  [/\bmore than\b/, 'less than'],
  [/\bless than\b/, 'more than'],
  [/\bat least\b/, 'at most'],
  [/\bup to\b/, 'over'],
  [/\bincrease(d|s)?\b/, 'decrease$1'],
  [/\breduce(d|s)?\b/, 'increase$1'],
  [/\ball\b/, 'some'],
  [/\bmust\b/, 'may'],
  [/\brequired\b/, 'optional'],
  [/\bfirst\b/, 'last'],
  [/\balways\b/, 'never'],
  [/\bincludes\b/, 'excludes'],
  [/\ballows?\b/, 'forbids'],
  [/\bhigher\b/, 'lower'],
  [/\blower\b/, 'higher'],
  [/\bopen\b/, 'closed'],
  [/\bpublic\b/, 'private'],
  [/\bfederal\b/, 'local'],
  [/\bnorth(ern)?\b/i, 'South$1'],
];
const measures: readonly (readonly [RegExp, string])[] = [
  [/(\d[\d,.]*)[ -]days?\b/, '$1 weeks'],
  [/(\d[\d,.]*)[ -]hours?\b/, '$1 minutes'],
  [/(\d[\d,.]*)[ -]minutes?\b/, '$1 hours'],
  [/(\d[\d,.]*)[ -]months?\b/, '$1 years'],
  [/(\d[\d,.]*)[ -]years?\b/, '$1 months'],
  [/(\d[\d,.]*)[ -]weeks?\b/, '$1 days'],
  [/(\d[\d,.]*) ?(?:%|percent|per cent)/, '$1 dollars'],
  [/\$(\d)/, '€$1'],
];
const auxiliary = /\b(is|are|was|were|can|will|should|must|may|has|have|does|do)\b(?! not|n't)/;
const denial = /\b(is|are|was|were|can|will|should|must|may|has|have|does|do)(?: not|n't|not)\b/;
const name = /(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})*/;

/** @param foreign sentence of another task that provides a clause or a name */
export function liesFrom(sentence: string, foreign: string): MadeLie[] {
  const lies: MadeLie[] = [];
  const add = (kind: string, text: string) => {
    if (text !== sentence) lies.push({ kind, text });
  };
  add(
    'figure',
    sentence.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1)),
  );
  const measure = measures.find(([pattern]) => pattern.test(sentence));
  if (measure) add('unit', sentence.replace(...measure));
  add('negation added', sentence.replace(auxiliary, '$1 not'));
  add('negation removed', sentence.replace(denial, '$1'));
  const swap = swaps.find(([pattern]) => pattern.test(sentence));
  if (swap) add('opposite', sentence.replace(...swap));
  const other = name.exec(foreign)?.[0];
  if (other && !sentence.includes(other)) add('name', sentence.replace(name, other));
  const clause = foreign.replace(/[.!?]\s*$/, '').replace(/^./, (first) => first.toLowerCase());
  add('invented clause', `${sentence.replace(/[.!?]\s*$/, '')}, and ${clause}.`);
  return lies;
}
