/**
 * Callouts that Markdown dialects write as lines (`:::tip Title`, `!!! note "Title"`, `=== "Tab"`, `> [!NOTE]`) → a label in bold and the
 * content as it is. Code is not touched.
 */
import { markdownLines } from '../../text/lines.ts';

const container =
  /^([ \t]*):{3,}[ \t]*([a-z][\w-]{0,40})[ \t]*(?:\[([^\]\n]{0,200})\])?[ \t]*(?:\{[^{}\n]{0,200}\})?[ \t]*([^:\n]{0,200})$/i;
const containerEnd = /^[ \t]*:{3,}[ \t]*$/;
/** Python-Markdown: what follows is indented by four columns. */
const indentedContainer =
  /^([ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+([a-z][\w-]{0,40})[\w -]{0,80}?(?:[ \t]+"([^"\n]{0,300})")?|===[!+]?[ \t]+"([^"\n]{0,300})")[ \t]*$/i;
const quoted = /^([ \t]*(?:>[ \t]?)+)\[!([a-z]{2,20})\][+-]?[ \t]*(.{0,300})$/i;
const startsBlock = /^(?:[-*+>]\s|[|#<:{]|\d{1,9}[.)]\s|[`~]{3})/;
const layoutOnly = /^(?:code-group|tabs?|tab-item|columns?|grid|details|cards?|center|left|right|v-pre)$/i;
const holdsAny = /^[ \t>]*(?::{3}|!!! |\?{3}\+? |===[!+]? "|\[!)/m;

/** The label, and whether a line of text may follow it. */
function label(type: string, title: string | undefined): string {
  const kind = layoutOnly.test(type) ? '' : type.slice(0, 1).toUpperCase() + type.slice(1).toLowerCase();
  const said = (title ?? '').trim().replaceAll('**', '');
  if (said === '' || said.toLowerCase() === kind.toLowerCase()) return kind === '' ? '' : `**${kind}:**`;
  return `**${kind === '' ? '' : `${kind}: `}${said}**`;
}

export function withoutAdmonitions(markdown: string): string {
  if (!holdsAny.test(markdown)) return markdown;
  const lines: string[] = [];
  const open: { readonly at: number; readonly line: string; readonly said: string }[] = [];
  const indents: number[] = [];
  /** Where a label stands that the next line of text joins. */
  let joins: number | undefined;

  const put = (indent: string, said: string) => {
    lines.push('', `${indent}${said}`, '');
    joins = said.endsWith(':**') ? lines.length - 2 : undefined;
  };

  for (const { text, kind } of markdownLines(markdown)) {
    const indent = /^ */.exec(text)?.[0].length ?? 0;
    const isBlank = text.trim() === '';
    if (!isBlank) while (indents.length > 0 && indent < (indents.at(-1) ?? 0)) indents.pop();
    const line = text.slice(Math.min(indent, 4 * indents.length));
    const start = kind === 'prose' ? container.exec(line) : null;
    const indented = kind === 'prose' ? indentedContainer.exec(line) : null;
    const note = kind === 'prose' ? quoted.exec(line) : null;
    if (indented) {
      put(indented[1] ?? '', label(indented[2] ?? '', indented[3] ?? indented[4]));
      indents.push(indent + 4);
    } else if (start) {
      const said = label(start[2] ?? '', start[3] ?? start[4]);
      open.push({ at: lines.length + 1, line, said });
      put(start[1] ?? '', said);
    } else if (kind === 'prose' && open.length > 0 && containerEnd.test(line)) {
      open.pop();
      lines.push('');
    } else if (note) {
      lines.push(`${note[1]}${label(note[2] ?? '', note[3])}`);
      joins = note[3]?.trim() ? undefined : lines.length - 1;
      continue;
    } else if (joins !== undefined && kind === 'prose' && !isBlank) {
      const said = line.replace(/^[\s>]+/, '');
      if (startsBlock.test(said) || said === '') lines.push(line);
      else lines[joins] += ` ${said}`;
    } else lines.push(line);
    if (!isBlank && !indented && !start) joins = undefined;
  }
  // What is opened and never closed is text.
  for (const { at, line, said } of open) lines[at] = `${line}\n${(lines[at] ?? '').trimStart().slice(said.length).trimStart()}`;
  return lines.join('\n');
}
