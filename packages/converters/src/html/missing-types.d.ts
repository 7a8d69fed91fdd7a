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

/** Parts of css-tree. Its main entry would also load all grammars of CSS. */
declare module 'css-tree/parser' {
  export { parse as default } from 'css-tree';
}
declare module 'css-tree/generator' {
  export { generate as default } from 'css-tree';
}
declare module 'css-tree/utils' {
  export { ident } from 'css-tree';
}
