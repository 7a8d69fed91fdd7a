/** How the page is built: `src/page` → `dist/page`, small, and relative, so that it works below any path. */
import { defineConfig } from 'vite';

/** Indentation of templates, and quotes that their attributes do without, would be shipped. */
const withoutFormatting = (code: string) => code.replace(/\n\s+/g, '\n').replace(/(\s[a-z-]+)="([\w-]+)"/g, '$1=$2');

/** Removes the instance that marked creates for its own functions, which the page does not call. */
const withoutInstance = (code: string) =>
  code.replace(
    /^const markedInstance = [\s\S]*/m,
    'export { _getDefaults as getDefaults, _Lexer as Lexer, _Parser as Parser, _Renderer as Renderer };\n',
  );

function transform(code: string, id: string): string | undefined {
  if (id.endsWith('marked.esm.js')) return withoutInstance(code);
  return id.endsWith('.ts') ? withoutFormatting(code) : undefined;
}

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
  plugins: [{ name: 'smaller', enforce: 'pre', transform }],
  logLevel: 'warn',
});
