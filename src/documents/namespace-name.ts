/**
 * What a namespace may be called. A name becomes a folder, so everything that a file system could read as something else is
 * refused: separators, `.` and `..`, and the device names of Windows. Names are ASCII, case-insensitive, and kept in lower case.
 */
import { KnowledgeError } from '../errors.ts';

/** The file of a namespace's own synonyms, in its folder. */
export const synonymsFileName = '.synonyms.txt';
/** The file of an operator's own chat messages, in a namespace's folder or, for all namespaces, above them. */
export const messagesFileName = '.messages.yaml';
/** Files of a namespace's folder that are followed and shared, and are no documents. */
export const besideDocuments: readonly string[] = [synonymsFileName, messagesFileName];

const wellFormed = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** Reserved with any extension: `con.txt` opens the console too (Microsoft, "Naming Files, Paths, and Namespaces"). */
const windowsDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/;

export const isNamespaceName = (name: string): boolean => wellFormed.test(name) && !windowsDevice.test(name);

const ascii = /^[\x21-\x7e]*$/;

/**
 * The one form of a name, or undefined where it is none. ASCII is asked for before case is folded: the Kelvin sign (U+212A) in lower
 * case is the letter k.
 */
export function toNamespaceName(text: string): string | undefined {
  const name = ascii.test(text) ? text.toLowerCase() : '';
  return isNamespaceName(name) ? name : undefined;
}

/** The same whether there is none of that name, or none for whoever asks. @param name in its one form */
export const noSuchNamespace = (name: string): KnowledgeError =>
  new KnowledgeError('namespace_not_found', `There is no namespace "${name}"; reading a source into it creates it.`);

export type ParseNamespace = (name: string) => string;

/** @throws KnowledgeError `invalid_namespace`, or `namespace_not_allowed` where the operator lists the names */
export function createNamespaceParser(allowedNamespaces: readonly string[] | undefined): ParseNamespace {
  const allowed = allowedNamespaces && new Set(allowedNamespaces);
  return (name) => {
    const normalised = toNamespaceName(name);
    if (normalised === undefined) {
      throw new KnowledgeError(
        'invalid_namespace',
        'A namespace name is 1 to 63 of the characters a-z, 0-9, ".", "_" and "-", begins with a letter or digit, and is not a device name.',
      );
    }
    if (allowed && !allowed.has(normalised)) {
      throw new KnowledgeError('namespace_not_allowed', `The namespace "${normalised}" is not one that this server is set up for.`);
    }
    return normalised;
  };
}
