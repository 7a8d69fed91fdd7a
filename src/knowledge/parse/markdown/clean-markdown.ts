/**
 * Markdown and MDX as a reader sees them rendered, still as Markdown: no HTML, no components, no pictures, nothing hidden. Code spans and
 * fences come out as they went in.
 */

import { withoutInvisible } from '../invisible.ts';
import { withoutAdmonitions } from './admonitions.ts';
import { decodeInProse } from './entities.ts';
import { codeMark, renderMarkup } from './markup-render.ts';
import { scanMarkup } from './markup-scan.ts';

const image = /!\[((?:[^[\]\\\n]|\\.|\[[^[\]\n]{0,200}\]){0,1000})\](?:\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)|\[[^[\]\n]{0,200}\])/g;
const emptyLink = /\[\s*\]\([^()\s]{0,2000}\)/g;
/** Says nothing about the picture. */
const noDescription = /^(?:image|img|picture|screenshot|alt(?: text)?|[\w-]+\.(?:png|jpe?g|gif|svg|webp))$/i;
/** Removing a tag may put another one together. */
const maxPasses = 4;

/** What Markdown has no form for, and writers use as a comment: a reference that nothing refers to. */
const commentLine = /^\s*\[(?:\/\/|comment|_metadata_[^\]\n]{0,100}|#)\]:\s*(?:#|<>)/i;
/** What the generator of a site replaces: shortcodes of Hugo, tags and comments of Liquid. */
const templateMark =
  /\{%-?\s*comment\s*-?%\}.{0,2000}?\{%-?\s*endcomment\s*-?%\}|\{%.{0,500}?%\}|\{\{[<%].{0,500}?[>%]\}\}|\{\{\/\*.{0,2000}?\*\/\}\}/g;

function proseLine(line: string): string {
  if (commentLine.test(line)) return '';
  let prose = line.includes('{') ? line.replace(templateMark, '') : line;
  if (prose.includes('![')) {
    prose = prose.replace(image, (_, alt: string) => (noDescription.test(alt.trim()) ? '' : alt.trim())).replace(emptyLink, '');
  }
  if (prose.startsWith('|'))
    prose = prose
      .replace(/ {2,}/g, ' ')
      .replace(/(?<!&#?\w{1,10})(?:;|(?<=[.,:;!?]) ;) (?=\|)|(?<=[.,:;!?]) ;(?= )/g, ' ')
      .replace(/ {2,}/g, ' ');
  return decodeInProse(prose)
    .replace(/(?<!\\)\\$/, '')
    .trimEnd();
}

/** No trailing spaces, no more than one blank line in a row, none at the edges. */
export const tidyLines = (text: string): string =>
  text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');

/** Code takes the place of its mark; its further lines stand below its first. */
function withCode(line: string, codes: readonly string[]): string {
  return line.replace(codeMark, (_, number, at: number) => {
    const code = codes[Number(number)] ?? '';
    const before = line.slice(0, at);
    return at === 0 || !code.includes('\n') || !/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?$/.test(before)
      ? code
      : code.replace(/\n(?=[^\n])/g, `\n${before.replace(/[^>\s]/g, ' ')}`);
  });
}

export function cleanMarkdown(source: string, isMdx: boolean): string {
  let markdown = withoutAdmonitions(withoutInvisible(source));
  for (let pass = 0; pass < maxPasses; pass++) {
    let hadTags = pass === 0;
    const tokens = scanMarkup(markdown, isMdx && pass === 0);
    const rendered = renderMarkup(
      (function* () {
        for (const token of tokens) {
          if (token.kind === 'open' || token.kind === 'close') hadTags = true;
          yield token;
        }
      })(),
    );
    if (!hadTags) break;
    markdown = tidyLines(rendered.markdown.split('\n').map(proseLine).join('\n'))
      .split('\n')
      .map((line) => withCode(line, rendered.codes))
      .join('\n');
    if (!markdown.includes('<')) break;
  }
  return markdown;
}
