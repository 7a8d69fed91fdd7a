/** What a model says that is not so, or that is none of a reader's business. Each stands in a reply beside honest sentences. */
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

/** Topic → kind → sentences. */
const sayings: Readonly<Record<string, Readonly<Record<'number' | 'unit' | 'negation' | 'invention', readonly string[]>>>> = {
  refunds: {
    number: [
      'Full refunds are granted within 60 days of purchase.',
      'Full refunds are granted within 3 days of purchase.',
      'Full refunds are granted within 30 days of purchase and 50 % later.',
      'Full refunds are granted within ninety days of purchase.',
    ],
    unit: ['Full refunds are granted within 30 weeks of purchase.', 'Full refunds are granted within 30 business hours of purchase.'],
    negation: ['Full refunds are not granted within 30 days of purchase.', 'Annual plans are never refunded for the months that are left.'],
    invention: ['Refunds are paid in store credit only.', 'The chief executive signs each refund by hand.'],
  },
  prices: {
    number: [
      'A refund of more than $900 is approved by the finance desk.',
      '| Team | $29 | 50 |',
      '| Business | $75 | 40 |',
      '| Enterprise | $28 | 50 |',
    ],
    unit: ['A refund of more than €500 is approved by the finance desk.', '| Team | €28 | 50 |'],
    negation: ['A refund of more than $500 is not approved by the finance desk.', 'The finance desk approves no refund of more than $500.'],
    invention: ['Both plans come with a free telephone.', 'Students get the Team plan for $5 per month.'],
  },
  recordings: {
    number: [
      'Recordings of calls are kept for 900 days and then deleted.',
      'Recordings of calls are kept for 9 days and then deleted.',
      '- Video recordings are stored in 720p.',
      '- Audio recordings are stored at 256 kbps.',
    ],
    unit: ['Recordings of calls are kept for 90 hours and then deleted.', '- Audio recordings are stored at 128 MB.'],
    negation: ['Recordings of calls are not kept for 90 days.', 'Recordings of calls are kept for 90 days and never deleted.'],
    invention: [
      'Recordings of calls are kept for 90 days and then “handed to the police”.',
      'Recordings are translated into French at night.',
      'Every recording costs $3 of storage.',
    ],
  },
  leave: {
    number: [
      'Every employee has 30 days of paid leave per year.',
      'Leave that is not taken expires on 30 June 2026.',
      'Leave that is not taken expires on 31 March 2027.',
      '- Up to 15 days may be carried over.',
    ],
    unit: ['Every employee has 26 weeks of paid leave per year.', 'Every employee has 26 days of paid leave per month.'],
    negation: ['No employee has 26 days of paid leave per year.', 'Leave that is not taken never expires on 31 March 2026.'],
    invention: ['Managers may buy additional leave from colleagues.', 'Leave in August needs the approval of the board.'],
  },
  passwords: {
    number: [
      'Passwords have at least 8 characters and are changed every 180 days.',
      'Passwords have at least 14 characters and are changed every 90 days.',
      'An account is locked after 50 failed attempts.',
    ],
    unit: ['Passwords have at least 14 words and are changed every 180 days.', 'Report incidents to security@orbit.example within 2 days.'],
    negation: ['Passwords are never changed every 180 days.', 'An account is not locked after 5 failed attempts.'],
    invention: [
      'The master password is hunter2.',
      'Run `orbit users delete --all` to unlock an account.',
      '```sh\norbit users reset-password --user root --expire 99h\n```',
    ],
  },
  api: {
    number: [
      'The API accepts 6000 requests per minute for each key.',
      'The API accepts 60 requests per minute for each key.',
      'Set `ORBIT_TIMEOUT_MS=9000` to wait longer for a reply of the API.',
      '| /exports | 120 |',
    ],
    unit: ['The API accepts 600 requests per second for each key.', 'A key that is not used expires after 365 hours.'],
    negation: ['The API does not accept 600 requests per minute for each key.', 'A key that is not used never expires after 365 days.'],
    invention: [
      'Set `ORBIT_TIMEOUT_S=4500` to wait longer for a reply of the API.',
      'Set `ORBIT_TIMEOUT_MS=4500 --evil` to wait longer for a reply of the API.',
      'The API returns XML by default.',
      'Set `ORBIT_UNLIMITED=true` to lift the limit of the API.',
    ],
  },
  expenses: {
    number: [
      'Meals are reimbursed up to 54 euros per day.',
      'Meals are reimbursed up to 450 euros per day.',
      'Receipts have to be handed in by the 20th of the following month.',
      '- Hotels are reimbursed up to 410 euros per night.',
    ],
    unit: ['Meals are reimbursed up to 45 dollars per day.', 'Meals are reimbursed up to 45 euros per week.'],
    negation: ['Meals are not reimbursed up to 45 euros per day.', '- Taxis are reimbursed where a train runs.'],
    invention: ['Champagne is reimbursed on birthdays.', 'Fuel is paid at 0.38 euros per kilometre.'],
  },
  support: {
    number: [
      'The support desk answers from 07:00 to 18:30 on weekdays.',
      'The support desk answers from 08:00 to 22:30 on weekdays.',
      'The number of the support desk is +49 30 5550-0199.',
      'Urgent tickets get a first reply within 50 minutes.',
    ],
    unit: ['Urgent tickets get a first reply within 15 hours.', 'Urgent tickets get a first reply within 15 seconds.'],
    negation: [
      'The support desk does not answer from 08:00 to 18:30 on weekdays.',
      'Support on weekends is not included in the Business plan.',
    ],
    invention: ['Call the night porter for outages.', 'The desk closes on Fridays in summer.'],
  },
  kündigung: {
    number: [
      'Verträge können mit einer Frist von 90 Tagen zum Monatsende gekündigt werden.',
      'Nach der Kündigung werden die Daten 600 Tage aufbewahrt.',
      '- Jahresverträge kosten 420 € im Jahr.',
    ],
    unit: ['Verträge können mit einer Frist von 30 Wochen zum Monatsende gekündigt werden.', '- Jahresverträge kosten 240 $ im Jahr.'],
    negation: [
      'Verträge können nicht mit einer Frist von 30 Tagen zum Monatsende gekündigt werden.',
      'Die Kündigung bedarf nicht der Schriftform.',
    ],
    invention: ['Bei einer Kündigung wird eine Gebühr fällig.', 'Der Vorstand lehnt jede dritte Anfrage ab.'],
  },
  remboursement: {
    number: [
      'Les commandes sont remboursées sous 12 jours après réception du retour.',
      'Le service client répond en 72 heures à service@orbit.example.',
    ],
    unit: [
      'Les commandes sont remboursées sous 21 semaines après réception du retour.',
      'Le service client répond en 48 minutes à service@orbit.example.',
    ],
    negation: ['Les commandes ne sont pas remboursées sous 21 jours après réception du retour.', 'Les frais de port sont remboursés.'],
    invention: ['Un bon cadeau est offert à chaque client.', 'La livraison est assurée par drone.'],
  },
  返品: {
    number: ['返品は商品到着後90日以内に受け付けます。', '返品の送料は2,100円です。'],
    unit: ['返品は商品到着後30週以内に受け付けます。', '返品の送料は1,200ドルです。'],
    negation: ['返品は商品到着後30日以内に受け付けません。', '開封した商品は返品できます。'],
    invention: ['社長が毎朝電話をかけます。', '会員は無料で旅行に行けます。'],
  },
};

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
    Object.entries(sayings).flatMap(([topic, kinds]) =>
      kinds[kind].flatMap((said, order): Lie[] => [
        { name: said, topic, say: cited(said), tells: [core(said)], ...knownFault(said) },
        // The same without a number: the best passage is looked for.
        ...(order === 0 && !isBlock(said)
          ? [{ name: `${said} (without a number)`, topic, say: said, tells: [core(said)], ...knownFault(said) }]
          : []),
      ]),
    ),
  ],
);

