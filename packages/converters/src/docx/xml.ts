/**
 * Reads the XML of a Word document as small trees. Replaces the prefixes that the file declares
 * with the usual ones (`w:p`). Rejects document types (and so entities), deep nesting and too many
 * elements.
 */
import { Parser } from 'htmlparser2';
import { refused } from '../source.ts';

export type Attributes = Readonly<Record<string, string>>;

export interface XmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: (XmlElement | string)[];
}

/** Limits recursion: a table in a table in a text box has about 60 levels. */
const maxDepth = 300;
/** Each element takes a few hundred bytes of memory; a paragraph has about ten elements. */
const maxElements = 4_000_000;

/** What transitional and strict namespaces (ISO 29500) differ in. */
const edition = /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/|\/2006\b/g;
/** Prefixes by namespace without its edition. */
const prefixes = new Map([
  ['wordprocessingml/main', 'w'],
  ['officeDocument/relationships', 'r'],
  ['officeDocument/math', 'm'],
  ['markup-compatibility', 'mc'],
  ['package/relationships', 'rel'],
  ['package/metadata/core-properties', 'cp'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
]);

/**
 * @param depth of the elements passed to `onElement` with all descendants: 1 for children of the
 * root
 * @throws KnowledgeError `unsupported_media_type`
 */
export function readXml(
  xml: string | undefined,
  depth: number,
  onElement: (element: XmlElement) => void,
): void {
  const open: XmlElement[] = [];
  // Usual prefixes by those of the file. If a drawing redeclares one, its first declaration counts.
  const declared = new Map<string, string>();
  const usual = (name: string) =>
    name.replace(/^(?:([^:]*):)?/, (_, prefix = '') => `${declared.get(prefix) ?? '?'}:`);
  let elements = 0;
  new Parser(
    {
      onprocessinginstruction(name) {
        if (name.startsWith('!'))
          throw refused(
            'The DOCX file contains a document type declaration, which is not allowed.',
          );
      },
      onopentag(name, found) {
        if (open.length >= maxDepth)
          throw refused(`The DOCX file nests elements deeper than ${maxDepth}.`);
        if (++elements > maxElements)
          throw refused(`The DOCX file has more than ${maxElements} elements.`);
        for (const [key, value] of Object.entries(found)) {
          const prefix = /^xmlns:?(.*)$/.exec(key)?.[1];
          if (prefix !== undefined && !declared.has(prefix))
            declared.set(prefix, prefixes.get(value.replace(edition, '')) ?? '?');
        }
        const attributes = Object.fromEntries(
          Object.entries(found).map(([key, value]) => [
            key.includes(':') ? usual(key) : key,
            value,
          ]),
        );
        const element: XmlElement = { name: usual(name), attributes, children: [] };
        if (open.length > depth) open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        if (open.length > depth) open.at(-1)?.children.push(text);
      },
      onclosetag() {
        const element = open.pop();
        if (element && open.length === depth) onElement(element);
      },
    },
    { xmlMode: true },
  ).end(xml);
}

export const elementsIn = (element: XmlElement | undefined): XmlElement[] =>
  element?.children.filter((child) => typeof child !== 'string') ?? [];

/** Follows a path of child names. */
export const findElement = (
  element: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>(
    (parent, name) => elementsIn(parent).find((child) => child.name === name),
    element,
  );

/**
 * Returns `w:val` of the element at a path; empty without a value, undefined without the element.
 */
export const valueAt = (
  element: XmlElement | undefined,
  ...path: readonly string[]
): string | undefined => {
  const found = findElement(element, ...path);
  return found && (found.attributes['w:val'] ?? '');
};

export const textOfXml = ({ children }: XmlElement): string =>
  children.filter((child) => typeof child === 'string').join('');

/** Word's switches are on if present, unless their value says off. */
export const isOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && !/^(?:0|false|off)$/i.test(element.attributes['w:val'] ?? '1');
