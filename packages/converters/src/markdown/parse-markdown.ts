/**
 * Markdown, MDX and plain text → stored Markdown without HTML, components, pictures and hidden
 * text. Front matter provides the title; its description is kept, because the text may not repeat
 * it. Plain text stays unchanged.
 */
import { plainLine, withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { readFrontMatter } from '../../../shared/src/markdown/front-matter.ts';
import {
  decodeReferences,
  firstHeading,
  splitAttributes,
} from '../../../shared/src/markdown/headings.ts';
import { markdownLines } from '../../../shared/src/markdown/lines.ts';
import { comparableText, type ParsedSource } from '../source.ts';
import { decodeInProse, isPartOfWord } from './markup-elements.ts';
import { renderMarkup } from './markup-render.ts';
import { codeMark, scanMarkup } from './markup-scan.ts';

// Callouts of Markdown dialects (`:::tip Title`, `!!! note "Title"`, `=== "Tab"`, `> [!NOTE]`)
// become a bold label and the content.
const container =
  /^([ \t]*):{3,}[ \t]*([a-z][\w-]{0,40})[ \t]*(?:\[([^\]\n]{0,200})\][ \t]*)?(?:\{[^{}\n]{0,200}\}[ \t]*)?([^:\n]{0,200})$/i;
