/** Figures, sizes and times as a person reads them, in the language of the browser. */
const number = new Intl.NumberFormat();
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const showCount = (value: number) => number.format(value);
export const showDecimal = (value: number) => decimal.format(value);
export const showShare = (value: number) => `${Math.round(value * 100)} %`;
export const countOf = (value: number, one: string, many = `${one}s`) => `${number.format(value)} ${value === 1 ? one : many}`;

const show = (format: Intl.DateTimeFormat, value: string | number) => {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? String(value) : format.format(at);
};
/** @param value ISO 8601, or what a source says, or milliseconds */
export const showDay = (value: string | number) => show(day, value);
export const showTime = (value: string | number) => show(time, value);

export function showBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${decimal.format(size)} ${unit}`;
}

/** ISO 8601 without the zone, which is the browser's. */
export const localTime = (at: Date): string => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/** An address that may be opened; undefined for any other scheme, and for what is no address. */
export const webAddress = (text: string): string | undefined => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined);
