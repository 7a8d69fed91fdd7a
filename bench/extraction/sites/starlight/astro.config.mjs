import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: 'https://docs.millrace.example',
  integrations: [
    starlight({
      title: 'Millrace',
      editLink: { baseUrl: 'https://github.com/millrace/docs/edit/main/' },
      social: [{ icon: 'github', label: 'GitHub', href: 'https://github.com/millrace' }],
      sidebar: [{ label: 'Water wheels', items: [{ label: 'Deploy a wheel', link: '/deploy/' }, { label: 'Answers in short', link: '/answers/' }] }],
      pagefind: false,
    }),
  ],
});
