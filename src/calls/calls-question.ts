/**
 * Recognizes questions about the user's own calls, for answers without a model. Other questions
 * pass unchanged.
 */
import { type CallsFilter, missedStatuses } from '../../packages/calls/src/types.ts';
import type { PeriodName } from './period.ts';

const calls =
  /\b(?:calls?|called|phone calls?|meetings?|anruf\p{L}*|telefonat\p{L}*|besprechung\p{L}*|appels?|réunions?|llamadas?|reunion(?:es)?|chiamat[ae]|riunion[ei]|chamadas?|gesprek\p{L}*)\b|通話|电话|通话|통화|звон\p{L}*/iu;
const own =
  /\b(?:my|mine|i|me|our|we|us|mein\p{L}*|ich|wir|unser\p{L}*|mes|mon|ma|nos|notre|je|mis?|mío|nuestr\p{L}*|mie[i]?|mia|mio|meus?|minhas?|mijn)\b|私の|我的|我(?=上|这|今|昨|本|有)|내|мо[ийяе]\p{L}*/iu;
/** Words about the past. Without them or a period, "my calls" may ask for a rule. */
const pastWords =
  /\b(?:did|had|was|were|took|spent|missed|been|(?:have|has) (?:i|we)|(?:list|show|summari[sz]e|count|add up)(?: me)?(?: all)? (?:my|our)|(?:total|summary|duration|minutes|number) of (?:my|our)|latest|most recent|recent calls)\b|\b(?:habe|hatte|haben|hatten|gedauert|duraron|ont duré|ai-je)\b/iu;
const ruleWords =
  /\b(?:can|may|should|must|ought|allowed|supposed|required|need|needs|have to|policy|policies|rules?|guidelines?|handbook|limits?|maximum|api|function|dürfen|darf|müssen|muss|richtlinien?|politique|peut|puis|política|puedo|debo)\b/iu;
const asksPolitely =
  /^\W*(?:can|could|may|would) (?:you|i)\b(?=.*\b(?:tell|show|list|see|sum\p{L}*|get|have|give|count)\b)/iu;
/**
 * Restrictions that no filter supports. Such a question gets no figure, because the figure of all
 * calls would be wrong.
 */
const unsupportedFilters =
  /\b(?:with|to|from) (?!me\b|us\b|today|yesterday|this|last|the (?:last|past)|my|our|do\b|be\b)\p{L}+|\b(?:year|quarter|next|tomorrow|ago|since|until|before|after|between|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|march|april|june|july|august|september|october|november|december|(?:in|on|of) may|morning|afternoon|evening|night|weekend|jahr|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|quartal|année|año)\b|\d{4}|\d-\d|\b(?:last|past) \d+ (?:hours?|weeks?|months?)\b/iu;

const periods: readonly (readonly [RegExp, PeriodName])[] = [
  [/\byesterday\b|\bgestern\b|\bhier\b|\bayer\b|昨日|昨天|어제/iu, 'yesterday'],
  [
    /\b(?:last|previous|past) week\b|\b(?:letzte|vorige|vergangene)n? woche\b|\bla semaine dernière\b|\bla semana pasada\b|先週|上周|上个?星期|지난주/iu,
    'last_week',
  ],
  [
    /\bthis week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b|今週|这周|本周|이번 ?주/iu,
    'this_week',
  ],
  [
    /\b(?:last|previous|past) month\b|\b(?:letzten|vorigen) monat\b|\ble mois dernier\b|\bel mes pasado\b|先月|上个?月|지난 ?달/iu,
    'last_month',
  ],
  [
    /\bthis month\b|\bdiesen monat\b|\bce mois\b|\beste mes\b|今月|这个?月|本月|이번 ?달/iu,
    'this_month',
  ],
  [/\b(?:last|past) (?:7|seven) days\b/iu, 'last_7_days'],
  [/\b(?:last|past) (?:30|thirty) days\b/iu, 'last_30_days'],
  [/\btoday\b|\bheute\b|\baujourd.hui\b|\bhoy\b|今日|今天|오늘/iu, 'today'],
];
const statuses: readonly (readonly [RegExp, CallsFilter['statuses']])[] = [
  [/\bmiss(?:ed)?\b|\bverpasst\p{L}*\b|\bmanqués?\b|\bperdidas\b|不在着信|未接/iu, missedStatuses],
  [/\bunanswered\b|\bnot answered\b/iu, ['unanswered']],
  [/\b(?:rejected|declined)\b/iu, ['rejected']],
  [/\bcancell?ed\b/iu, ['cancelled']],
  [/\b(?:ongoing|running|in progress)\b/iu, ['ongoing']],
];
const asksForList =
  /\b(?:which|list|show|who|whom|when|latest|most recent|last call|recent calls)\b/iu;
const asksForSum =
  /\bhow (?:long|many|much|often)\b|\btotal\b|\bminutes\b|\bduration\b|\bsumm\p{L}*\b/iu;

/** Whether the question mentions calls, so that the model gets the call tools. */
export const mentionsCalls = (question: string): boolean => calls.test(question);

const clauses = (question: string) =>
  question
    .split(
      /[?;]\s+|(?:,|(?<![,\s]))\s+\band\b\s+(?=(?:what|how|when|where|who|which|does|do|is|are|can)\b)|[?？；]/iu,
    )
    .filter((part) => part.trim() !== '');

/** "How long may my calls be?" is a question for the documents. */
const isForDocuments = (clause: string) =>
  (ruleWords.test(clause) && !asksPolitely.test(clause)) || unsupportedFilters.test(clause);

function typeOf(clause: string): CallsFilter['type'] {
  if (/\bvideo\b/iu.test(clause)) return 'video';
  return /\b(?:voice|audio|phone)\b/iu.test(clause) ? 'voice' : undefined;
}

function toCallsQuestion(clause: string) {
  if (!calls.test(clause) || !own.test(clause) || isForDocuments(clause)) return undefined;
  const period = periods.find(([pattern]) => pattern.test(clause))?.[1];
  const isSum = asksForSum.test(clause);
  const isList = asksForList.test(clause);
  if (!period && !(pastWords.test(clause) && (isSum || isList))) return undefined;
  return {
    tool: isList && !isSum ? ('listCalls' as const) : ('summarizeCalls' as const),
    period,
    type: typeOf(clause),
    statuses: statuses.find(([pattern]) => pattern.test(clause))?.[1],
    hasRecording: /\brecorded\b|\brecordings?\b/iu.test(clause) || undefined,
  };
}

/** Separates the first part about the user's own calls from the `rest`. */
export function splitQuestion(question: string) {
  const rest: string[] = [];
  let ofCalls: ReturnType<typeof toCallsQuestion>;
  for (const clause of clauses(question)) {
    const found = ofCalls ? undefined : toCallsQuestion(clause);
    if (found) ofCalls = found;
    else rest.push(clause.trim());
  }
  return { ofCalls, rest: rest.join('? ') };
}
