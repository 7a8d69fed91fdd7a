/** How the page is built: `src/page` → `dist/page`, small, and relative, so that it works below any path. */
import { defineConfig } from 'vite';

/** Indentation of templates, and quotes that their attributes do without, would be shipped. */
const withoutFormatting = (code: string) => code.replace(/\n\s+/g, '\n').replace(/(\s[a-z-]+)="([\w-]+)"/g, '$1=$2');

export default defineConfig({
  root: 'src/page',
  base: './',
  publicDir: false,
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    assetsDir: 'page',
    // Pictures within style sheets would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: ['chrome125', 'firefox128', 'safari17.5'],
    reportCompressedSize: false,
  },
  plugins: [{ name: 'templates', enforce: 'pre', transform: (code, id) => (id.endsWith('.ts') ? withoutFormatting(code) : undefined) }],
  logLevel: 'warn',
});
