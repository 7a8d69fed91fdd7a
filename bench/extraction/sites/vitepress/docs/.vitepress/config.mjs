export default {
  title: 'Quayside Docs',
  description: 'How Quayside moves freight papers',
  lang: 'en-US',
  cleanUrls: false,
  lastUpdated: false,
  head: [['link', { rel: 'canonical', href: 'https://docs.quayside.example/guide/webhooks.html' }]],
  themeConfig: {
    nav: [
      { text: 'Product tour', link: '/guide/webhooks' },
      { text: 'Price list', link: '/guide/faq' },
    ],
    sidebar: [
      {
        text: 'Start here',
        items: [
          { text: 'Receive webhooks', link: '/guide/webhooks' },
          { text: 'Billing questions', link: '/guide/faq' },
        ],
      },
    ],
    editLink: { pattern: 'https://github.com/quayside/docs/edit/main/:path', text: 'Edit this page on GitHub' },
    footer: { message: 'Released under the Harbour License.', copyright: 'Copyright © 2024 Quayside Ltd' },
    search: { provider: 'local' },
    docFooter: { prev: 'Earlier page', next: 'Following page' },
  },
};
