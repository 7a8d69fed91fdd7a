/**
 * The small document that `docx-visible.ts` writes → HTML, by mammoth. Its own maps of styles are not used: what a style means is already
 * decided. Long documents go in pieces: trees of a whole book cost too much.
 */
import JSZip from 'jszip';
import mammoth from 'mammoth';
import { escapeXml, itemNumber } from './paragraph.ts';
import { isBold, shapeTables, textOf, type WordNode } from './tables.ts';

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const listDepth = 6;
/** Of one piece of HTML, in characters; longer where a list or table is. */
const pieceChars = 100_000;
const maxCodeShare = 0.7;
const longestBoldHeading = 100;

const listPaths = Array.from({ length: listDepth }, (_, depth) =>
  ['unordered-list => ul', 'ordered-list => ol'].map((kind) => {
    const [matcher, tag] = kind.split(' => ');
    return `p:${matcher}(${depth + 1}) => ${'ul|ol > li > '.repeat(depth)}${tag} > li:fresh`;
  }),
).flat();
const styleMap = [
  ...[1, 2, 3, 4, 5, 6].map((level) => `p.Heading${level} => h${level}:fresh`),
  "p.Code => pre:separator('\\n')",
  'p.Quote => blockquote > p:fresh',
  'r.Code => code',
  ...listPaths,
];

const numbering = ['bullet', 'decimal']
  .map((format, index) => {
    const levels = Array.from({ length: listDepth }, (_, level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="${format}"/></w:lvl>`).join(
      '',
    );
    return `<w:abstractNum w:abstractNumId="${index + 1}">${levels}</w:abstractNum>`;
  })
  .join('');
const instances = [1, 2].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`).join('');

function relationshipsXml(entries: readonly (readonly [id: string, type: string, target: string])[]): string {
  const lines = entries.map(
    ([id, type, target]) => `<Relationship Id="${escapeXml(id)}" Type="${office}/${type}" Target="${escapeXml(target)}"/>`,
  );
  return `<Relationships xmlns="${relationships}">${lines.join('')}</Relationships>`;
}

async function smallDocument(body: string, links: ReadonlyMap<string, string>): Promise<Buffer> {
  const zip = new JSZip();
  zip.file('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>');
  zip.file('_rels/.rels', relationshipsXml([['main', 'officeDocument', 'word/document.xml']]));
  zip.file('word/document.xml', `<w:document xmlns:w="${word}" xmlns:r="${office}"><w:body>${body}</w:body></w:document>`);
  zip.file('word/numbering.xml', `<w:numbering xmlns:w="${word}">${numbering}${instances}</w:numbering>`);
  const targets = [...links].map(([id, target]) => [id, 'hyperlink', target] as const);
  zip.file('word/_rels/document.xml.rels', relationshipsXml([['own numbering', 'numbering', 'numbering.xml'], ...targets]));
  return zip.generateAsync({ type: 'nodebuffer', compression: 'STORE' });
}

/** In a document without any heading, short lines in bold between paragraphs are what its author means as headings. */
function withBoldHeadings(nodes: readonly WordNode[]): WordNode[] {
  return nodes.map((node, index) => {
    const next = nodes[index + 1];
    const text = textOf(node).trim();
    const isHeading =
      node.type === 'paragraph' &&
      !node.numbering &&
      isBold(node) &&
      text.length <= longestBoldHeading &&
      !/[.,;:]$/.test(text) &&
      next !== undefined &&
      !isBold(next);
    return isHeading ? { ...node, styleId: 'Heading2', children: [{ type: 'run', children: [{ type: 'text', value: text }] }] } : node;
  });
}

/** A document that is all in the letters of a typewriter is no code. */
function withoutTypewriter(nodes: readonly WordNode[]): readonly WordNode[] {
  const code = nodes.filter(({ styleId }) => styleId === 'Code').length;
  return code > nodes.length * maxCodeShare ? nodes.map((node) => (node.styleId === 'Code' ? { ...node, styleId: null } : node)) : nodes;
}

/** Items of numbered lists get the numbers that Word shows; a list that begins anew is a list of its own. */
function withNumbers(html: string): string {
  const pieces: string[] = [];
  const lists: { readonly at: number; next: number | undefined }[] = [];
  let from = 0;
  for (const match of html.matchAll(/<(\/?)(?:ol|ul)>|\ufdd0(\d+)\ufdd1/g)) {
    pieces.push(html.slice(from, match.index));
    from = match.index + match[0].length;
    const [tag, slash, number] = match;
    const list = lists.at(-1);
    if (number === undefined) {
      pieces.push(tag);
      if (slash === '/') lists.pop();
      else lists.push({ at: pieces.length - 1, next: undefined });
    } else if (list) {
      const value = Number(number);
      if (list.next === undefined && value !== 1) pieces[list.at] = `<ol start="${value}">`;
      else if (list.next !== undefined && value !== list.next) {
        const item = pieces.findLastIndex((piece) => piece.endsWith('<li>'));
        if (item > list.at) pieces[item] = `${pieces[item]?.slice(0, -4)}</ol><ol start="${value}"><li>`;
      }
      list.next = value + 1;
    }
  }
  pieces.push(html.slice(from));
  return pieces.join('').replace(itemNumber, '');
}

/** White space belongs outside of emphasis. */
const tidied = (html: string): string =>
  html
    .replace(/(\s+)((?:<\/(?:strong|em|code|s)>)+)/g, '$2$1')
    .replace(/((?:<(?:strong|em|code|s)>)+)(\s+)/g, '$2$1')
    .replace(/<(strong|em|code|s)><\/\1>/g, '')
    .replace(/<\/(strong|em|code|s)>(\s*)<\1>/g, '$2');

/** Blocks together, as long as they are short. */
function inPieces(html: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: tag, 1: slash, index } of html.matchAll(/<(\/?)(?:p|pre|h[1-6]|ul|ol|table|blockquote)>|<ol start="\d+">/g)) {
    depth += slash === '/' ? -1 : 1;
    const end = index + tag.length;
    if (depth > 0 || end - from < pieceChars) continue;
    pieces.push(html.slice(from, end));
    from = end;
  }
  pieces.push(html.slice(from));
  return pieces;
}

/**
 * @param piece elements of `w:body`
 * @param hasHeadings of the whole document
 */
export async function htmlOf(piece: string, links: ReadonlyMap<string, string>, hasHeadings: boolean): Promise<string[]> {
  const used = new Map(
    [...piece.matchAll(/ r:id="([^"]*)"/g)].flatMap(([, id = '']) => (links.has(id) ? [[id, links.get(id) ?? ''] as const] : [])),
  );
  const { value } = await mammoth.convertToHtml(
    { buffer: await smallDocument(piece, used) },
    {
      styleMap,
      includeDefaultStyleMap: false,
      includeEmbeddedStyleMap: false,
      externalFileAccess: false,
      transformDocument(document: WordNode) {
        const nodes = withoutTypewriter(document.children ?? []);
        return { ...document, children: shapeTables(hasHeadings ? nodes : withBoldHeadings(nodes)) };
      },
    },
  );
  return inPieces(tidied(withNumbers(value)));
}
