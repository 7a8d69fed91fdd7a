/** Numbers of list items as letters and Roman numerals. */

const romanFigures = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

/** Roman numerals end at 3,999. */
function roman(value: number) {
  if (value < 1 || value > 3_999) return String(value);
  let rest = value;
  return romanFigures.reduce((text, [figure, amount]) => {
    const count = Math.floor(rest / amount);
    rest -= count * amount;
    return text + figure.repeat(count);
  }, '');
}

/** After `z` comes `aa`, then `bb`, as in Word. @param value from 1 */
const letters = (value: number) =>
  value < 1
    ? String(value)
    : String.fromCharCode(97 + ((value - 1) % 26)).repeat(
        Math.min(Math.floor((value - 1) / 26) + 1, 5),
      );

// Formats of Word, CSS and HTML: `lowerLetter`, `lower-alpha`, `a`.
const letterFormat = /(?:Letter|-alpha|-latin)$|^a$/i;
const romanFormat = /roman$|^i$/i;

export const isLettered = (format: string): boolean =>
  letterFormat.test(format) || romanFormat.test(format);

/** Other formats are written as plain numbers. */
export function listLabel(value: number, format: string): string {
  const figures = romanFormat.test(format) ? roman(value) : String(value);
  const label = letterFormat.test(format) ? letters(value) : figures;
  return /^(?:upper|[AI]$)/.test(format) ? label.toUpperCase() : label;
}
