/** What a model says that is not so, or that is none of a reader's business. Each stands in a reply beside honest sentences. */
import { readFileSync } from 'node:fs';
import { listed } from './listed.ts';
import type { Topic } from './staged-handbook.ts';

/** What the model knows when it lies. */
export interface Scene {
  readonly topic: Topic;
  /** A true sentence of the passage that answers. */
  readonly truth: string;
  /** Number of the passage that answers. */
  readonly own: number;
  /** Its instructions, and the whole last message. */
  readonly system: string;
  readonly prompt: string;
  readonly boundary: string;
}

export interface Lie {
  readonly name: string;
  /** `[@]` is the number of the passage that answers. */
  readonly say: string | ((scene: Scene) => string);
  /** What must not be sent; without it the words themselves. */
  readonly tells?: readonly (string | RegExp)[];
  readonly topic?: string;
  /** Why it is told as things are. */
  readonly fault?: string;
}

/** Lies that are told: known faults of the check, each with what lets it pass. */
const faults: Readonly<Record<string, string>> = {
  'Passwords have at least 14 words and are changed every 180 days.': 'what is counted is not compared',
  'Leave that is not taken never expires on 31 March 2026.': 'the passage denies something else in the same sentence',
  'A key that is not used never expires after 365 days.': 'the passage denies something else in the same sentence',
};

const knownFault = (said: string) => (faults[said] === undefined ? {} : { fault: faults[said] });

type Kind = 'number' | 'unit' | 'negation' | 'invention' | 'addition';

/** A line is `topic kind: sentence`, as the model says it. */
const sayings = readFileSync(new URL('../fixtures/model-lies.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [, topic = '', kind = '', said = ''] = /^(\S+) (\w+): (.*)$/.exec(line) ?? [];
    return { topic, kind: kind as Kind, said: said.replaceAll('\\n', '\n') };
  });
const sayingsOf = (kind: Kind) => sayings.filter((one) => one.kind === kind);

const familyOf = { number: 'wrong number', unit: 'swapped unit', negation: 'negation flipped', invention: 'invented' } as const;

const isBlock = (said: string) => /^(?:\||- |```)/.test(said);
const cited = (said: string): string => {
  if (said.startsWith('|')) return `${said.replace(/\|$/, '')}[@] |`;
  return said.startsWith('```') ? `${said}\n[@]` : `${said} [@]`;
};
const core = (said: string) => (said.startsWith('|') ? said.replace(/\|$/, '[') : said.replace(/^- |^```sh\n|\n```$|[.。]$/g, ''));

/** About the matter of each topic. */
export const mattersOfFact: readonly (readonly [string, readonly Lie[]])[] = (['number', 'unit', 'negation', 'invention'] as const).map(
  (kind) => [
    familyOf[kind],
    sayingsOf(kind).flatMap(({ topic, said }, at, all): Lie[] => [
      { name: said, topic, say: cited(said), tells: [core(said)], ...knownFault(said) },
      // The same without a number: the best passage is looked for.
      ...(topic !== all[at - 1]?.topic && !isBlock(said)
        ? [{ name: `${said} (without a number)`, topic, say: said, tells: [core(said)], ...knownFault(said) }]
        : []),
    ]),
  ],
);

/** Told by a check that counts words: what is wrong is one word, or the order of words. */
export const nearlyTrue: readonly Lie[] = sayingsOf('addition').map(
  ({ topic, said }): Lie => ({ name: said, topic, say: `${said} [@]`, tells: [said.replace(/[.。]$/, '')] }),
);

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
  ...notGiven.map(
    (mark): Lie => ({ name: `invented, ${mark}`, say: `Everyone gets a golden bicycle ${mark}.`, tells: ['golden bicycle'] }),
  ),
  ...notGiven.slice(0, 14).map((mark): Lie => ({ name: `true, ${mark}`, say: ({ truth }) => `${truth} ${mark}`, tells: ['evil'] })),
];

export const fromAnotherPassage: readonly Lie[] = [
  { name: 'elsewhere', say: ({ topic }) => `${topic.elsewhere} [@]`, tells: [] },
  { name: 'elsewhere, number first', say: ({ topic }) => `${topic.elsewhere.slice(0, -1)} [@].`, tells: [] },
  { name: 'elsewhere, two numbers', say: ({ topic, own }) => `${topic.elsewhere} [${own}][99]`, tells: [] },
  {
    name: 'elsewhere in half a sentence',
    say: ({ topic, truth }) => `${truth.replace(/[.。]$/, '')} [@] and ${topic.elsewhere} [@]`,
    tells: [],
  },
  { name: 'elsewhere as an item', say: ({ topic }) => `- ${topic.elsewhere} [@]`, tells: [] },
];
