/** Code of a page: its text without line numbers and buttons, and its declared language. */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { marginNumber } from './apart.ts';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isInside,
  isText,
  rawTextOf,
  textOf,
} from './dom.ts';

const lineNames = /^(?:line|ec-line|token-line|code-line|view-line|cl|row|hljs-ln-line)(?:-|$)/;
const namedLanguage =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src|sourcecode)-|brush:?[\s-]*)([\w+#.-]{1,30})/i;
/** Common languages. Such a class name counts only if the element has other classes too. */
const languages =
  /^(?:bash|c|cpp|csharp|css|diff|go|html|java|javascript|js|json|jsx|kotlin|php|python|r|ruby|rust|sh|shell|sql|swift|toml|ts|tsx|typescript|xml|yaml)$/i;
/** Class names that mean "no language". */
const noLanguage =
  /^(?:none|default|undefined|null|nohighlight|no-highlight|auto|unknown|notranslate|source|text-plain)$/;
/**
 * Maximum ancestors searched for a language. They may add only `maxFrameChars` to the code: a
 * title, a button.
 */
const maxOuter = 6;
const maxFrameChars = 120;

function languageIn(element: HtmlElement): string | undefined {
  const stated = ['data-language', 'data-lang', 'language']
    .map((name) => attributeOf(element, name))
    .find((value) => value !== undefined);
  const written = element.attribs['class'] ?? '';
  const language = /^[\w+#.-]{1,30}$/.test(stated ?? '')
    ? stated
    : namedLanguage.exec(written)?.[1];
  if (language !== undefined) return language;
  const classes = written.split(/\s+/).filter((name) => name !== '');
  const known = classes.find((name) => languages.test(name));
  return classes.length > 1 ? known : undefined;
}

/** Language declared by the block, its content or its frame. */
export function codeLanguageOf(pre: HtmlElement): string {
  const code = [...elementsBelow(pre)].find((element) => element.name === 'code');
  const most = rawTextOf(pre).length + maxFrameChars;
  for (const element of [
    ...(code ? [code] : []),
    pre,
    ...[...ancestorsOf(pre)].slice(0, maxOuter),
  ]) {
    if (
      /^(?:body|main|article|section|li)$/.test(element.name) ||
      rawTextOf(element, most + 1).length > most
    )
      break;
    const language = languageIn(element)?.toLowerCase();
    if (language !== undefined) return noLanguage.test(language) ? '' : language;
  }
  return '';
}

const isNoCode = (element: HtmlElement) =>
  /^(?:button|svg|input|img)$/.test(element.name) ||
  (/^\s*\d+\s*$/.test(textOf(element, 20)) &&
    (/user-select:\s*none/.test(element.attribs['style'] ?? '') ||
      classNamesOf(element).some((name) => marginNumber.test(name))));

const isLine = (element: HtmlElement) =>
  /^(?:div|p|li|tr)$/.test(element.name) ||
  classNamesOf(element).some((name) => lineNames.test(name));

function writeCode(node: HtmlNode, parts: string[]): void {
  for (const child of childrenOf(node)) {
    if (isText(child)) parts.push(child.data);
    else if (!isElement(child) || isNoCode(child)) continue;
    else if (child.name === 'br') parts.push('\n');
    else if (isLine(child)) writeLine(child, parts);
    else writeCode(child, parts);
  }
}

function writeLine(line: HtmlElement, parts: string[]): void {
  const isOpen = parts.findLast((part) => part !== '')?.endsWith('\n') === false;
  if (isOpen) parts.push('\n');
  const before = parts.length;
  writeCode(line, parts);
  const isNextLine = isElement(line.next) && line.next.name === line.name;
  if (parts.length === before && isNextLine && !elementsBelow(line).some(isLine)) parts.push('\n');
}

/** Text of a block with a line break before each line element. */
export function codeOf(pre: HtmlElement): string {
  const parts: string[] = [];
  writeCode(pre, parts);
  return withoutInvisible(parts.join(''))
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** Returns the code block of a table that contains only code and line numbers. */
export function codeInTable(table: HtmlElement): HtmlElement | undefined {
  const blocks = [...elementsBelow(table)].filter((element) => element.name === 'pre');
  const [code, ...others] = blocks.filter((block) => !/^[\d\s]*$/.test(textOf(block)));
  if (code === undefined || others.length > 0) return undefined;
  const cells = [...elementsBelow(table)].filter(
    (element) => element.name === 'td' || element.name === 'th',
  );
  const isBare = cells.every(
    (cell) =>
      cell.name === 'th' ||
      /^[\d\s]*$/.test(textOf(cell)) ||
      (isInside(code, cell) && textOf(cell) === textOf(code)),
  );
  return isBare && cells.length > 1 ? code : undefined;
}
