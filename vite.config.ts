/** Builds `src/page` to `dist/page`: minified, with relative URLs, so it works under any path. */
import { defineConfig } from 'vite';

/** Removes indentation from templates and unneeded quotes from their attributes. */
const withoutFormatting = (code: string) => code.replace(/\n\s+/g, '\n').replace(/(\s[a-z-]+)="([\w-]+)"/g, '$1=$2');

/** Removes marked's default instance, which the page does not use. */
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
    // Images inside style sheets would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: ['chrome125', 'firefox128', 'safari17.5'],
    reportCompressedSize: false,
  },
  plugins: [{ name: 'smaller', enforce: 'pre', transform }],
  logLevel: 'warn',
});
