/** How the page is built: `src/page` → `dist/page`, small, and relative, so that it works below any path. */
import { defineConfig } from 'vite';

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
  // The indentation of templates would be shipped.
  plugins: [{ name: 'outdent', enforce: 'pre', transform: (code, id) => (id.endsWith('.ts') ? code.replace(/\n\s+/g, '\n') : undefined) }],
  logLevel: 'warn',
});
