import { defineConfig } from '@rspress/core';

export default defineConfig({
  root: 'docs',
  title: 'Peatmoss',
  themeConfig: {
    socialLinks: [{ icon: 'github', mode: 'link', content: 'https://github.com/peatmoss' }],
    footer: { message: 'Peatmoss is a garden of its members.' },
    editLink: { docRepoBaseUrl: 'https://github.com/peatmoss/docs/tree/main/docs' },
  },
});
