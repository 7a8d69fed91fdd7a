/**
 * Valid namespace names. A name becomes a folder, so separators, `.`, `..` and the device names of
 * Windows are rejected. Names are ASCII, case-insensitive and stored in lower case.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';

/** The operator's synonyms, in a namespace's folder. */
export const synonymsFileName = '.synonyms.txt';
/**
 * The operator's chat messages, in a namespace's folder or, for all namespaces, in KNOWLEDGE_DIR.
 */
export const messagesFileName = '.messages.yaml';
/** Files of a namespace's folder that are watched and shared like documents. */
export const auxiliaryFiles: readonly string[] = [synonymsFileName, messagesFileName];

const wellFormed = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/**
 * Reserved with any extension: `con.txt` opens the console too (Microsoft, "Naming Files, Paths,
 * and Namespaces").
 */
const windowsDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/;

export const isNamespaceName = (name: string) => wellFormed.test(name) && !windowsDevice.test(name);

const ascii = /^[\x21-\x7e]*$/;

/**
 * Normalizes a name; undefined if invalid. Checks for ASCII before folding case: the Kelvin sign
 * (U+212A) becomes the letter k.
 */
export function toNamespaceName(text: string): string | undefined {
  const name = ascii.test(text) ? text.toLowerCase() : '';
  return isNamespaceName(name) ? name : undefined;
}

/**
 * Returns the same error for missing and forbidden namespaces, so that it reveals no names. @param
 * name normalized
 */
export const noSuchNamespace = (name: string): KnowledgeError =>
  new KnowledgeError(
    'namespace_not_found',
    `There is no namespace "${name}". Ingesting a source into it creates it.`,
  );

export type ParseNamespace = (name: string) => string;

/**
 * @throws KnowledgeError `invalid_namespace`; `namespace_not_allowed` if the name is not in the
 * operator's list
 */
export function createNamespaceParser(
  allowedNamespaces: readonly string[] | undefined,
): ParseNamespace {
  const allowed = allowedNamespaces && new Set(allowedNamespaces);
  return (name) => {
    const normalised = toNamespaceName(name);
    if (normalised === undefined) {
      throw new KnowledgeError(
        'invalid_namespace',
        'A namespace name has 1 to 63 of the characters a-z, 0-9, ".", "_" and "-", begins with a letter or digit, and is not a device name.',
      );
    }
    if (allowed && !allowed.has(normalised)) {
      throw new KnowledgeError(
        'namespace_not_allowed',
        `This server does not allow the namespace "${normalised}".`,
      );
    }
    return normalised;
  };
}
