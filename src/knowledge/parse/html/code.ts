/** Code blocks of a page: their text as it stands, without line numbers and buttons, and the language that the page says they are in. */
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
import { cleanText } from './text.ts';

const lineNames = /^(?:line|ec-line|token-line|code-line|view-line|cl|row|hljs-ln-line|react-code-line)(?:-|$)/;
const numberNames =
  /(?:^|-)(?:line-?numbers?|linenos?|lineno|gutter|hljs-ln-numbers|blob-num|lnt|ln|line-?number-?cell|rouge-gutter)(?:-|$)/;
const toolNames = /(?:^|-)(?:copy|clipboard|copy-button|btn-copy|copybtn)(?:-|$)/;

const named = /^(?:language|lang|highlight-source|highlight-text|highlight|brush:?|src|sourcecode|prettyprint-lang)-+([\w+#.-]{1,30})$/i;
/** Classes that highlighters give beside the language. */
const highlighters = new Set(
  `hljs prism prettyprint highlight highlighted sourcecode chroma shiki codehilite rouge syntax code notranslate nohighlight linenums
  numbersource highlighter-rouge`.split(/\s+/),
);
/** The most common, for classes that stand among others. */
const languages = new Set(
  `bash c clojure cpp csharp css dart diff dockerfile elixir erlang go graphql groovy haskell html http ini java javascript js json jsx kotlin
  lua makefile markdown nginx objectivec ocaml perl php powershell protobuf python r ruby rust scala scss sh shell sql swift toml ts tsx
  typescript xml yaml yml zig`.split(/\s+/),
);
/** Not a language but the lack of one. */
const noLanguage = /^(?:none|default|undefined|null|nohighlight|no-highlight|auto|unknown|notranslate|source|text-plain)$/;
/** What frames a block alone adds a title or a button to its text. */
const maxOuter = 6;
const maxFrameChars = 120;

function languageIn(element: HtmlElement): string | undefined {
  const stated = ['data-language', 'data-lang', 'language', 'data-code-lang', 'syntax']
    .map((name) => attributeOf(element, name))
    .find((value) => value && /^[\w+#.-]{1,30}$/.test(value));
  if (stated !== undefined) return stated;
  const classes = (element.attribs['class'] ?? '').split(/\s+/).filter((name) => name !== '');
  for (const name of classes) {
    const language = named.exec(name)?.[1];
    if (language !== undefined) return language;
  }
  const brush = /brush:\s*([\w+#.-]{1,30})/i.exec(
    `${element.attribs['class'] ?? ''};${element.attribs['data-syntaxhighlighter-params'] ?? ''}`,
  )?.[1];
  if (brush !== undefined) return brush;
  const known = classes.find((name) => languages.has(name.toLowerCase()));
  if (known !== undefined && classes.length > 1) return known;
  // `class="highlight python"`, `class="sourceCode python"`, `class="hljs js"`
  const [beside, ...others] = classes.filter((name) => !highlighters.has(name.toLowerCase()));
  const isHighlighted = others.length === 0 && classes.length > 1 && classes.some((name) => highlighters.has(name.toLowerCase()));
  return isHighlighted && beside !== undefined && /^[a-z][\w+#-]{0,20}$/i.test(beside) ? beside : undefined;
}

/** The language of a block, from the elements in it to those that frame it alone. */
export function languageOf(pre: HtmlElement): string {
  const code = [...elementsBelow(pre)].find((element) => element.name === 'code');
  const most = rawTextOf(pre).length + maxFrameChars;
  for (const element of [...(code ? [code] : []), pre, ...[...ancestorsOf(pre)].slice(0, maxOuter)]) {
    if (/^(?:body|main|article|section|li)$/.test(element.name) || rawTextOf(element, most + 1).length > most) break;
    const language = languageIn(element)
      ?.toLowerCase()
      .replace(/^(?:source|text)[.-](?=\w)/, '')
      .replace(/^html-basic$/, 'html');
    if (language !== undefined) return noLanguage.test(language) ? '' : language;
  }
  return '';
}

const shortNames: Readonly<Record<string, string>> = {
  js: 'javascript',
  ts: 'typescript',
  sh: 'shell',
  bash: 'shell',
  py: 'python',
  rb: 'ruby',
  yml: 'yaml',
  md: 'markdown',
};
const longName = (language: string) => shortNames[language] ?? language;

/** Whether a line above a block says no more than its language. */
export const isNameOfLanguage = (line: string, language: string): boolean =>
  /^(?:plain ?text|code)$/i.test(line) || (language !== '' && line.length <= 20 && longName(line.toLowerCase()) === longName(language));

const isSkipped = (element: HtmlElement) =>
  /^(?:button|svg|input|img|style|script)$/.test(element.name) ||
  classNamesOf(element).some((name) => numberNames.test(name) || (toolNames.test(name) && textOf(element, 40).length < 20)) ||
  (/user-select:\s*none/.test(element.attribs['style'] ?? '') && /^\s*\d+\s*$/.test(textOf(element, 20)));

export function codeOf(pre: HtmlElement): string {
  const parts: string[] = [];
  let isAtLineStart = true;
  const write = (text: string) => {
    if (text === '') return;
    parts.push(text);
    isAtLineStart = text.endsWith('\n');
  };
  const look = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (isText(child)) write(child.data);
      else if (isElement(child)) {
        if (child.name === 'br') write('\n');
        else if (!isSkipped(child)) {
          const isLine = /^(?:div|p|li|tr)$/.test(child.name) || classNamesOf(child).some((name) => lineNames.test(name));
          const hasLines =
            isLine &&
            child.name !== 'tr' &&
            [...elementsBelow(child)].some((inner) => classNamesOf(inner).some((name) => lineNames.test(name)));
          if (isLine && !isAtLineStart) write('\n');
          const sign = isLine ? diffSignOf(child) : '';
          if (sign !== '' && !textOf(child).startsWith(sign)) write(`${sign} `);
          const before = parts.length;
          look(child);
          // A line without text is an empty line.
          if (isLine && !hasLines && parts.length === before && isNextLine(child)) write('\n');
        }
      }
    }
  };
  look(pre);
  return cleanText(parts.join(''))
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** Lines that a style alone marks as taken out or put in. */
const diffSignOf = (line: HtmlElement): string => {
  const classes = ` ${line.attribs['class'] ?? ''} `;
  return / (?:del|remove|removed|diff-remove) /.test(classes) ? '-' : / (?:ins|add|added|diff-add) /.test(classes) ? '+' : '';
};

const isNextLine = (element: HtmlElement) => isElement(element.next) && element.next.name === element.name;

/** A table that holds nothing but a code block and the numbers of its lines. */
export function codeInTable(table: HtmlElement): HtmlElement | undefined {
  const blocks = [...elementsBelow(table)].filter((element) => element.name === 'pre');
  const [code, ...others] = blocks.filter((block) => !/^[\d\s]*$/.test(textOf(block)));
  if (code === undefined || others.length > 0) return undefined;
  const cells = [...elementsBelow(table)].filter((element) => element.name === 'td' || element.name === 'th');
  const isBare = cells.every(
    (cell) => cell.name === 'th' || /^[\d\s]*$/.test(textOf(cell)) || (isInside(code, cell) && textOf(cell) === textOf(code)),
  );
  return isBare && cells.length > 1 ? code : undefined;
}
