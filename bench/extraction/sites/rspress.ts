import type { SitePage } from '../row.ts';

const chrome = [
  'Peatmoss is a garden of its members',
  'Edit this page',
  'Beds and pots',
  'ON THIS PAGE',
  'Previous page',
  'Next page',
  'Copy Markdown',
];

export const pages: readonly SitePage[] = [
  {
    name: 'Rspress guide',
    built: 'doc_build/guide/plots.html',
    url: 'https://garden.example/guide/plots.html',
    keep: [
      'Rent a plot',
      'from March to November',
      'Online',
      'Fill in the form before 15 January',
      'Neighbours may share a plot',
      'Watering',
      'Hoses are forbidden',
      'Who owns the fruit trees?',
      'the fruit to whoever picks it',
      'peatmoss apply --plot 17',
      '65 m²',
      'barrel',
    ],
    keepMarkdown: ['```bash\npeatmoss apply --plot 17', '| Shady | 65 m² | barrel |'],
    drop: [...chrome, 'Fees'],
  },
  {
    name: 'Rspress fees',
    built: 'doc_build/guide/fees.html',
    url: 'https://garden.example/guide/fees.html',
    keep: [
      'Fees',
      'How much is the deposit?',
      'paid back when the shed key is returned',
      'What if I leave early?',
      'until midsummer',
    ],
    keepMarkdown: ['## How much is the deposit?'],
    drop: [...chrome, 'Rent a plot'],
  },
];
