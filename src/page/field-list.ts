/** Names and what they are, and a record whose fields nobody knows before. */
import { html, nothing } from 'lit-html';
import { showCount, showTime, webAddress } from './format.ts';

export const fieldList = (fields: readonly (readonly [name: string, value: unknown])[]) => html`<dl class="definitions">
  ${fields.map(
    ([name, value]) => html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`,
  )}
</dl>`;

export const figures = (all: readonly (readonly [value: string, label: string])[]) => html`<dl class="figures">
  ${all.map(
    ([value, label]) => html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`,
  )}
</dl>`;

/** `totalAudioMinutes`, `recording_url` → words. */
export const wordsOf = (name: string) => {
  const words = name.replaceAll('_', ' ').replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1).replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
};

/** Unix seconds of this century. */
const isSecond = (name: string, value: number) => /(?:At|Time|_at|_time)$/.test(name) && value > 1e9 && value < 1e10;

function shownValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return isSecond(name, value) ? showTime(value * 1_000) : showCount(value);
  if (Array.isArray(value))
    return value.length === 0 ? '–' : html`<ul class="plain">${value.map((one) => html`<li>${shownValue(name, one)}</li>`)}</ul>`;
  if (typeof value === 'object') return recordFields(value);
  const address = webAddress(String(value));
  return address ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${address}</a>` : String(value);
}

export function recordFields(record: object): unknown {
  const fields = Object.entries(record);
  return fields.length === 0 ? nothing : fieldList(fields.map(([name, value]) => [wordsOf(name), shownValue(name, value)]));
}
