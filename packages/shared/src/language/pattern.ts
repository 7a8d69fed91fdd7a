/** Source of a regular expression that spans lines: line ends and indentation do not count. */
export const pattern = (text: TemplateStringsArray, ...parts: readonly string[]) =>
  String.raw(text, ...parts).replace(/\n\s*/g, '');
