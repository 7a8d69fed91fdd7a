/** The fields of a Word document (links, tables of contents, page numbers): what of them is shown, and where links lead. */

interface Field {
  code: string;
  /** Its result has begun. */
  isResult: boolean;
  /** Whether a reader reads text here, and where it leads. */
  isShown: boolean;
  address: string | undefined;
}

/** What these make is a copy of what stands elsewhere. */
const derived = /^\s*(?:TOC|INDEX|TOA|RD|TC|XE)\b/i;
const link = /^\s*HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i;
/** In characters: an address has at most 2,000, and code beyond it decides nothing here. */
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

  /** Whether text here is a result that a reader reads, and where it leads. */
  get here(): Pick<Field, 'isShown' | 'address'> {
    return this.#open.at(-1) ?? { isShown: true, address: undefined };
  }
}
