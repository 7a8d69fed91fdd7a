import { viteBundler } from '@vuepress/bundler-vite';
import { defaultTheme } from '@vuepress/theme-default';
import { defineUserConfig } from 'vuepress';

export default defineUserConfig({
  title: 'Tallow',
  lang: 'en-GB',
  bundler: viteBundler(),
  theme: defaultTheme({
    repo: 'tallow/tallow',
    docsDir: 'docs',
    navbar: [{ text: 'Candle shop', link: '/wicks.html' }],
    sidebar: ['/wicks.md', '/wax.md'],
    editLinkText: 'Improve this text',
  }),
});
