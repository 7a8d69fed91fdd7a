/** Powers, fractions and roots on one line of text. */

const smallForms = (plain: string, small: string) => {
  const forms = [...small];
  return new Map([...plain].map((character, index) => [character, forms[index] ?? '']));
};
const superscripts = smallForms(
  '0123456789+-−–=()abcdefghijklmnoprstuvwxyz',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ªᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿºᵖʳˢᵗᵘᵛʷˣʸᶻ',
);
const subscripts = smallForms('0123456789+-−=()', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎');

/** Returns the text in small characters; unchanged if one of its characters has no small form. */
export function superOrSubscript(text: string, direction: 'sup' | 'sub'): string {
  const small = direction === 'sup' ? superscripts : subscripts;
  const smallText = [...text.trim()].map((character) => small.get(character));
  return smallText.length > 0 && smallText.every((character) => character !== undefined)
    ? smallText.join('')
    : text;
}

/** Read as one word with the text before it: `1st`, `Mme`, `M. le Cte`, trade marks. */
const wordEnd =
  /^(?:st|nd|rd|th|er|ers|re|res|ère|ères|ème|èmes|me|mes|mme|lle|le|les|de|do|da|os|as|to|mo|ma|tm|sm)$/i;

/**
 * Writes raised text. 10<sup>6</sup> is not 106, and 15<sup>2</sup> is not 152.
 * @param before text on its left
 */
export function raisedText(text: string, before: string): string {
  const core = text.trim().replace(/^\[(\d{1,3})\]$/, '$1');
  const hasWord = /\p{L}.*\p{L}/u.test(core);
  if (!core || wordEnd.test(core) || /^[MDSCJ][rcte]$/.test(before.slice(-1) + core)) return text;
  // Several notes: `1,2`.
  const parts = core.split(/([,;]\s?)/);
  const small = parts.map((part, index) => (index % 2 ? part : superOrSubscript(part, 'sup')));
  if (!hasWord && small.every((part, index) => index % 2 || part !== parts[index]))
    return small.join('');
  return /[\p{L}\p{N})\]]$/u.test(before) && /^[\p{L}\p{N}+−-]/u.test(core) ? `^(${core})` : text;
}

/** An exponent of a formula. */
export function powerOf(text: string): string {
  const small = text.length > 6 ? text : superOrSubscript(text, 'sup');
  return text === '' || small !== text ? small : `^(${text})`;
}

/** An index of a formula. */
export function indexOf(text: string): string {
  const small = superOrSubscript(text, 'sub');
  return text === '' || small !== text ? small : `_${grouped(text)}`;
}

const grouped = (text: string) =>
  /^(?:[\p{L}\p{N}.,]*|\([^()]*\))$/u.test(text) ? text : `(${text})`;

/** @param before text on its left: 2¾ is not 23/4 */
export const fractionOf = (above: string, below: string, before: string): string =>
  `${/\d$/.test(before) ? ' ' : ''}${grouped(above)}/${grouped(below)}`;

export const rootOf = (text: string, degree: string): string =>
  `${powerOf(degree)}√${text.length > 1 ? `(${text})` : text}`;
