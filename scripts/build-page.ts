/**
 * Builds `src/page` and `src/widget` into `dist/page`, replaced atomically because a server may be
 * reading it: minified, with relative URLs, so that they work under any path. Compresses larger
 * files. Copies the files of Swagger UI.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { generate, parse } from 'css-tree';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import { builtPage, swaggerFiles } from '../src/http/page.ts';
import { packageRoot as root } from '../src/package.ts';

const minCompressedBytes = 1_000;

/** Removes indentation from templates and unneeded quotes from their attributes. */
const withoutFormatting = (code: string) =>
  code.replace(/\n\s+/g, '\n').replace(/(\s[a-z-]+)="([\w-]+)"/g, '$1=$2');

/** Removes marked's default instance and its pedantic mode, which the page does not use. */
const withoutUnused = (code: string) =>
  code
    .replace(/^const (?:block|inline)Pedantic = [\s\S]*?^};/gm, '')
    .replace(/^ +pedantic: \w+Pedantic,?/gm, '')
    .replaceAll('this.options.pedantic', 'false')
    .replace(
      /^const markedInstance = [\s\S]*/m,
      'export { _getDefaults as getDefaults, _Lexer as Lexer, _Parser as Parser, _Renderer as Renderer };\n',
    );

const minified = (css: string) => generate(parse(css));

const smaller = {
  name: 'smaller',
  transform(code: string, id: string) {
    if (id.endsWith('marked.esm.js')) return withoutUnused(code);
    return id.endsWith('.ts') && id.includes('/src/page/') ? withoutFormatting(code) : undefined;
  },
  async load(id: string) {
    if (!id.endsWith('.css?inline')) return undefined;
    const css = minified(await readFile(id.replace('?inline', ''), 'utf8'));
    return { code: `export default ${JSON.stringify(css)};`, moduleType: 'js' as const };
  },
};

/** @returns name and code of the script */
async function bundle(
  input: string,
  target: string[],
  output: OutputOptions,
): Promise<readonly [string, string]> {
  const options: InputOptions = {
    input: join(root, input),
    platform: 'browser',
    plugins: [smaller],
    transform: { target, define: { 'process.env.NODE_ENV': '"production"' } },
  };
  await using built = await rolldown(options);
  const [script] = (await built.generate({ ...output, minify: true, codeSplitting: false })).output;
  return [script.fileName, script.code];
}

async function buildPage(folder: string): Promise<void> {
  const read = (name: string) => readFile(join(root, 'src/page', name), 'utf8');
  const named = (name: string, content: string) =>
    `page/${name.replace('.', `-${createHash('sha256').update(content).digest('base64url').slice(0, 8)}.`)}`;
  const [script, code] = await bundle(
    'src/page/main.ts',
    ['chrome125', 'firefox128', 'safari17.5'],
    { format: 'esm', entryFileNames: 'page/index-[hash].js' },
  );
  const css = minified(await read('style.css'));
  const icon = await read('icon.svg');
  const files = {
    'main.ts': script,
    'style.css': named('index.css', css),
    'icon.svg': named('icon.svg', icon),
  };
  let html = await read('index.html');
  for (const [from, to] of Object.entries(files)) html = html.replace(`./${from}`, `./${to}`);
  await mkdir(join(folder, 'page'), { recursive: true });
  await writeFile(join(folder, files['main.ts']), code);
  await writeFile(join(folder, files['style.css']), css);
  await writeFile(join(folder, files['icon.svg']), icon);
  await writeFile(join(folder, 'index.html'), html);
}

async function buildWidget(folder: string): Promise<void> {
  const [name, code] = await bundle(
    'src/widget/main.ts',
    ['chrome123', 'firefox120', 'safari17.5'],
    { format: 'iife', entryFileNames: 'widget/widget.js', name: 'knowledgeChat' },
  );
  await mkdir(join(folder, 'widget'));
  await writeFile(join(folder, name), code);
}

/** Stores larger files also as gzip and Brotli. */
async function compressFiles(folder: string, compressed: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    if (content.length < minCompressedBytes) continue;
    await writeFile(join(compressed, name), content);
    await writeFile(join(compressed, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    await writeFile(join(compressed, `${name}.br`), await promisify(brotliCompress)(content));
  }
}

const dist = dirname(builtPage);
await mkdir(dist, { recursive: true });
// On the same disk, because a rename works only within one disk.
const aside = await mkdtemp(join(dist, 'building-'));
const made = join(aside, 'page');
try {
  await buildPage(made);
  await buildWidget(made);
  await mkdir(join(made, 'swagger-ui'));
  for (const name of swaggerFiles)
    await copyFile(join(swaggerFolder(), name), join(made, 'swagger-ui', name));
  await mkdir(join(made, 'compressed'));
  for (const folder of ['page', 'widget'])
    await compressFiles(join(made, folder), join(made, 'compressed'));
  if (existsSync(builtPage)) await rename(builtPage, join(aside, 'before'));
  await rename(made, builtPage);
} finally {
  await rm(aside, { recursive: true, force: true });
}
