/**
 * Builds `src/page` to `dist/page`: minified, with relative URLs, so it works under any path. Mode
 * `widget` builds `src/widget` to one script.
 */
import { defineConfig } from 'vite';

/** Removes indentation from templates and unneeded quotes from their attributes. */
const withoutFormatting = (code: string) =>
  code.replace(/\n\s+/g, '\n').replace(/(\s[a-z-]+)="([\w-]+)"/g, '$1=$2');

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

const page = defineConfig({
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

const widget = defineConfig({
  root: 'src/widget',
  publicDir: false,
  build: {
    lib: {
      entry: 'main.ts',
      formats: ['iife'],
      name: 'knowledgeChat',
      fileName: () => 'widget.js',
    },
    outDir: '../../dist/page/widget',
    emptyOutDir: true,
    target: ['chrome111', 'firefox113', 'safari16.4'],
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});

export default defineConfig(({ mode }) => (mode === 'widget' ? widget : page));
