/**
 * Shares of honest and of false claims that pass the check (shared/data/replies). The answer writer
 * reads each reply like a model's, over the passages that the service retrieves. Run: node
 * bench/grounding-replies.ts [--list] [--only a01,b02]
 */
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writerOf } from '../src/ask/check.ts';
import { Question } from '../src/ask/question.ts';
import type { Answer } from '../src/ask/reply/answer.ts';
import { passageLabelOf } from '../src/ask/reply/sources.ts';
import { createRetriever } from '../src/ask/retriever.ts';
import { parseConfig } from '../src/config.ts';
import { Context } from '../src/context.ts';
import type { Passage } from '../src/documents/document.ts';
import { DocumentStore } from '../src/documents/document-store.ts';
import { createRandom, type Random } from './retrieval/random.ts';
import { root } from './server.ts';

interface Sentence {
  readonly text: string;
  readonly claim: boolean;
  readonly kind: string;
  readonly lie?: boolean;
  /** Keys of the cited passages. */
  readonly cites: readonly string[];
}

export interface Reply {
  readonly reply: string;
  readonly passages: Readonly<
    Record<string, { readonly label: string; readonly textStart: string }>
  >;
  readonly sentences: readonly Sentence[];
}

interface Item {
  readonly id: string;
  readonly namespace: string;
  readonly question: string;
  readonly kind: string;
  readonly fact: readonly string[];
  readonly honest?: Reply;
  readonly lie?: Reply & {
    readonly falseClaim: readonly string[];
    readonly truth: readonly string[];
    readonly type: string;
  };
}

export interface Asked extends Item {
  readonly asked: Question;
}

