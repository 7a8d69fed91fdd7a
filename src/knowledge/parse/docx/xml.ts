/**
 * The XML of a Word document as a walk over its elements, each under the prefix that everybody writes (`w:p`), whatever prefix the file
 * declares. Refuses what makes XML dangerous or endless: document types, entities, depth, masses of elements.
 */
import { Parser } from 'htmlparser2';
import { KnowledgeError } from '../../../errors.ts';

export type Attributes = Readonly<Record<string, string>>;

export interface XmlWalker {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
}

const maxDepth = 300;
const maxElements = 4_000_000;

/** Transitional and strict (ISO 29500) names of the same thing. */
const prefixes = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'r'],
  ['http://purl.oclc.org/ooxml/officeDocument/relationships', 'r'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/math', 'm'],
  ['http://purl.oclc.org/ooxml/officeDocument/math', 'm'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['http://schemas.openxmlformats.org/package/2006/relationships', 'rel'],
  ['http://schemas.openxmlformats.org/package/2006/metadata/core-properties', 'cp'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
]);

const refused = (message: string) => new KnowledgeError('unsupported_media_type', message);

/** @throws KnowledgeError `unsupported_media_type` */
export function walkXml(xml: string, walker: XmlWalker): void {
  const names: string[] = [];
  /** Declared prefix → usual prefix, for each depth at which something is declared. */
  const scopes: { readonly depth: number; readonly known: ReadonlyMap<string, string> }[] = [{ depth: 0, known: new Map() }];
  let elements = 0;

  const usual = (name: string, isAttribute: boolean): string => {
    const colon = name.indexOf(':');
    if (colon < 0 && isAttribute) return name;
    const prefix = scopes.at(-1)?.known.get(colon < 0 ? '' : name.slice(0, colon));
    return prefix === undefined ? `?:${name.slice(colon + 1)}` : `${prefix}:${name.slice(colon + 1)}`;
  };

  const parser = new Parser(
    {
      onprocessinginstruction(name) {
        if (name.startsWith('!')) throw refused('The DOCX file declares a document type, which no Word document does.');
      },
      onopentag(name, found) {
        if (names.length >= maxDepth) throw refused(`The DOCX file nests elements deeper than ${maxDepth}.`);
        if (++elements > maxElements) throw refused(`The DOCX file has more than ${maxElements} elements.`);
        const keys = Object.keys(found);
        if (keys.some((key) => key.startsWith('xmlns'))) {
          const known = new Map(scopes.at(-1)?.known);
          for (const key of keys) if (/^xmlns(?::|$)/.test(key)) known.set(key.slice(6), prefixes.get(found[key] ?? '') ?? '?');
          scopes.push({ depth: names.length, known });
        }
        const attributes: Record<string, string> = Object.create(null);
        for (const key of keys) attributes[usual(key, true)] = found[key] ?? '';
        const called = usual(name, false);
        names.push(called);
        walker.open(called, attributes);
      },
      ontext(text) {
        walker.text?.(text);
      },
      onclosetag() {
        walker.close(names.pop() ?? '');
        if (names.length > 0 && scopes.at(-1)?.depth === names.length) scopes.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml.charCodeAt(0) === 0xfeff ? xml.slice(1) : xml);
  parser.end();
}

/** Word's switches: present means on. */
export const isOn = (attributes: Attributes): boolean => !/^(?:0|false|off)$/i.test(attributes['w:val'] ?? '1');
