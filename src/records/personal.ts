/** Finds personal data in a text that a person wrote, to mark it for a reviewer. */

const mailAddress = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/gu;
/** A plus or a zero, or an area code in brackets, then at least seven digits in all. */
const phoneNumber = /(?<![\p{L}\p{N}.,/-])(?:\+|0|\(0?)\d[\d ()/.-]{5,20}\d(?![\p{L}\p{N}])/gu;
/** As written in North America: `555-0142`, `212-555-0142`. */
const localNumber = /(?<![\p{L}\p{N}.,/-])(?:\d{3}[-. ])?\d{3}[-.]\d{4}(?![\p{L}\p{N}-])/gu;
const digits = (text: string) => text.replace(/\D/g, '').length;

/** Returns distinct e-mail addresses, phone numbers and those of the names that the text has. */
export const personalIn = (text: string, names: readonly string[]): string[] => [
  ...new Set([
    ...names.filter((name) => text.toLowerCase().includes(name.toLowerCase())),
    ...(text.match(mailAddress) ?? []),
    ...(text.match(localNumber) ?? []),
    ...(text.match(phoneNumber) ?? []).filter((one) => digits(one) >= 7 && digits(one) <= 15),
  ]),
];
