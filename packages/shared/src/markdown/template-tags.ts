/**
 * Tags of site generators in Markdown: Liquid and Jinja (`{% … %}`, `{{ … }}`, `{# … #}`), Hugo
 * (`{{< … >}}`, `{{% … %}}`).
 */

/** Maximum length of a tag. */
const maxTagLines = 10;
const maxTagChars = 2_000;

const opening = /\{(?:%|\{[<%]?|#(?!\w))/g;
const closings: Readonly<Record<string, string>> = {
  '{%': '%}',
  '{{': '}}',
  '{{<': '>}}',
  '{{%': '%}}',
  '{#': '#}',
};

/** Returns the end of the tag at `start`; undefined if it is not closed within the limits. */
function tagEnd(text: string, start: number, mark: string) {
  const close = closings[mark] ?? '';
  const within = text.slice(start + mark.length, start + maxTagChars);
  const at = within.indexOf(close);
  if (at < 0) return undefined;
  const body = within.slice(0, at);
  return body.split('\n').length > maxTagLines || /\n[ \t]*\n/.test(body)
    ? undefined
    : start + mark.length + at + close.length;
}

const beginsWithTag = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?=\{[%{#])/;
const nextTag = /\s*(\{(?:%|\{[<%]?|#(?!\w)))/y;

/**
 * Returns the end of tags that fill whole lines from `lineStart`; undefined if a line has other
 * text.
 */
export function templateLinesEnd(text: string, lineStart: number): number | undefined {
  const block = text.slice(lineStart, lineStart + maxTagChars);
  const before = beginsWithTag.exec(block)?.[0];
  if (before === undefined) return undefined;
  for (let from = before.length; ; ) {
    nextTag.lastIndex = from;
    const [whole = '', mark = ''] = nextTag.exec(block) ?? [];
    const end = mark === '' ? undefined : tagEnd(block, from + whole.length - mark.length, mark);
    if (end === undefined) return undefined;
    const [rest = ''] = block.slice(end).split('\n', 1);
    if (rest.trim() === '') return lineStart + end + rest.length;
    from = end;
  }
}

/** Removes tags outside code spans. */
export function withoutTemplateTags(text: string) {
  if (!text.includes('{')) return text;
  const plain = text.replace(/`[^`\n]{1,500}`/g, (code) => ' '.repeat(code.length));
  let kept = '';
  let from = 0;
  for (const { 0: mark, index } of plain.matchAll(opening)) {
    const end = index < from ? undefined : tagEnd(plain, index, mark);
    if (end === undefined) continue;
    kept += text.slice(from, index);
    from = end;
  }
  return kept + text.slice(from);
}

const mdxLine =
  /^import\s.{0,500}["'];?\s*$|^export\s+(?:const|default|function|let|async)\b|^\s*<\/?[A-Z][\w.]{0,60}(?:\s[^<>]{0,500})?\/?>\s*$/;
/** Whether a line of prose is code of MDX: an import, an export, or only the tag of a component. */
export const isMdxLine = (line: string) => mdxLine.test(line);
