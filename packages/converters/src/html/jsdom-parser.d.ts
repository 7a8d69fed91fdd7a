/**
 * Minimal DOM that is included in Readability, without dependencies and without type declarations.
 */
declare module '@mozilla/readability/JSDOMParser.js' {
  export default class JSDOMParser {
    parse(html: string): ConstructorParameters<
      typeof import('@mozilla/readability').Readability
    >[0] & {
      title: string;
    };
  }
}
