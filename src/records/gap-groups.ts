/**
 * Groups of similar unanswered questions. A new question joins the group whose leading question
 * shares most of its words, weighed by rarity; figures and names must agree. No model is needed.
 */
import { hash, randomUUID } from 'node:crypto';
import { languageOf } from '../../packages/shared/src/language/languages.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { type GapDraft, type GapWay, topicOf } from './gaps.ts';
import { personalIn } from './personal.ts';
import type { Query, SqlDialect } from './store.ts';

/** Stems of a question, and those that are names or figures. */
type GapWords = Readonly<{
  terms: ReadonlySet<string>;
  names: ReadonlySet<string>;
}>;

/** Longer questions are compared by their first words. */
const maxTerms = 60;

/** Longer terms do not fit into an index. */
const maxTermChars = 100;
const keyOf = (term: string) =>
  term.length > maxTermChars ? hash('sha256', term, 'base64url') : term;

function gapWordsOf(question: string) {
  const topic = topicOf(question);
  // Questions of stop words keep their wording as their only term.
  const words = topic.startsWith('\n') ? [topic] : topic.split(' ').slice(0, maxTerms);
  const terms = new Set(words.map(keyOf));
  const names = contentWords(question, languageOf(question)).flatMap(({ term, isName }) =>
    isName && terms.has(keyOf(term)) ? keyOf(term) : [],
  );
  return { terms, names: new Set([...names, ...[...terms].filter((term) => /\p{N}/u.test(term))]) };
}

/** Least similarity of a group, 0 to 1; see bench/README.md. */
const minSimilarity = 0.55;
/** What words cost that both questions have instead of each other's, beside not being common. */
const replacedCost = 0.5;
/** Rarity means little among fewer questions. */
const minQuestions = 50;

type WeightOf = (term: string) => number;

/** @param count stored questions with each term, of `total`; the new one has the terms `own` */
const weightIn = (
  count: ReadonlyMap<string, number>,
  total: number,
  own: ReadonlySet<string>,
): WeightOf => {
  const questions = Math.max(total + 1, minQuestions);
  return (term) => Math.log(1 + questions / ((count.get(term) ?? 0) + Number(own.has(term)) + 0.5));
};

const sumOf = (terms: Iterable<string>, weightOf: WeightOf) =>
  Iterator.from(terms).reduce((sum, term) => sum + weightOf(term), 0);

/** Weighted Dice coefficient (Dice 1945), 0 to 1. */
function similarityOf(one: GapWords, other: GapWords, weightOf: WeightOf) {
  if (!one.names.isSubsetOf(other.terms) || !other.names.isSubsetOf(one.terms)) return 0;
  const common = sumOf(one.terms.intersection(other.terms), weightOf);
  const a = sumOf(one.terms, weightOf);
  const b = sumOf(other.terms, weightOf);
  return (2 * common) / (a + b + 2 * replacedCost * Math.min(a - common, b - common) || 1);
}

/** Rarest terms of which a similar question must have at least one. */
function neededTerms({ terms }: GapWords, weightOf: WeightOf) {
  const rarest = [...terms].sort((a, b) => weightOf(b) - weightOf(a));
  // Similar questions share at least this part of the weight, however short the other one is.
  let rest = sumOf(terms, weightOf) * (1 - minSimilarity / (2 - minSimilarity));
  return rarest.filter((term) => {
    const isNeeded = rest >= 0;
    rest -= weightOf(term);
    return isNeeded;
  });
}

const maxCandidates = 200;

type TermRow = Readonly<{ wording: string; group: string; term: string; isName: number }>;

const statementsFor = ({ elementsOf }: SqlDialect) => ({
  counts: `
    SELECT term, CAST(count(*) AS integer) AS count FROM gap_terms
    WHERE namespace = $1 AND term IN (${elementsOf('$2')}) GROUP BY term`,
  candidates: `
    SELECT wording, gap_group AS "group", term, is_name AS "isName" FROM gap_terms
    WHERE namespace = $1 AND wording IN (
      SELECT DISTINCT wording FROM gap_terms
      WHERE namespace = $1 AND term IN (${elementsOf('$2')}) LIMIT ${maxCandidates})`,
});