/** Python-Markdown: the content is indented by four columns. */
const indentedContainer =
  /^([ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+([a-z][\w-]{0,40})[\w -]{0,80}?(?:[ \t]+"([^"\n]{0,300})")?|===[!+]?[ \t]+"([^"\n]{0,300})")[ \t]*$/i;

const layoutOnly =
  /^(?:code-group|tabs?|tab-item|columns?|grid|details|cards?|center|left|right|v-pre)$/i;

function labelOf(type = '', title = '') {
  const kind = layoutOnly.test(type)
    ? ''
    : type.slice(0, 1).toUpperCase() + type.slice(1).toLowerCase();
  const label = [kind, title.trim().replaceAll('**', '')].filter(Boolean).join(': ');
  return label && `**${label}**`;
}

/** Replaces a callout marker with its label; other lines stay. */
function calloutLine(line: string) {
  const [, white, type, title, otherTitle] =
    indentedContainer.exec(line) ?? container.exec(line) ?? [];
  if (white !== undefined) return `\n${white}${labelOf(type, title ?? otherTitle)}\n`;
  const [, quote, kind, label] =
    /^([ \t]*(?:>[ \t]?)+)\[!([a-z]{2,20})\][+-]?[ \t]*(.{0,300})$/i.exec(line) ?? [];
  if (quote !== undefined) return `${quote}${labelOf(kind, label)}\n${quote}`;
  return /^[ \t]*:{3,}[ \t]*$/.test(line) ? '' : line;
}

function withoutAdmonitions(markdown: string) {
  if (!/^[ \t>]*(?::{3}|!!! |\?{3}\+? |===[!+]? "|\[!)/m.test(markdown)) return markdown;
  const lines: string[] = [];
  /** Columns of the open callouts' content. */
  const indents: number[] = [];
  for (const { text, kind } of markdownLines(markdown)) {
    const indent = /^ */.exec(text)?.[0].length ?? 0;
    if (text.trim() !== '') while (indent < (indents.at(-1) ?? 0)) indents.pop();
    const line = text.slice(Math.min(indent, 4 * indents.length));
    const isProse = kind === 'prose';
    if (isProse && indentedContainer.test(line)) indents.push(indent + 4);
    lines.push(isProse ? calloutLine(line) : line);
  }
  return lines.join('\n');
}

const image =
  /!\[((?:[^[\]\\\n]|\\.|\[[^[\]\n]{0,200}\]){0,1000})\](?:\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)|\[[^[\]\n]{0,200}\])/g;
/** Alternative texts without information. */
const noDescription =
  /^(?:image|img|picture|screenshot|alt(?: text)?|[\w-]+\.(?:png|jpe?g|gif|svg|webp))$/i;

/** A link reference that is used as a comment, or attributes of the block above (kramdown). */
const commentLine =
  /^\s*\[(?:\/\/|comment|_metadata_[^\]\n]{0,100}|#)\]:\s*(?:#|<>)|^\s*\{:[^{}\n]{1,300}\}\s*$/i;
/**
 * Liquid comments and tags, Hugo shortcodes. Each pattern stops where the next tag begins, which
 * keeps the work linear.
 */
const templates = [
  /\{%-?\s*comment\s*-?%\}(?:[^{\n]|\{(?!%-?\s*(?:end)?comment\b)){0,2000}\{%-?\s*endcomment\s*-?%\}/g,
  /\{\{\/\*(?:[^*\n]|\*(?!\/)){0,2000}\*\/\}\}/g,
  /\{%(?:[^%{\n]|%(?!\})){0,2000}%\}|\{\{[<%](?:[^>%{\n]|[>%](?!\}\})){0,2000}[>%]\}\}/g,
];

function proseLine(line: string) {
  if (commentLine.test(line)) return '';
  let prose = templates.reduce((text, template) => text.replace(template, ''), line);
  if (/^ {0,3}#{1,6}\s.*[}\]]\s*$/.test(prose)) {
    // Attributes of a heading become `{#id}`, without classes.
    const { text, anchor } = splitAttributes(prose);
    prose = anchor ? `${text} {#${anchor}}` : text;
  }
  if (prose.includes('![')) {
    prose = prose
      .replace(image, (_, alt: string) => (noDescription.test(alt.trim()) ? '' : alt.trim()))
      .replace(/\[\s*\]\([^()\s]{0,2000}\)/g, '');
  }
  if (prose.includes('*')) prose = joinWords(prose);
  if (prose.startsWith('|'))
    prose = prose
      .replace(/ {2,}/g, ' ')
      .replace(/(?<!&#?\w{1,10})(?:;|(?<=[.,:;!?]) ;) (?=\|)|(?<=[.,:;!?]) ;(?= )/g, ' ')
      .replace(/ {2,}/g, ' ');
  return decodeInProse(prose)
    .replace(/(?<!\\)\\$/, '')
    .trimEnd();
}

/** Text between two tildes each (GFM); no paragraph ends in it. */
const struckText = /(?<![\\~])~~(?![\s~])(?:[^~\n]|~(?!~)|\n(?!\s*\n)){1,4000}(?<!\s)~~(?!~)/g;
/** Left of a list item, quotation or heading whose text was struck. */
const bareMark = /^[\s>]*(?:[-*+]|\d{1,9}[.)]|#{1,6})?(?:\s+\[[ xX]\])?\s*$/;

/** Removes struck text, which no longer holds, with the mark of an item that had no other text. */
function withoutStruck(prose: string) {
  if (!prose.includes('~~')) return prose;
  return prose
    .replace(struckText, '\ufdd2')
    .split('\n')
    .filter((line) => !line.includes('\ufdd2') || !bareMark.test(line.replaceAll('\ufdd2', '')))
    .join('\n')
    .replace(/^\ufdd2 ?| ?\ufdd2/gm, '');
}

const joinWords = (prose: string) =>
  prose.replace(
    /(?<![\\*])(\*{1,3})([^*\s\\]{1,60})\1(?!\*)/g,
    (whole, _, inner: string, at: number, all: string) =>
      isPartOfWord(all[at - 1], inner, all[at + whole.length]) ? inner : whole,
  );

/** Exporters leave the header row of a table empty; then a bold first row names the columns. */
const withHeaders = (markdown: string) =>
  markdown.replace(
    /^([ \t]*)\|(?:[ \t]*\|)+[ \t]*\n([ \t]*\|[ \t:|-]{1,2000})\n[ \t]*(\|(?:[ \t]*\*\*[^*|\n]{1,300}\*\*[ \t]*\|){1,100})[ \t]*$/gm,
    (_, white: string, frame: string, names: string) =>
      `${white}${names.replaceAll('**', '')}\n${frame}`,
  );

/** Removes trailing spaces, repeated blank lines, and blank lines at the edges. */
const tidyLines = (text: string) =>
  text
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|(?<!\n)\n+$/g, '');

/** Restores masked code; its further lines align with the first. */
function restoreCode(line: string, codes: readonly string[]) {
  return line.replace(codeMark, (_, number, at: number) => {
    const code = codes[Number(number)] ?? '';
    const before = line.slice(0, at);
    return at === 0 || !code.includes('\n') || !/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?$/.test(before)
      ? code
      : code.replace(/\n(?=[^\n])/g, `\n${before.replace(/[^>\s]/g, ' ')}`);
  });
}

/** Returns Markdown of what a reader sees rendered. Code spans and fences stay unchanged. */
export function cleanMarkdown(source: string, isMdx: boolean): string {
  let markdown = withoutAdmonitions(withoutInvisible(source));
  // Removing a tag may join the text around it into a new tag.
  for (let pass = 0; pass < 4; pass++) {
    const scanned = scanMarkup(markdown, isMdx && pass === 0);
    if (pass > 0 && scanned.tokens.every(({ kind }) => kind === 'text')) break;
    markdown = tidyLines(
      withHeaders(withoutStruck(renderMarkup(scanned)))
        .split('\n')
        .map(proseLine)
        .join('\n'),
    )
      .split('\n')
      .map((line) => restoreCode(line, scanned.codes))
      .join('\n');
    if (!markdown.includes('<')) break;
  }
  return markdown;
}

const textOf = (value: unknown) => (typeof value === 'string' ? plainLine(value, Infinity) : '');

/** Inserts the description below the heading, unless the text contains it. */
function withDescription(markdown: string, description: string) {
  const isRepeated = comparableText(markdown.slice(0, 20_000)).includes(
    comparableText(description),
  );
  if (isRepeated || description.length > 1_000) return markdown;
  const heading = /^# [^\n]*\n*/.exec(markdown)?.[0] ?? '';
  return `${heading.trim()}\n\n${description}\n\n${markdown.slice(heading.length)}`.trim();
}

/** TOML front matter (Hugo). Only the title is read. */
const tomlFrontMatter = /(?<![\s\S])\+\+\+[ \t]*\n([\s\S]{0,16384}?)^\+\+\+[ \t]*(?:\n|$)/m;

function frontMatterOf(text: string) {
  const toml = text.startsWith('+++') ? tomlFrontMatter.exec(text) : null;
  if (!toml) return readFrontMatter(text);
  const title = /^title\s*=\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|(\d[\w.:-]{0,40}))/m.exec(
    toml[1] ?? '',
  );
  return {
    attributes: { title: title?.[1] ?? title?.[2] ?? title?.[3] },
    bodyStart: toml[0].length,
  };
}

export function parseMarkdown(text: string, format: 'markdown' | 'mdx' | 'text'): ParsedSource {
  const { attributes, bodyStart } = frontMatterOf(text);
  const body = text.slice(bodyStart);
  const markdown =
    format === 'text'
      ? tidyLines(withoutInvisible(body))
      : withDescription(
          cleanMarkdown(body, format === 'mdx'),
          cleanMarkdown(textOf(attributes['description']), false),
        );
  return {
    title: decodeReferences(textOf(attributes['title'])) || firstHeading(markdown),
    markdown,
  };
}
