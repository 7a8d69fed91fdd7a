/**
 * DOCX → Markdown. What a reader of the document sees is written anew as a small document (`docx-visible.ts`), which mammoth makes HTML
 * and the parser of pages makes Markdown. So neither of them meets anything that the file's author could have made to hurt.
 */
import { KnowledgeError } from '../../../errors.ts';
import type { ParsedSource } from '../../types.ts';
import { parseHtml } from '../html/parse-html.ts';
import { withoutInvisible } from '../invisible.ts';
import { openDocx, type ReadPart } from './container.ts';
import { htmlOf } from './html.ts';
import { readNumberings } from './numbering.ts';
import { readStyles } from './styles.ts';
import { writeVisible } from './visible.ts';
import { walkXml } from './xml.ts';

const longestTitle = 200;
/** Names that programs and people give to what they have not named. */
const noTitle =
  /^(?:untitled|document ?\d*|dokument ?\d*|word document|microsoft word.*|title|titel|template|.*\.(?:docx?|dotx?|odt|rtf|pdf))$/i;

interface Relationship {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

function readRelationships(xml: string | undefined): Map<string, Relationship> {
  const found = new Map<string, Relationship>();
  walkXml(xml ?? '', {
    open(name, attributes) {
      if (name !== 'rel:Relationship') return;
      const type = (attributes['Type'] ?? '').split('/').at(-1) ?? '';
      found.set(attributes['Id'] ?? '', { type, target: attributes['Target'] ?? '', isExternal: attributes['TargetMode'] === 'External' });
    },
    close() {},
  });
  return found;
}

/** The properties that Word shows under File, Info. */
function readProperties(xml: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const path: string[] = [];
  walkXml(xml ?? '', {
    open: (name) => path.push(name),
    close: () => path.pop(),
    text(text) {
      const name = path.at(-1) ?? '';
      found.set(name, `${found.get(name) ?? ''}${text}`);
    },
  });
  return found;
}

const pathFrom = (folder: string, target: string) => new URL(target, `file:///${folder}/`).pathname.slice(1);

/** The text part, and where parts that it uses are found. */
async function findParts(read: ReadPart) {
  const main = [...readRelationships(await read('_rels/.rels')).values()].find(({ type }) => type === 'officeDocument');
  const named = main === undefined ? 'word/document.xml' : pathFrom('', main.target);
  const path = (await read(named)) === undefined ? 'word/document.xml' : named;
  const xml = await read(path);
  if (xml === undefined) throw new KnowledgeError('unsupported_media_type', 'The DOCX file holds no document.');
  const folder = path.split('/').slice(0, -1).join('/');
  const relationships = readRelationships(await read(`${folder}/_rels/${path.split('/').at(-1)}.rels`));
  const part = async (type: string) => {
    const found = [...relationships.values()].find((relationship) => relationship.type === type && !relationship.isExternal);
    return read(found === undefined ? `${folder}/${type}.xml` : pathFrom(folder, found.target));
  };
  return { xml, relationships, part };
}

function languageOf(stated: string | undefined, spoken: ReadonlyMap<string, number>): string | undefined {
  const [usual] = [...spoken].sort((a, b) => b[1] - a[1])[0] ?? [];
  for (const tag of [stated?.trim(), usual]) {
    if (!tag || !/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag)) continue;
    try {
      return Intl.getCanonicalLocales(tag)[0];
    } catch {}
  }
  return undefined;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedSource> {
  const read = await openDocx(bytes);
  const { xml, relationships, part } = await findParts(read);
  const styles = readStyles(await part('styles'));
  const numberings = readNumberings(await part('numbering'), (id) => styles.numbering(id));
  const links = new Map([...relationships].flatMap(([id, { target, isExternal }]) => (isExternal ? [[id, target] as const] : [])));
  const notes = new Map<string, string>();
  for (const kind of ['footnotes', 'endnotes']) {
    const found = await part(kind);
    if (found === undefined) continue;
    for (const [key, text] of writeVisible(found, { styles, numberings, links: new Map(), notes }).notes) notes.set(key, text);
  }
  const { pieces, hasHeadings, title, languages } = writeVisible(xml, { styles, numberings, links, notes });
  const parsed: string[] = [];
  for (const piece of pieces)
    for (const html of await htmlOf(piece, links, hasHeadings))
      parsed.push((await parseHtml(`<!doctype html><html><body><main>${html}</main></body></html>`, undefined)).markdown);
  const markdown = parsed.filter((text) => text !== '').join('\n\n');
  const properties = readProperties(await read('docProps/core.xml'));
  const stated = withoutInvisible(properties.get('dc:title') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const heading = /^#{1,6} (.+)$/m.exec(markdown)?.[1]?.replace(/[*`\\]/g, '');
  const named = stated === '' || stated.length > longestTitle || noTitle.test(stated) ? title || heading : stated;
  const modified = new Date((properties.get('dcterms:modified') ?? '').trim());
  const language = languageOf(properties.get('dc:language'), languages);
  return {
    title: named?.slice(0, longestTitle) || undefined,
    markdown,
    ...(language === undefined ? {} : { language }),
    ...(Number.isNaN(modified.getTime()) ? {} : { lastModified: modified.toISOString() }),
  };
}
