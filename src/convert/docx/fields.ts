/** Fields of a Word document (links, tables of contents, page numbers): their visible results and link targets. */

interface Field {
  code: string;
  /** Whether the result part has begun. */
  isResult: boolean;
  isShown: boolean;
  address: string | undefined;
}

/** Fields whose result repeats text of the document. */
const derived = /^\s*(?:TOC|INDEX|TOA|RD|TC|XE)\b/i;
const link = /^\s*HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i;
/** In characters: addresses have at most 2,000, later code has no effect. */
const longestCode = 4_000;

export const isLinkTarget = (target: string): boolean => /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(target) && URL.canParse(target);

export class Fields {
  readonly #open: Field[] = [];

  /** @param type of `w:fldChar` */
  mark(type: string | undefined): void {
    const field = this.#open.at(-1);
    if (type === 'begin') this.#open.push({ code: '', isResult: false, isShown: false, address: this.here.address });
    else if (type === 'end') this.#open.pop();
    else if (type === 'separate' && field) {
      field.isResult = true;
      field.isShown = !derived.test(field.code) && (this.#open.at(-2)?.isShown ?? true);
      const [, quoted, bare] = link.exec(field.code) ?? [];
      const target = quoted ?? bare ?? '';
      if (isLinkTarget(target)) field.address = target;
    }
  }

  code(text: string): void {
    const field = this.#open.at(-1);
    if (field && !field.isResult && field.code.length < longestCode) field.code += text;
  }

  /** State of the innermost field. */
  get here(): Pick<Field, 'isShown' | 'address'> {
    return this.#open.at(-1) ?? { isShown: true, address: undefined };
  }
}
