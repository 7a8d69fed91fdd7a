/** How much of an element is text, and how much of that is the text of links: what tells prose from lists of links. */
import { childrenOf, type HtmlNode, isElement, isText } from './dom.ts';

export interface Measure {
  /** Characters without white space. */
  readonly text: number;
  readonly linkText: number;
  readonly links: number;
  readonly hasHeadingOne: boolean;
}

const nothing: Measure = { text: 0, linkText: 0, links: 0, hasHeadingOne: false };

export type MeasureOf = (node: HtmlNode) => Measure;

/** Of the tree as it stands now; what is taken out later is still counted. */
export function createMeasure(root: HtmlNode): MeasureOf {
  const measures = new Map<HtmlNode, Measure>();
  const visit = (node: HtmlNode): Measure => {
    let { text, linkText, links, hasHeadingOne } = nothing;
    if (isText(node)) text = node.data.replace(/\s+/g, '').length;
    for (const child of childrenOf(node)) {
      const inner = visit(child);
      text += inner.text;
      linkText += inner.linkText;
      links += inner.links;
      hasHeadingOne ||= inner.hasHeadingOne;
    }
    if (isElement(node)) {
      if (node.name === 'a' && 'href' in node.attribs) {
        links++;
        linkText = text;
      }
      hasHeadingOne ||= node.name === 'h1';
    }
    const measure = { text, linkText, links, hasHeadingOne };
    if (!isText(node)) measures.set(node, measure);
    return measure;
  };
  visit(root);
  return (node) => measures.get(node) ?? nothing;
}

export const proseOf = (measure: Measure): number => measure.text - measure.linkText;
export const isMostlyLinks = ({ text, linkText, links }: Measure, share = 0.6): boolean => links > 0 && linkText >= share * text;
