/** The fields of a Word document (links, tables of contents, page numbers) while its text is walked: what of it is shown, where links lead. */

interface Field {
  code: string;
  isResult: boolean;
}

/** What these make is a copy of what stands elsewhere. */
const derived = /^\s*(?:TOC|INDEX|TOA|RD|TC|XE)\b/i;
const link = /^\s*HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i;
const longestCode = 4_000;
const maxDepth = 50;

export const isWebAddress = (target: string): boolean => /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(target) && URL.canParse(target);

export interface Fields {
  begin(): void;
  code(text: string): void;
  /** The address, where the result that follows is a link. */
  separate(): string | undefined;
  /** Whether that ends a link. */
  end(): boolean;
  readonly isShown: boolean;
}

export function createFields(): Fields {
  const open: Field[] = [];
  /** Deeper ones are not told apart. */
  let beyond = 0;
  const addressOf = ({ code }: Field): string | undefined => {
    const found = link.exec(code);
    const target = found?.[1] ?? found?.[2] ?? '';
    return isWebAddress(target) ? target : undefined;
  };
  return {
    begin() {
      if (open.length >= maxDepth) beyond++;
      else open.push({ code: '', isResult: false });
    },
    code(text) {
      const field = open.at(-1);
      if (field && !field.isResult && field.code.length < longestCode) field.code += text;
    },
    separate() {
      const field = open.at(-1);
      if (field === undefined || beyond > 0) return undefined;
      field.isResult = true;
      return addressOf(field);
    },
    end() {
      if (beyond > 0) {
        beyond--;
        return false;
      }
      const field = open.pop();
      return field?.isResult === true && addressOf(field) !== undefined;
    },
    get isShown() {
      return open.every((field) => field.isResult && !derived.test(field.code));
    },
  };
}
