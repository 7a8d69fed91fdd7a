/** DOCX → visible text (`body.ts`) → simple HTML → Markdown by the HTML parser. */
import { decodePart } from '../decode-text.ts';
import { parseHtml } from '../html/parse-html.ts';
import {
  firstHeadingText,
  isoTimeOf,
  languageTag,
  meaningfulTitle,
  type ParsedSource,
  refused,
} from '../source.ts';
import { openZip, type ReadEntry } from '../zip.ts';
import { readBody } from './body.ts';
import { readNumberings } from './computed-text.ts';
import { escapeHtml, htmlOf } from './html.ts';
import { readDocxStyles } from './styles.ts';
import { readXml, textOfXml } from './xml.ts';

function readRelationships(xml: string | undefined) {
  const found: { id: string; type: string; target: string; isExternal: boolean }[] = [];
  readXml(xml, 1, ({ name, attributes }) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = attributes;
    if (name === 'rel:Relationship')
      found.push({ id, type: type.replace(/^.*\//, ''), target, isExternal: mode === 'External' });
  });
  return found;
}

const pathFrom = (folder: string, target: string) =>
  new URL(target, `file:///${folder}/`).pathname.slice(1);

/** Finds the main part and returns a reader for related parts. */
async function findParts(read: ReadEntry) {
  const main = readRelationships(await read('_rels/.rels')).find(
    ({ type }) => type === 'officeDocument',
  );
  const declared = main ? pathFrom('', main.target) : 'word/document.xml';
  const path = (await read(declared)) === undefined ? 'word/document.xml' : declared;
  const xml = await read(path);
  if (xml === undefined) throw refused('The DOCX file has no document part. Save it again.');
  const folder = path.split('/').slice(0, -1).join('/');
  const relationships = readRelationships(
    await read(`${folder}/_rels/${path.split('/').at(-1)}.rels`),
  );
  const part = async (type: string) => {
    const found = relationships.find((one) => one.type === type && !one.isExternal);
    return read(found ? pathFrom(folder, found.target) : `${folder}/${type}.xml`);
  };
  return { xml, relationships, folder, part };
}

/** Text of a web page in one file (MHTML), which some programs import. */
function pageInArchive(text: string) {
  const [head = '', ...body] = text.split(/\r?\n\r?\n(?=\s*<)/);
  const [page = ''] = body.join('\n\n').split(/\r?\n--[^\s<>]{1,100}\s*(?:\r?\n|$)/, 1);
  if (!/quoted-printable/i.test(head.slice(-500))) return page;
  return Buffer.from(
    page
      .replace(/=\r?\n/g, '')
      .replace(/=([\dA-F]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8');
}

/** HTML of an imported part; undefined for other formats. */
async function importedHtml(bytes: Uint8Array, target: string, depth: number) {
  const extension = /\.(\w+)$/.exec(target)?.[1]?.toLowerCase() ?? '';
  if (/^(?:x?html?|xht)$/.test(extension)) return decodePart(bytes);
  if (/^mht(?:ml)?$/.test(extension)) return pageInArchive(decodePart(bytes));
  if (extension === 'txt')
    return decodePart(bytes)
      .split(/\r?\n/)
      .map((line) => `<p>${escapeHtml(line)}</p>`)
      .join('');
  if (extension !== 'docx' || depth >= 3) return undefined;
  const { blocks, hasHeadings } = (await readDocx(bytes, depth + 1)).body;
  return [...htmlOf(blocks, hasHeadings)].join('');
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedSource> {
  const { body, properties } = await readDocx(bytes, 0);
  const parsed: string[] = [];
  for (const html of htmlOf(body.blocks, body.hasHeadings))
    parsed.push(
      (await parseHtml(`<!doctype html><html><body><main>${html}</main></body></html>`, undefined))
        .markdown,
    );
  const markdown = parsed.filter(Boolean).join('\n\n');
  const [language] = [...body.languages].sort((a, b) => b[1] - a[1])[0] ?? [];
  return {
    title:
      (meaningfulTitle(properties.get('dc:title')) ?? body.title.slice(0, 200)) ||
      firstHeadingText(markdown),
    markdown,
    language: languageTag(properties.get('dc:language')) ?? languageTag(language),
    lastModified: isoTimeOf(properties.get('dcterms:modified')),
  };
}

/** @param depth of the imports that lead to the document */
async function readDocx(bytes: Uint8Array, depth: number) {
  const { names, description, read, readBytes } = await openZip(bytes, 'DOCX');
  if (!names.has('[content_types].xml') || ![...names].some((name) => name.startsWith('word/')))
    throw refused(`The file is ${description}, not a Word document (DOCX).`);
  const { xml, relationships, folder, part } = await findParts(read);
  const styles = readDocxStyles(await part('styles'));
  const numberOf = readNumberings(await part('numbering'), styles.numbering);
  const external = relationships.filter(({ isExternal }) => isExternal);
  const links = new Map(external.map(({ id, target }) => [id, target]));
  const notes = new Map<string, string>();
  for (const kind of ['footnotes', 'endnotes']) {
    const found = (await part(kind)) ?? '';
    for (const [key, text] of readBody(found, 1, { styles, numberOf, links: new Map(), notes })
      .notes)
      notes.set(key, text);
  }
  const imports = new Map<string, string>();
  for (const { id, type, target, isExternal } of relationships) {
    const chunk =
      type === 'aFChunk' && !isExternal ? await readBytes(pathFrom(folder, target)) : undefined;
    const html = chunk && (await importedHtml(chunk, target, depth));
    if (html !== undefined) imports.set(id, html);
  }
  const body = readBody(xml, 2, { styles, numberOf, links, notes, imports });
  const properties = new Map<string, string>();
  readXml(await read('docProps/core.xml'), 1, (element) =>
    properties.set(element.name, textOfXml(element)),
  );
  return { body, properties };
}
