/** Code of a page: its text without line numbers and buttons, and its declared language. */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { marginNumber } from './apart.ts';
import {
  ancestorsOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  findAll,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isInside,
  isText,
  named,
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

function languageIn(element: HtmlElement) {
  const {
    'data-language': long = '',
    'data-lang': short = '',
    'data-syntaxhighlighter-params': parameters = '',
    class: written = '',
  } = element.attribs;
  const stated = [long, short, namedLanguage.exec(`${written} ${parameters}`)?.[1] ?? ''];
  const classes = written.split(/\s+/).filter(Boolean);
  const known = classes.length > 1 ? classes.find((name) => languages.test(name)) : undefined;
  return stated.find((name) => /^[\w+#.-]{1,30}$/.test(name)) ?? known;
}

/** Language declared by the block, its content or its frame. */
export function codeLanguageOf(pre: HtmlElement): string {
  // A frame may add a title and a button to the code.
  const most = rawTextOf(pre).length + 120;
  const frames = ancestorsOf(pre)
    .take(6)
    .filter((outer) => !/^(?:body|main|article|section|li)$/.test(outer.name))
    .filter((outer) => rawTextOf(outer, most + 1).length <= most);
  const code = findAll(pre, named('code')).slice(0, 1);
  const language = [...code, pre, ...frames].map(languageIn).find(Boolean);
  return !language || noLanguage.test(language) ? '' : language.toLowerCase();
}

const isNoCode = (element: HtmlElement) =>
  /^(?:button|svg|input|img)$/.test(element.name) ||
  (/^\s*\d+\s*$/.test(textOf(element, 20)) &&
    (/user-select:\s*none/.test(element.attribs['style'] ?? '') ||
      classNamesOf(element).some((name) => marginNumber.test(name))));

const isLine = (element: HtmlElement) =>
  /^(?:div|p|li|tr)$/.test(element.name) ||
  classNamesOf(element).some((name) => lineNames.test(name) && !marginNumber.test(name));

function writeCode(node: HtmlNode, parts: string[]) {
  for (const child of childrenOf(node)) {
    if (isText(child)) parts.push(child.data);
    else if (!isElement(child) || isNoCode(child)) continue;
    else if (child.name === 'br') parts.push('\n');
    else if (isLine(child)) writeLine(child, parts);
    else writeCode(child, parts);
  }
}

function writeLine(line: HtmlElement, parts: string[]) {
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
  const isFigures = (element: HtmlElement) => /^[\d\s]*$/.test(textOf(element));
  const [code, ...others] = findAll(table, named('pre')).filter((block) => !isFigures(block));
  if (!code || others.length > 0) return undefined;
  const cells = findAll(table, named('td', 'th'));
  const isBare = cells.every(
    (cell) =>
      cell.name === 'th' ||
      isFigures(cell) ||
      (isInside(code, cell) && textOf(cell) === textOf(code)),
  );
  return isBare && cells.length > 1 ? code : undefined;
}
