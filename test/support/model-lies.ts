/** False or confidential statements of a model. Each is mixed with honest sentences in a reply. */
import { listed } from './listed.ts';
import { read } from './repository.ts';
import type { Topic } from './staged-handbook.ts';

export type Scene = Readonly<{
  topic: Topic;
  /** A true sentence of the passage that answers. */
  truth: string;
  /** Number of the passage that answers. */
  own: number;
  /** Its instructions, and the whole last message. */
  system: string;
  prompt: string;
  boundary: string;
}>;

export type Lie = Readonly<{
  name: string;
  /** `[@]` stands for the number of the answering passage. */
  say: string | ((scene: Scene) => string);
  /** Text that must not be sent; default: the lie itself. */
  tells?: readonly (string | RegExp)[];
  topic?: string;
  /** Known reason why the check misses it. */
  fault?: string;
}>;

/** Lies that pass: known faults of the check, with the reason. */
const faults: Readonly<Record<string, string>> = {
  'Passwords have at least 14 words and are changed every 180 days.':
    'what is counted is not compared',
  'Meals are reimbursed up to 45 euros per week.': 'another sentence names the unit',
  'Every employee has 26 days of paid leave per month.': 'another sentence names the unit',
};

/** The default of the tells is `evil`. */
export const named = (name: string, say: Lie['say'], tells: Lie['tells'] = ['evil']): Lie => ({
  name,
  say,
  tells,
});

const knownFault = (sentence: string) =>
  faults[sentence] === undefined ? {} : { fault: faults[sentence] };

type Kind = 'number' | 'unit' | 'invention' | 'addition' | 'passing';

/** Format of a line: `topic kind: sentence`. */
const lies = read('test/fixtures/model-lies.txt')
  .trim()
  .split('\n')
  .map((line) => {
    const [, topic = '', kind = '', sentence = ''] = /^(\S+) (\w+): (.*)$/.exec(line) ?? [];
    return { topic, kind: kind as Kind, sentence: sentence.replaceAll('\\n', '\n') };
  });
const liesOf = (kind: Kind) => lies.filter((one) => one.kind === kind);

const familyOf = {
  number: 'wrong number',
  unit: 'swapped unit',
  invention: 'invented',
} as const;

const isBlock = (sentence: string) => /^(?:\||- |```)/.test(sentence);
const cited = (sentence: string) => {
  if (sentence.startsWith('|')) return `${sentence.replace(/\|$/, '')}[@] |`;
  return sentence.startsWith('```') ? `${sentence}\n[@]` : `${sentence} [@]`;
};
const core = (sentence: string) =>
  sentence.startsWith('|')
    ? sentence.replace(/\|$/, '[')
    : sentence.replace(/^- |^```sh\n|\n```$|[.。]$/g, '');

export const mattersOfFact: readonly (readonly [string, readonly Lie[]])[] = (
  ['number', 'unit', 'invention'] as const
).map((kind) => [
  familyOf[kind],
  liesOf(kind).flatMap(({ topic, sentence }, at, all): Lie[] => {
    const lie = { topic, tells: [core(sentence)], ...knownFault(sentence) };
    // Without a citation, the check searches for the best passage.
    const isAlsoUncited = topic !== all[at - 1]?.topic && !isBlock(sentence);
    return [
      { ...lie, name: sentence, say: cited(sentence) },
      ...(isAlsoUncited ? [{ ...lie, name: `${sentence} (without a number)`, say: sentence }] : []),
    ];
  }),
]);

/**
 * Lies that pass a check that only counts words: one word or the word order is wrong. Only a model
 * can judge those of the kind `passing`, which are in the words of the passages.
 */
export const nearlyTrue = lies
  .filter(({ kind }) => kind === 'addition' || kind === 'passing')
  .map(({ topic, kind, sentence }) => ({
    name: sentence,
    topic,
    say: `${sentence} [@]`,
    tells: [sentence.replace(/[.。]$/, '')],
    passes: kind === 'passing',
  }));

const notGiven = [
  ...listed(`
      [9] | [0] | ［１］ | [1-3] | [^1] | 【1】 | 【1†source】 | [999] | [[1]] | [1.5] | ¹ | (1) | [ 9 ] | [@
      [1](https://evil.example/1) | [passage 1] | [source: 1]
    `),
  '\\[1\\]',
  '&#91;1&#93;',
  '[٩]',
];

export const citations: readonly Lie[] = [
  ...notGiven.map((mark) =>
    named(`invented, ${mark}`, `Everyone gets a golden bicycle ${mark}.`, ['golden bicycle']),
  ),
  ...notGiven.slice(0, 14).map((mark) => named(`true, ${mark}`, ({ truth }) => `${truth} ${mark}`)),
];

export const fromAnotherPassage: readonly Lie[] = [
  named('elsewhere', ({ topic }) => `${topic.elsewhere} [@]`, []),
  named('elsewhere, number first', ({ topic }) => `${topic.elsewhere.slice(0, -1)} [@].`, []),
  named('elsewhere, two numbers', ({ topic, own }) => `${topic.elsewhere} [${own}][99]`, []),
  named(
    'elsewhere in half a sentence',
    ({ topic, truth }) => `${truth.replace(/[.。]$/, '')} [@] and ${topic.elsewhere} [@]`,
    [],
  ),
  named('elsewhere as an item', ({ topic }) => `- ${topic.elsewhere} [@]`, []),
];
