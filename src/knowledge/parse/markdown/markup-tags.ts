/** One tag of HTML or JSX, read by hand: names, attributes, and nothing that is not well formed. Work is bounded by the caller's budget. */
import { isHtmlName } from './html-names.ts';
import { endOfExpression, literalText } from './jsx-source.ts';

export interface Tag {
  /** Lower case for HTML, as written for a component, empty for a fragment. */
  readonly name: string;
  readonly isClosing: boolean;
  readonly isSelfClosing: boolean;
  /** Attribute names in lower case; a value that is no plain text is missing. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Sources of values that are objects or lists. */
  readonly values: readonly string[];
  /** Offset after the `>`. */
  readonly end: number;
}

/** How many characters may be looked at in vain; afterwards everything is text. Keeps the work linear in the text's length. */
export interface Budget {
  left: number;
}

const longestTag = 20_000;
const tagName = /<(\/?)([A-Za-z][\w.-]{0,60}|(?=>))/y;
const attributeName = /[^\s"'<>/={}`]{1,100}/y;
const unquoted = /[^\s"'=<>`{}]{1,2000}/y;
const component = /^[A-Z][\w.]*$|^[a-z]\w*\.\w+$/;
/** Expressions of these are told as written: they say whether anything is shown. */
const isMarkOfHiding = (attribute: string) => attribute === 'hidden' || attribute === 'style' || attribute === 'required';
const isObjectOrList = /^\s*[[{]/;
const space = /\s*/y;

/** The tag at `at`, where a `<` stands; undefined where that is text. */
export function readTag(text: string, at: number, isMdx: boolean, budget: Budget): Tag | undefined {
  tagName.lastIndex = at;
  const opening = tagName.exec(text);
  if (opening === null || budget.left <= 0) return undefined;
  const [start, slash, written = ''] = opening;
  const isComponent = isMdx && component.test(written);
  if (!isComponent && !(written === '' ? isMdx : isHtmlName(written))) return undefined;
  const name = isComponent ? written : written.toLowerCase();
  const source = text.slice(at, at + longestTag);
  const attributes = new Map<string, string>();
  const values: string[] = [];
  let index = start.length;

  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = index;
    const found = pattern.exec(source)?.[0] ?? '';
    index += found.length;
    return found;
  };
  const notATag = () => {
    budget.left -= index;
    return undefined;
  };
  const readValue = (name: string): string | undefined | false => {
    const first = source.charAt(index);
    if (first === '"' || first === "'") {
      const end = source.indexOf(first, index + 1);
      const value = source.slice(index + 1, end < 0 ? index : end);
      index = end < 0 ? source.length : end + 1;
      return end < 0 ? false : value;
    }
    if (isMdx && first === '{') {
      const end = endOfExpression(source, index);
      const expression = source.slice(index + 1, end - 1);
      const value = literalText(expression) ?? (isMarkOfHiding(name) ? expression : undefined);
      if (end > 0 && value === undefined && isObjectOrList.test(expression)) values.push(expression);
      index = end < 0 ? source.length : end;
      return end < 0 ? false : value;
    }
    return skip(unquoted) || false;
  };

  for (;;) {
    const spaces = skip(space);
    if (!isMdx && /\n[ \t]*\n/.test(spaces)) return notATag();
    const character = source.charAt(index);
    if (character === '>') return { name, isClosing: slash === '/', isSelfClosing: false, attributes, values, end: at + index + 1 };
    if (character === '/' && source.charAt(index + 1) === '>')
      return { name, isClosing: slash === '/', isSelfClosing: true, attributes, values, end: at + index + 2 };
    if (slash === '/' || spaces === '') return notATag();
    if (isMdx && character === '{') {
      const end = endOfExpression(source, index);
      if (end < 0) {
        index = source.length;
        return notATag();
      }
      index = end;
      continue;
    }
    const attribute = skip(attributeName);
    if (attribute === '') return notATag();
    const afterName = index;
    skip(space);
    if (source.charAt(index) !== '=') {
      index = afterName;
      if (!attributes.has(attribute.toLowerCase())) attributes.set(attribute.toLowerCase(), '');
      continue;
    }
    index++;
    skip(space);
    const value = readValue(attribute.toLowerCase());
    if (value === false) return notATag();
    if (value !== undefined && !attributes.has(attribute.toLowerCase())) attributes.set(attribute.toLowerCase(), value);
  }
}
