/** The document that Readability brings along: as much of a DOM as it needs, without a dependency. It has no types of its own. */
declare module '@mozilla/readability/JSDOMParser.js' {
  export default class JSDOMParser {
    parse(html: string): ConstructorParameters<typeof import('@mozilla/readability').Readability>[0] & { title: string };
  }
}
