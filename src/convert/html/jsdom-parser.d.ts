/** The document that Readability brings along: as much of a DOM as it needs, without a dependency. It has no types of its own. */
declare module '@mozilla/readability/JSDOMParser.js' {
  export interface ReadabilityNode {
    readonly nodeType: number;
    readonly textContent: string;
    readonly childNodes: readonly ReadabilityNode[];
    appendChild(child: ReadabilityNode): void;
    getAttribute(name: string): string | undefined;
    setAttribute(name: string, value: string): void;
  }
  export interface ReadabilityDocument {
    title: string;
    readonly body: ReadabilityNode;
    createElement(name: string): ReadabilityNode;
    createTextNode(text: string): ReadabilityNode;
  }
  export default class JSDOMParser {
    parse(html: string): ReadabilityDocument;
  }
}
