export default {
  title: 'Lanternfish Handbook',
  url: 'https://handbook.lanternfish.example',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  favicon: undefined,
  i18n: { defaultLocale: 'en', locales: ['en'] },
  presets: [
    [
      'classic',
      {
        docs: { routeBasePath: '/', sidebarPath: './sidebars.js', editUrl: 'https://github.com/lanternfish/handbook/edit/main/', showLastUpdateTime: false },
        blog: false,
      },
    ],
  ],
  themeConfig: {
    announcementBar: { content: 'Our summer conference is open: <a href="https://conf.lanternfish.example">get a ticket</a>' },
    navbar: { title: 'Lanternfish', items: [{ to: '/', label: 'Manuals' }, { href: 'https://github.com/lanternfish', label: 'Source code' }] },
    footer: {
      style: 'dark',
      links: [{ title: 'Community', items: [{ label: 'Forum of divers', href: 'https://forum.lanternfish.example' }] }],
      copyright: 'Copyright © 2025 Lanternfish Co-operative',
    },
    prism: { additionalLanguages: ['bash', 'ini'] },
  },
};
