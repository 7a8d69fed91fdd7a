/** What a component of MDX says by its name and properties: titles, labels of callouts, the line of a parameter. Everything else of it is layout. */
import { decodeAll } from './entities.ts';

export interface Lead {
  /** The line that stands before the content. */
  readonly line: string;
  /** What joins the line and content that follows as plain text; undefined: the content is a paragraph of its own. */
  readonly glue: string | undefined;
  /** Paragraphs that follow. */
  readonly texts: readonly string[];
  readonly isItem: boolean;
}

const callout = /^(?:Note|Tip|Info|Warning|Caution|Danger|Important|Success|Error|Alert|Callout|Admonition|Aside|Hint|Banner)$/;
const field = /^(?:\w*(?:Param|Field|Property|Argument|Attribute)|Prop|Option|Parameter)s?$/;
const card = /^(?:\w*Card|Feature|LinkBox|Tile)$/;
/** Part of a line of text wherever they stand. */
const inline = /^(?:Icon|Badge|Tooltip|Kbd|Key|Link|A|Code|InlineCode|Text|Span|Highlight|Mark|Tag|Pill|Label|Trans|T|Abbr|Sub|Sup)$/;
const titles = ['title', 'heading', 'label', 'header', 'question', 'summary', 'caption'];
const texts = ['subtitle', 'description', 'answer', 'text', 'content', 'message', 'body', 'tip', 'alt'];
const places = ['path', 'query', 'body', 'header', 'form', 'cookie'];
const longestTitle = 300;

const flat = (value: string | undefined) => (value === undefined ? '' : decodeAll(value).replace(/\s+/g, ' ').trim());
const isSet = (value: string | undefined) => value !== undefined && value !== 'false';

export const isInlineComponent = (name: string): boolean => inline.test(name);

function fieldLine(attributes: ReadonlyMap<string, string>): string | undefined {
  const place = places.find((name) => flat(attributes.get(name)) !== '');
  const name = flat(attributes.get(place ?? 'name')) || flat(attributes.get('attribute')) || flat(attributes.get('id'));
  if (name === '') return undefined;
  const details = [flat(attributes.get('type')), place ?? ''];
  if (isSet(attributes.get('required'))) details.push('required');
  if (isSet(attributes.get('deprecated'))) details.push('deprecated');
  const initial = flat(attributes.get('default')) || flat(attributes.get('initialvalue'));
  if (initial !== '') details.push(`default ${initial}`);
  const told = details.filter((detail) => detail !== '').join(', ');
  return `\`${name.replaceAll('`', '')}\`${told === '' ? '' : ` (${told})`}`;
}

/** Text properties of a component without content that stands inside a line. */
export const inlineText = (name: string, attributes: ReadonlyMap<string, string>): string =>
  /^(?:Icon|Tooltip)$/.test(name)
    ? ''
    : flat(attributes.get('alt')) || flat(attributes.get('label')) || flat(attributes.get('text')) || flat(attributes.get('title'));

/** Undefined where a component says nothing by itself. */
export function leadOf(name: string, attributes: ReadonlyMap<string, string>): Lead | undefined {
  const said = texts.map((key) => flat(attributes.get(key))).filter((text, index, all) => text !== '' && all.indexOf(text) === index);
  const parameter = field.test(name) ? fieldLine(attributes) : undefined;
  if (parameter !== undefined)
    return {
      line: `- ${parameter}`,
      glue: ': ',
      texts: flat(attributes.get('description')) ? [flat(attributes.get('description'))] : [],
      isItem: true,
    };
  const title = (
    titles.map((key) => flat(attributes.get(key))).find((text) => text !== '') ?? (/^Tab/.test(name) ? flat(attributes.get('value')) : '')
  )
    .slice(0, longestTitle)
    .replaceAll('**', '');
  if (callout.test(name)) {
    const type = flat(attributes.get('type')) || (/^(?:Callout|Admonition|Aside|Alert|Banner|Hint)$/.test(name) ? '' : name);
    const label = [type.slice(0, 1).toUpperCase() + type.slice(1, 30).toLowerCase(), title].filter((part) => part !== '').join(': ');
    if (label === '' && said.length === 0) return undefined;
    return {
      line: label === '' ? '' : `**${label}:**`.replace(/([.!?])?:\*\*$/, (_, mark?: string) => (mark ? `${mark}**` : ':**')),
      glue: ' ',
      texts: said,
      isItem: false,
    };
  }
  if (title === '') return said.length === 0 ? undefined : { line: '', glue: undefined, texts: said, isItem: false };
  return card.test(name)
    ? { line: `- **${title}**`, glue: /[.!?:]$/.test(title) ? ' ' : ': ', texts: said, isItem: true }
    : { line: `**${title}**`, glue: undefined, texts: said, isItem: false };
}
