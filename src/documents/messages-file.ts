/**
 * The operator's chat messages: `.messages.yaml` in a namespace's folder or, for all namespaces, in
 * KNOWLEDGE_DIR. Each message has one text, or one per language. Texts must not contain citation
 * marks, sources or active markup. The server ignores a file with an error.
 */
import { z } from 'zod';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import {
  type MessageLanguage,
  messageLanguages,
} from '../../packages/shared/src/language/small-talk.ts';
import { holdsActiveMarkup } from '../../packages/shared/src/markdown/active-markup.ts';
import { parseYaml } from '../../packages/shared/src/markdown/front-matter.ts';
import type { Warnings } from '../warnings.ts';
import { type DocumentStore, type FileStamp, sizeIn } from './document-store.ts';
import { messagesFileName } from './namespace-name.ts';
import '../issues.ts';

/** Parsing a hostile file of this size takes half a second. */
const maxBytes = 32_768;
const maxChars = 1_000;

const sourcesLine = /^[^\p{L}\p{N}\n]*sources[^\p{L}\p{N}\n]*:/imu;
const bracketed = /\[([^[\]]*)\]/g;
const isCitation = (inside: string) => /\d/.test(inside) && !/\p{L}/u.test(inside);

type Form = Readonly<{
  placeholder?: string;
  /** Whether the text must be a single line, because a list follows. */
  isLine?: boolean;
}>;

/** Returns what is wrong with a text that users will read; undefined: nothing. */
export function problemOfMessage(
  text: string,
  { placeholder, isLine = false }: Form = {},
): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > maxChars) return `must have at most ${maxChars} characters`;
  if (withoutInvisible(text) !== text) return 'must not contain invisible characters';
  if (isLine && /[\n\r]/.test(text)) return 'must be one line';
  if (/[{}]/.test(placeholder === undefined ? text : text.replaceAll(`{${placeholder}}`, '')))
    return placeholder === undefined
      ? 'must not contain braces: it has no placeholders'
      : `must not contain braces, except {${placeholder}}`;
  // Full-width colons and brackets count too.
  const plain = text.normalize('NFKC');
  if (sourcesLine.test(plain)) return 'must not have a line that begins with "Sources:"';
  if ([...plain.matchAll(bracketed)].some(([, inside = '']) => isCitation(inside)))
    return 'must not contain citation marks such as [1]';
  if (/```|~~~/.test(text)) return 'must not contain a code block';
  return holdsActiveMarkup(text)
    ? 'must not contain images, HTML or links other than https:, http: and mailto:'
    : undefined;
}

function ownText(form: Form) {
  const text = z
    .string()
    .trim()
    .superRefine((given, { addIssue }) => {
      const message = problemOfMessage(given, form);
      if (message !== undefined) addIssue({ code: 'custom', message });
    })
    .optional();
  const languages = Object.fromEntries(messageLanguages.map((code) => [code, text])) as Record<
    MessageLanguage,
    typeof text
  >;
  const error = ({ code }: { readonly code: string }) =>
    code === 'invalid_type' ? 'must be a text or a map from languages to texts' : undefined;
  const byLanguage = z.strictObject({ ...languages, other: text }, { error });
  return z
    .preprocess((given) => (typeof given === 'string' ? { other: given } : given), byLanguage)
    .optional();
}

const ownMessages = z.strictObject({
  greeting: ownText({}),
  refusal: ownText({}),
  closest: ownText({ isLine: true }),
  /** From earlier versions; checked but not used. */
  differ: ownText({ isLine: true, placeholder: 'numbers' }),
  handoff: ownText({}),
});

/** Message → language → text; `other` is for languages that are not listed. */
export type OwnMessages = Readonly<z.infer<typeof ownMessages>>;
export type OwnMessage = keyof OwnMessages;

/** Messages that apply to a namespace, most specific first. */
export type NamespaceMessages = Readonly<{
  own: readonly OwnMessages[];
  /** Events that hand a question off; none without HANDOFF_WEBHOOK_URL. */
  handOffOn?: readonly HandOffReason[];
}>;

/** Values of HANDOFF_ON. */
export const handOffReasons = ['refusal', 'closest', 'unhelpful', 'asked'] as const;
export type HandOffReason = (typeof handOffReasons)[number];

/** @throws Error with the first problem */
export function parseMessages(text: string): OwnMessages {
  const { data, error } = ownMessages.safeParse(parseYaml(text) ?? {});
  if (data) return data;
  const [{ path, message } = { path: [], message: 'is not valid' }] = error.issues;
  throw new Error(`${path.filter((part) => part !== 'other').join('.') || 'the file'} ${message}`);
}

export class MessagesFile {
  /** Undefined if the file is missing or invalid. */
  current: OwnMessages | undefined;
  readonly #store;
  readonly #namespace;
  readonly #warnings;
  /** Undefined after a failure, so that the next refresh reads the file again. */
  #seen: { readonly stamp: FileStamp | undefined } | undefined;

  /** @param namespace `''`: the file for all namespaces */
  constructor(
    store: Pick<DocumentStore, 'stampNow' | 'read'>,
    namespace: string,
    warnings: Pick<Warnings, 'begin' | 'end'>,
  ) {
    this.#store = store;
    this.#namespace = namespace;
    this.#warnings = warnings;
  }

  /** Reads the file if it has changed. A warning lasts while the file is invalid. */
  async refresh() {
    const namespace = this.#namespace;
    const before = this.#seen;
    this.#seen = undefined;
    try {
      const stamp = this.#store.stampNow(namespace, messagesFileName);
      const isSame = before !== undefined && before.stamp === stamp;
      const text = stamp === undefined || isSame ? undefined : await this.#read(stamp);
      this.#seen = { stamp };
      if (isSame) return;
      this.#warnings.end('messages_invalid', namespace);
      this.current = text === undefined ? undefined : parseMessages(text);
    } catch (error) {
      this.current = undefined;
      const name = [namespace, messagesFileName].filter(Boolean).join('/');
      const reason = new Error(`${name}: ${firstLine(error)}`, { cause: error });
      this.#warnings.begin('messages_invalid', namespace, reason);
    }
  }

  async #read(stamp: FileStamp) {
    if (sizeIn(stamp) > maxBytes) throw new Error(`the file is larger than ${maxBytes} bytes`);
    return (await this.#store.read(this.#namespace, messagesFileName))?.text ?? '';
  }
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
