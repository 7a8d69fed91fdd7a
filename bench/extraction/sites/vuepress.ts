import type { SitePage } from '../row.ts';

export const pages: readonly SitePage[] = [
  {
    name: 'VuePress page',
    built: 'docs/.vuepress/dist/wicks.html',
    url: 'https://tallow.example/wicks.html',
    keep: [
      'Choose a wick',
      'one that is too thin drowns',
      'By diameter',
      'LX 22',
      'Test with three candles',
      'How long does a test burn?',
      'Four hours, without a draught',
      "const wick = diameter => diameter < 5 ? 'LX 12' : 'LX 22'",
      'Then go on with wax',
    ],
    keepMarkdown: [
      '```javascript\nconst wick',
      '| 4 cm | LX 12 |',
      '(https://tallow.example/wax.html)',
    ],
    drop: [
      'Candle shop',
      'Improve this text',
      'Melt the wax',
      'Skip to main content',
      'toggle sidebar',
    ],
  },
];
