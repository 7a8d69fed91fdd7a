/** Eleven documents of a company that never was, with what people ask about each and what an honest model says of it. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Topic {
  readonly name: string;
  readonly question: string;
  /** Stands in the passage that answers, word for word. */
  readonly fact: string;
  /** Whole sentences of the document, or lightly reworded ones. */
  readonly sentences: readonly string[];
  /** List items, without their marks. */
  readonly items?: readonly string[];
  readonly rows?: readonly string[];
  /** A true sentence of another document. */
  readonly elsewhere: string;
}

const folder = new URL('../fixtures/staged-handbook/', import.meta.url);

export const handbook: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map((name) => [`docs/${name}`, readFileSync(new URL(name, folder), 'utf8')]),
);

export const topics: readonly Topic[] = [
  {
    name: 'refunds',
    question: 'within how many days of purchase are full refunds granted?',
    fact: 'granted within 30 days',
    sentences: [
      'Full refunds are granted within 30 days of purchase.',
      'A full refund is granted within 30 days of purchase.',
      'Annual plans are refunded for the months that are left.',
      'Write to billing@orbit.example with the number of the order.',
    ],
    elsewhere: 'The buddy programme lasts 12 weeks.',
  },
  {
    name: 'prices',
    question: 'what is the price per month of the Team plan and the Business plan?',
    fact: '| Team | $28 | 50 |',
    sentences: ['A refund of more than $500 is approved by the finance desk.'],
    rows: ['| Team | $28 | 50 |', '| Business | $75 | 400 |'],
    elsewhere: 'Passwords have at least 14 characters and are changed every 180 days.',
  },
  {
    name: 'recordings',
    question: 'how long are recordings of calls kept?',
    fact: 'kept for 90 days',
    sentences: [
      'Recordings of calls are kept for 90 days and then deleted.',
      'Recordings of calls are deleted after they were kept for 90 days.',
      'Nobody outside the team can open a recording.',
    ],
    items: ['Video recordings are stored in 1080p.', 'Audio recordings are stored at 128 kbps.'],
    elsewhere: 'Meals are reimbursed up to 45 euros per day.',
  },
  {
    name: 'leave',
    question: 'how many days of paid leave does every employee have per year?',
    fact: '26 days of paid leave',
    sentences: [
      'Every employee has 26 days of paid leave per year.',
      'Employees have 26 days of paid leave every year.',
      'Leave that is not taken expires on 31 March 2026.',
    ],
    items: ['Requests are sent at least 14 days ahead.', 'Up to 5 days may be carried over.'],
    elsewhere: 'The API accepts 600 requests per minute for each key.',
  },
  {
    name: 'passwords',
    question: 'how many characters do passwords have, and how often are they changed?',
    fact: 'at least 14 characters',
    sentences: [
      'Passwords have at least 14 characters and are changed every 180 days.',
      'Passwords must have at least 14 characters and must be changed every 180 days.',
      'An account is locked after 5 failed attempts.',
      'Report incidents to security@orbit.example within 2 hours.',
    ],
    elsewhere: 'Hotels are reimbursed up to 140 euros per night.',
  },
  {
    name: 'api',
    question: 'how many requests per minute does the API accept for each key?',
    fact: '600 requests per minute for',
    sentences: [
      'The API accepts 600 requests per minute for each key.',
      'For each key the API accepts 600 requests per minute.',
      'The base address of the API is https://api.orbit.example/v2 for all regions.',
      'Set `ORBIT_TIMEOUT_MS=4500` to wait longer for a reply of the API.',
    ],
    rows: ['| /exports | 12 |'],
    elsewhere: 'Every employee has 26 days of paid leave per year.',
  },
  {
    name: 'expenses',
    question: 'up to how many euros are meals reimbursed per day?',
    fact: 'up to 45 euros',
    sentences: [
      'Meals are reimbursed up to 45 euros per day.',
      'Meals get reimbursed up to 45 euros a day.',
      'Receipts have to be handed in by the 10th of the following month.',
      'Flights longer than 6 hours may be booked in premium economy.',
    ],
    items: ['Hotels are reimbursed up to 140 euros per night.'],
    elsewhere: 'Recordings of calls are kept for 90 days and then deleted.',
  },
  {
    name: 'support',
    question: 'at what hours does the support desk answer on weekdays?',
    fact: 'from 08:00 to 18:30',
    sentences: [
      'The support desk answers from 08:00 to 18:30 on weekdays.',
      'On weekdays the support desk answers from 08:00 to 18:30.',
      'Urgent tickets get a first reply within 15 minutes.',
      'The number of the support desk is +49 30 5550-0142.',
    ],
    elsewhere: 'Every employee has 26 days of paid leave per year.',
  },
  {
    name: 'kündigung',
    question: 'mit welcher Frist können Verträge gekündigt werden?',
    fact: 'Frist von 30 Tagen',
    sentences: [
      'Verträge können mit einer Frist von 30 Tagen zum Monatsende gekündigt werden.',
      'Die Kündigung bedarf der Schriftform.',
      'Nach der Kündigung werden die Daten 60 Tage aufbewahrt.',
    ],
    items: ['Jahresverträge kosten 240 € im Jahr.', 'Testphasen dauern 14 Tage.'],
    elsewhere: 'The induction takes place in room 4.17 at 9:30.',
  },
  {
    name: 'remboursement',
    question: 'sous combien de jours les commandes sont-elles remboursées ?',
    fact: 'sous 21 jours',
    sentences: [
      'Les commandes sont remboursées sous 21 jours après réception du retour.',
      'Les frais de port ne sont pas remboursés.',
      'Le service client répond en 48 heures à service@orbit.example.',
    ],
    elsewhere: 'The buddy programme lasts 12 weeks.',
  },
  {
    name: '返品',
    question: '返品は何日以内に受け付けますか？',
    fact: '30日以内',
    sentences: ['返品は商品到着後30日以内に受け付けます。', '返品の送料は1,200円です。', '開封した商品は返品できません。'],
    elsewhere: 'The buddy programme lasts 12 weeks.',
  },
];