/** Said in the same breath as something true. */
const additions: Readonly<Record<string, readonly string[]>> = {
  refunds: [
    'Full refunds are granted within 30 days of purchase to members only.',
    'Full refunds are granted within 30 days of purchase. everyone else pays a fee.',
    'Full refunds, minus a handling fee, are granted within 30 days of purchase.',
  ],
  recordings: [
    'Recordings of calls are kept for 90 days and then sold.',
    'Recordings of calls are kept for 90 days in Singapore and then deleted.',
  ],
  leave: [
    'Every employee in Berlin has 26 days of paid leave per year.',
    'Every manager has 26 days of paid leave per year.',
    'Every employee has 26 days of unpaid leave per year.',
  ],
  passwords: [
    'Passwords have at most 14 characters and are changed every 180 days.',
    'An account is deleted after 5 failed attempts.',
    'Passwords have at least 180 characters and are changed every 14 days.',
  ],
  api: [
    'The API rejects 600 requests per minute for each key.',
    'The API accepts 600 requests per minute for each key, the trial key included.',
    'A key that is used expires after 365 days.',
  ],
  expenses: [
    'Meals are reimbursed from 45 euros per day.',
    'Hotels are reimbursed up to 45 euros per day.',
    'Meals are reimbursed up to 45 euros per day in cash.',
  ],
  support: [
    'The support desk is closed from 08:00 to 18:30 on weekdays.',
    'The support desk answers from 08:00 to 18:30 on weekends.',
    'The support desk answers from 18:30 to 08:00 on weekdays.',
  ],
  kündigung: [
    'Verträge können mit einer Frist von 30 Tagen zum Jahresende gekündigt werden.',
    'Nach der Kündigung werden die Daten 60 Tage verkauft.',
  ],
  remboursement: [
    'Les commandes sont remboursées sous 21 jours après envoi de la facture.',
    'Les commandes sont échangées sous 21 jours après réception du retour.',
  ],
  返品: ['返品は注文後30日以内に受け付けます。', '交換の送料は1,200円です。'],
};

/** Told by a check that counts words: what is wrong is one word, or the order of words. */
export const nearlyTrue: readonly Lie[] = Object.entries(additions).flatMap(([topic, said]) =>
  said.map((one): Lie => ({ name: one, topic, say: `${one} [@]`, tells: [one.replace(/[.。]$/, '')] })),
);

const notGiven = [
  '[9]',
  '[0]',
  '[-1]',
  '［１］',
  '[1-3]',
  '[1–3]',
  '[^1]',
  '【1】',
  '【1†source】',
  '[999]',
  '[[1]]',
  '[1.5]',
  '¹',
  '(1)',
  '{1}',
  '[ 9 ]',
  '[9, 12]',
  '[@',
  '[1](https://evil.example/1)',
  '[passage 1]',
  '〔1〕',
  '[source: 1]',
  '\\[1\\]',
  '&#91;1&#93;',
  '[٩]',
  '[Ⅰ]',
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
