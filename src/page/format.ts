import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { messageOf } from './api.ts';

/** Numbers, sizes and times in the browser's language. */
const number = new Intl.NumberFormat();
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const showCount = (value: number) => number.format(value);
export const showDecimal = (value: number) => decimal.format(value);
export const showShare = (value: number) => `${Math.round(value * 100)}%`;
export const countOf = (value: number, one: string) =>
  `${number.format(value)} ${one}${value === 1 ? '' : 's'}`;

const show = (format: Intl.DateTimeFormat, value: string | number) => {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? String(value) : format.format(at);
};
export const showDay = (value: string | number) => show(day, value);
export const showTime = (value: string | number) => show(time, value);

export function showBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${decimal.format(size)} ${unit}`;
}

/** ISO 8601 in the browser's time zone, without the zone. */
export const localTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

export const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;

type Fields = readonly (readonly [name: string, value: unknown])[];

export const fieldList = (fields: Fields, className = 'definitions') => html`<dl class=${className}>
  ${fields.map(
    ([name, value]) => html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`,
  )}
</dl>`;
export const figures = (fields: Fields) => fieldList(fields, 'figures');

export const numberCells = (...values: readonly unknown[]) =>
  values.map((value) => html`<td class="number">${value}</td>`);

/** Table that scrolls sideways. @param columns titles; those of numbers begin with `>` */
export const scrollingTable = (
  label: string,
  columns: readonly string[],
  rows: unknown,
  isBusy = false,
) =>
  html`<div class="scroller" tabindex="0" role="region" aria-label=${label} aria-busy=${isBusy}>
    <table>
      <thead><tr>${columns.map(
        (name) => html`<th scope="col"
        class=${name.startsWith('>') ? 'number' : nothing}>${name.replace(/^>/, '')}</th>`,
      )}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

/** `totalAudioMinutes`, `recording_url` → words. */
export const wordsOf = (name: string) => {
  const words = name.replaceAll('_', ' ').replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  return (
    words.charAt(0).toUpperCase() +
    words.slice(1).replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase())
  );
};

/** Unix seconds of this century. */
const isSecond = (name: string, value: number) =>
  /(?:At|Time|_at|_time)$/.test(name) && value > 1e9 && value < 1e10;

export function shownValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return isSecond(name, value) ? showTime(value * 1_000) : showCount(value);
  if (Array.isArray(value))
    return value.length === 0
      ? '–'
      : html`<ul class="plain">${value.map((one) => html`<li>${shownValue(name, one)}</li>`)}</ul>`;
  if (typeof value === 'object') return recordFields(value);
  const address = webAddress(String(value));
  return address
    ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${address}</a>`
    : String(value);
}

export function recordFields(record: object): unknown {
  const fields = Object.entries(record);
  return fields.length === 0
    ? nothing
    : fieldList(fields.map(([name, value]) => [wordsOf(name), shownValue(name, value)]));
}

export const chip = (text: unknown, isBad = false) =>
  html`<span class="chip ${isBad ? 'bad' : ''}">${text}</span>`;

/** @param name for screen readers, if the label says too little */
export const smallButton = (label: unknown, act: () => unknown, name: unknown = nothing) =>
  html`<button class="small" aria-label=${name} @click=${act}>${label}</button>`;

export const errorText = (failure: unknown) =>
  failure ? html`<p class="error" role="alert">${messageOf(failure)}</p>` : nothing;
export const loadingText = () => html`<p class="quiet" role="status">Loading …</p>`;

/**
 * A list, or its replacement while it loads, after a failure, or if it is empty. A list that fails
 * to reload stays below the failure. @param keyOf keeps
 * what the user typed with its item
 */
export function listOf<Item>(
  all: readonly Item[] | undefined,
  failure: unknown,
  item: (one: Item) => unknown,
  empty: string,
  name = '',
  keyOf?: (one: Item) => unknown,
) {
  if (!all) return failure ? errorText(failure) : loadingText();
  return html`${errorText(failure)}${
    all.length === 0
      ? html`<p class="quiet">${empty}</p>`
      : html`<ul class="plain ${name}">${keyOf ? repeat(all, keyOf, item) : all.map(item)}</ul>`
  }`;
}
