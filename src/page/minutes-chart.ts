/**
 * Bar chart of call minutes by day, or by month beyond 120 days: voice below video. A table shows
 * the same figures.
 */
import { html, nothing, svg } from 'lit-html';
import type { CallGroup } from './api-types.d.ts';
import { scrollingTable, showCount, showDay } from './format.ts';

const maxBarsByDay = 120;
const minSlots = 14;
const height = 100;

type Bar = Readonly<{ label: string; at: number; voice: number; video: number }>;

const month = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

const dayNumber = (key: string) => Date.parse(key) / 86_400_000;
const monthNumber = (key: string) => Number(key.slice(0, 4)) * 12 + Number(key.slice(5, 7));

function barsOf(days: readonly CallGroup[]): { unit: 'day' | 'month'; bars: readonly Bar[] } {
  const span = dayNumber(days.at(-1)?.key ?? '') - dayNumber(days[0]?.key ?? '') + 1;
  const unit = span <= maxBarsByDay ? 'day' : 'month';
  const groups = Map.groupBy(days, ({ key }) => (unit === 'day' ? key : key.slice(0, 7)));
  const sum = (all: readonly CallGroup[], of: 'voiceMinutes' | 'videoMinutes') =>
    all.reduce((total, one) => total + one[of], 0);
  const toBar = ([key, all]: [string, CallGroup[]]): Bar => ({
    // JavaScript reads a date without a time as midnight UTC.
    label: unit === 'day' ? showDay(`${key}T12:00`) : month.format(new Date(key)),
    at: unit === 'day' ? dayNumber(key) : monthNumber(key),
    voice: sum(all, 'voiceMinutes'),
    video: sum(all, 'videoMinutes'),
  });
  return { unit, bars: [...groups].map(toBar) };
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return ([1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power;
}

function picture(bars: readonly Bar[], slots: number, top: number) {
  const first = bars[0]?.at ?? 0;
  const rect = (kind: string, at: number, from: number, minutes: number) =>
    minutes > 0
      ? svg`<rect class=${kind} x=${at - first + 0.12} width="0.76"
        y=${height - ((from + minutes) / top) * height} height=${(minutes / top) * height} />`
      : nothing;
  return html`<svg viewBox=${`0 0 ${slots} ${height}`} preserveAspectRatio="none" aria-hidden="true">
    ${bars.map(
      ({ label, at, voice, video }) => svg`<g>
        <title>${`${label}: ${showCount(Math.round(voice))} min voice, ${showCount(Math.round(video))} min video`}</title>
        ${rect('voice', at, 0, voice)} ${rect('video', at, voice, video)}
      </g>`,
    )}
  </svg>`;
}

const numbers = ['Voice (min)', 'Video (min)'];
const barRow = ({ label, voice, video }: Bar) =>
  html`<tr><th scope="row">${label}</th><td class="number">${showCount(Math.round(voice))}</td><td
    class="number">${showCount(Math.round(video))}</td></tr>`;
const table = (unit: string, bars: readonly Bar[]) => html`<details>
  <summary>Show as table</summary>
  ${scrollingTable('Minutes as a table', [unit === 'day' ? 'Day' : 'Month', ...numbers], bars.map(barRow), numbers)}
</details>`;

export function minutesChart(days: readonly CallGroup[]) {
  const { unit, bars } = barsOf(days);
  const top = roundUp(Math.max(1, ...bars.map(({ voice, video }) => voice + video)));
  const span = (bars.at(-1)?.at ?? 0) - (bars[0]?.at ?? 0) + 1;
  const slots = Math.max(minSlots, span);
  return html`<figure class="chart">
    <figcaption>
      <b>Minutes by ${unit}</b>
      <span class="key-voice">voice</span>
      <span class="key-video">video</span>
    </figcaption>
    <p class="top quiet">${showCount(top)} min</p>
    ${picture(bars, slots, top)}
    <p class="axis quiet" .style=${`width: ${(100 * span) / slots}%`}><span>${bars[0]?.label}</span>${bars.length > 1 ? html`<span>${bars.at(-1)?.label}</span>` : nothing}</p>
    ${table(unit, bars)}
  </figure>`;
}