const passagesPerQuestion = 6;
const folder = join(process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data'), 'replies');

/** Each item with the passages that the service retrieves for it. */
export async function loadReplies(only?: readonly string[]): Promise<Asked[]> {
  const lines = readFileSync(join(folder, 'replies.jsonl'), 'utf8').trim().split('\n');
  const items = lines
    .map((line) => JSON.parse(line) as Item)
    .filter(({ id }) => !only || only.includes(id));
  const place = await mkdtemp(join(tmpdir(), 'replies-'));
  const knowledge = join(place, 'knowledge');
  for (const name of await readdir(join(folder, 'documents')))
    if (name !== 'licences')
      await cp(join(folder, 'documents', name), join(knowledge, name), { recursive: true });
  const parts = new Context(
    parseConfig({ KNOWLEDGE_DIR: knowledge, INDEX_DIR: join(place, 'index'), LOG_LEVEL: 'silent' }),
  );
  await parts.openToAsk();
  const retriever = createRetriever(parts.namespaces, new DocumentStore(knowledge));
  const asked: Asked[] = [];
  for (const item of items) {
    const { namespace, question } = item;
    const found = await retriever.search(namespace, question, passagesPerQuestion);
    const one = Question.of(question, namespace);
    one.addSearch(question, found);
    asked.push({ ...item, asked: one });
  }
  await parts.close();
  await rm(place, { recursive: true, force: true });
  return asked;
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The reply, with citation numbers of the passages in this request. */
export function numbered({ reply, passages }: Reply, shown: readonly Passage[]): string {
  return reply.replace(/ ?\[\{(p\d+)\}\]/g, (mark, key: string) => {
    const { label = '', textStart = '' } = passages[key] ?? {};
    const begins = (passage: Passage) =>
      squeezed(passage.text).startsWith(squeezed(textStart).slice(0, 120));
    const exact = shown.findIndex(
      (passage) => passageLabelOf(passage) === label && begins(passage),
    );
    const holds = (passage: Passage) =>
      squeezed(passage.text).includes(squeezed(textStart).slice(0, 120));
    const at =
      [exact, shown.findIndex(begins), shown.findIndex(holds)].find((position) => position >= 0) ??
      -1;
    return at < 0 ? '' : `${mark.startsWith(' ') ? ' ' : ''}[${at + 1}]`;
  });
}

/** Positions of the passages that a sentence cites. */
export function citedIn(
  { cites }: Sentence,
  { passages }: Reply,
  shown: readonly Passage[],
): number[] {
  const marks = numbered(
    { reply: cites.map((key) => ` [{${key}}]`).join(''), passages, sentences: [] },
    shown,
  );
  return [...marks.matchAll(/\d+/g)].map(([number]) => Number(number) - 1);
}

/** Share of verdicts that the simulated judge gets wrong. */
const judgeErrors = 0.05;
const judgeSeed = 28;

/** @param judge draws the errors of the simulated judge; undefined: no judge */
export function answerTo({ asked }: Asked, reply: Reply, judge?: Random): Answer {
  const own = asked.withoutAnswer();
  const writer = writerOf(own, judge !== undefined);
  writer.push(numbered(reply, own.passages));
  writer.close();
  if (judge) {
    const verdicts = writer.waiting.map(({ text }) => {
      const isTrue = !reply.sentences.some(
        (sentence) => sentence.lie && isAlike(sentence.text, text),
      );
      return { holds: judge.next() < judgeErrors ? !isTrue : isTrue, passages: [] };
    });
    writer.resolve(verdicts);
  }
  return writer.end().answer;
}

/** Lowercase words without punctuation, joined by spaces. */
const words = (text: string) =>
  ` ${text
    .replace(/\]\([^)\s]*\)/g, ' ')
    .replace(/\[\d+\]/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
const code = (text: string) => squeezed(text.replace(/^`{3}.*$/gm, '').replace(/\[\d+\]/g, ''));
const plain = (text: string) =>
  squeezed(
    text
      .replace(/\[\d+\]/g, '')
      .replace(/[*_`\\]/g, '')
      .replace(/\s+([.,;:!?])/g, '$1'),
  );
const has = (patterns: readonly string[], text: string) =>
  patterns.some((pattern) => new RegExp(pattern, 'i').test(plain(text)));
const opening =
  /^[\s*_]*(?:yes|no|so|also|however|therefore|thus|in addition|but|and)\b[\s*_,.:;–-]*/i;
const holds = (text: string, sentence: Sentence) =>
  sentence.kind === 'code'
    ? code(text).includes(code(sentence.text))
    : [sentence.text, sentence.text.replace(opening, '')].some(
        (own) => words(own).trim() !== '' && words(text).includes(words(own)),
      );

const bodyOf = ({ text }: Answer) => text.split(/\n\s*Sources:/)[0] ?? '';
const isAlike = (a: string, b: string) =>
  words(a).trim() !== '' && (words(a).includes(words(b)) || words(b).includes(words(a)));
const causeOf = ({ text }: Sentence, { droppedSentences }: Answer) =>
  droppedSentences.find((one) => isAlike(one.text, text))?.reason ?? 'unlisted';

export interface Figures {
  readonly claims: number;
  readonly kept: number;
  readonly replies: number;
  readonly whole: number;
  readonly fact: number;
  readonly answeredWithout: number;
  readonly lies: number;
  readonly reached: number;
  /** Median and 90th percentile of the characters in citations and in answers. */
  readonly quoteChars: string;
  readonly gateMs: string;
  readonly causes: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, string>>;
  readonly list: readonly string[];
}

class Shares {
  readonly #counts = new Map<string, { part: number; whole: number }>();
  add(name: string, isPart: boolean) {
    const { part = 0, whole = 0 } = this.#counts.get(name) ?? {};
    this.#counts.set(name, { part: part + (isPart ? 1 : 0), whole: whole + 1 });
  }
  toJSON = () =>
    Object.fromEntries(
      [...this.#counts].map(([name, { part, whole }]) => [name, `${part} of ${whole}`]),
    );
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;

/** @param isJudged adds the simulated judge */
export function measure(items: readonly Asked[], isJudged = false): Figures {
  const judge = isJudged ? createRandom(judgeSeed) : undefined;
  const quotes: number[] = [];
  const times: number[] = [];
  const timed = (item: Asked, reply: Reply) => {
    const began = performance.now();
    const answer = answerTo(item, reply, judge);
    times.push(performance.now() - began);
    quotes.push(...answer.citations.map(({ quote }) => quote.length));
    return answer;
  };
  const counts = {
    claims: 0,
    kept: 0,
    replies: 0,
    whole: 0,
    fact: 0,
    answeredWithout: 0,
    lies: 0,
    reached: 0,
  };
  const causes: Record<string, number> = {};
  const [kinds, types] = [new Shares(), new Shares()];
  const list: string[] = [];
  for (const item of items) {
    const { id, honest, lie } = item;
    if (honest) {
      const answer = timed(item, honest);
      const body = bodyOf(answer);
      const claims = honest.sentences.filter(({ claim }) => claim);
      const gone = claims.filter((sentence) => !holds(body, sentence));
      counts.replies++;
      counts.claims += claims.length;
      counts.kept += claims.length - gone.length;
      if (gone.length === 0) counts.whole++;
      const hasFact = has(item.fact, body);
      if (hasFact) counts.fact++;
      if (!hasFact && answer.reason === 'answered') {
        counts.answeredWithout++;
        list.push(
          `fact missing      ${id} ${item.question} | ${item.fact.join(' or ')} | ${squeezed(body)}`,
        );
      }
      for (const sentence of claims) kinds.add(sentence.kind, !gone.includes(sentence));
      for (const sentence of gone) {
        const cause = causeOf(sentence, answer);
        causes[cause] = (causes[cause] ?? 0) + 1;
        list.push(
          `honest ${cause.padEnd(9)} ${id} ${sentence.kind.padEnd(6)} ${squeezed(sentence.text)}`,
        );
      }
    }
    if (lie) {
      const answer = timed(item, lie);
      const isReached = answer.reason === 'answered' && has(lie.falseClaim, bodyOf(answer));
      counts.lies++;
      if (isReached) counts.reached++;
      types.add(lie.type, isReached);
      const said = squeezed(lie.sentences.find((sentence) => sentence.lie)?.text ?? '');
      if (isReached) list.push(`lie passed        ${id} ${lie.type}: ${said}`);
    }
  }
  const spread = (values: readonly number[]) =>
    `${percentile(values, 0.5).toFixed(1)} / ${percentile(values, 0.9).toFixed(1)}`;
  return {
    ...counts,
    quoteChars: spread(quotes),
    gateMs: spread(times),
    causes,
    kinds: kinds.toJSON(),
    types: types.toJSON(),
    list,
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  });
  const items = await loadReplies(values.only?.split(','));
  for (const isJudged of [false, true]) {
    const { list, ...figures } = measure(items, isJudged);
    console.log(
      isJudged ? `with a judge that is wrong in ${judgeErrors * 100} %` : 'without a judge',
      JSON.stringify(figures, undefined, 1),
    );
    if (values.list && !isJudged) for (const line of list.toSorted()) console.log(line);
  }
}