const total = 'SELECT CAST(count(*) AS integer) AS count FROM gap_groups WHERE namespace = $1';

export type NewGap = Readonly<{ namespace: string; wording: string; question: string; at: string }>;

/** Creates a group that the question leads. @returns its id */
export async function createGroup(query: Query, { namespace, wording, question, at }: NewGap) {
  const group = randomUUID();
  await query(
    "INSERT INTO gap_groups (id, namespace, state, changed_at) VALUES ($1, $2, 'open', $3)",
    [group, namespace, at],
  );
  await query('DELETE FROM gap_terms WHERE namespace = $1 AND wording = $2', [namespace, wording]);
  const { terms, names } = gapWordsOf(question);
  for (const term of terms)
    await query('INSERT INTO gap_terms VALUES ($1, $2, $3, $4, $5)', [
      namespace,
      term,
      wording,
      group,
      Number(names.has(term)),
    ]);
  return group;
}

/** Returns the id of the most similar group; undefined without a similar one. */
export async function groupOf(query: Query, dialect: SqlDialect, gap: NewGap) {
  const { namespace, question } = gap;
  const statements = statementsFor(dialect);
  const own = gapWordsOf(question);
  const [{ count: questions } = { count: 0 }] = await query<{ count: number }>(total, [namespace]);
  const weightsOf = async (terms: ReadonlySet<string>) => {
    const values = [namespace, JSON.stringify([...terms])];
    const rows = await query<{ term: string; count: number }>(statements.counts, values);
    const counts = new Map(rows.map(({ term, count }) => [term, count]));
    return weightIn(counts, questions, own.terms);
  };
  const needed = neededTerms(own, await weightsOf(own.terms));
  const rows = await query<TermRow>(statements.candidates, [namespace, JSON.stringify(needed)]);
  const weightOf = await weightsOf(new Set(rows.map(({ term }) => term)));
  const candidates = [...Map.groupBy(rows, ({ wording }) => wording).values()].map((found) => {
    const terms = new Set(found.map(({ term }) => term));
    const names = new Set(found.flatMap(({ term, isName }) => (isName ? term : [])));
    const group = found[0]?.group;
    return { group, similarity: similarityOf(own, { terms, names }, weightOf) };
  });
  const [best] = candidates.sort((a, b) => b.similarity - a.similarity);
  return best && best.similarity >= minSimilarity ? best.group : undefined;
}

/** Deletes groups without questions, with their words and drafts. */
export const dropEmptyGroups = (query: Query) =>
  query<{ namespace: string }>(`
    DELETE FROM gap_groups WHERE NOT EXISTS (SELECT 1 FROM gaps WHERE gap_group = gap_groups.id)
    RETURNING namespace`);

export async function readGapDetails(query: Query) {
  const ways = await query<GapWay & { group: string }>(`
    SELECT gap_group AS "group", way AS "entryPoint", CAST(sum(gap_ways.count) AS integer) AS count
    FROM gap_ways JOIN gaps USING (namespace, wording)
    WHERE gap_group IS NOT NULL GROUP BY gap_group, way ORDER BY count DESC, way`);
  const drafts = await query<Omit<GapDraft, 'personal'> & { group: string; people: string }>(`
    SELECT gap_group AS "group", id, body AS text, author, people, created_at AS "createdAt", document
    FROM gap_drafts ORDER BY created_at, id`);
  const byGroup = <Row extends { group: string }>(rows: readonly Row[]) =>
    new Map(
      Map.groupBy(rows, ({ group }) => group)
        .entries()
        .map(([id, of]) => [id, of.map(({ group: _, ...row }) => row)]),
    );
  const marked = drafts.map(({ people, ...draft }) => ({
    ...draft,
    personal: personalIn(draft.text, JSON.parse(people) as string[]),
  }));
  return { ways: byGroup(ways), drafts: byGroup(marked) };
}
