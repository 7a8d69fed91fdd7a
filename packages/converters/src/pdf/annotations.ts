/** Text that annotations add to a page (values of fields, typed notes) and text that they strike. */
import { apply, boxAround, type Matrix } from './graphics.ts';
import { type Glyph, holds, middleOf, type Ruling, type Rulings, visibleText } from './page.ts';

/** As the library describes it. */
// biome-ignore lint/suspicious/noExplicitAny: the library does not declare annotations
export type Annotation = Readonly<Record<string, any>>;

/** ISO 32000-1, 12.5.3: hidden, or not shown on a screen. */
const hiddenFlags = 2 | 32;

/** A field's value; the state of a box as a mark. */
function fieldText({ fieldType, fieldValue, checkBox, radioButton, ...field }: Annotation) {
  if (checkBox || radioButton) {
    const own = checkBox ? field['exportValue'] : field['buttonValue'];
    const isOn = fieldValue !== undefined && fieldValue !== null && fieldValue === own;
    return isOn ? '☒' : '☐';
  }
  if (fieldType === 'Btn' || fieldType === 'Sig') return '';
  const values: unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const options: readonly { exportValue: string; displayValue: string }[] = field['options'] ?? [];
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .filter((value) => typeof value === 'string')
    .join(', ');
}

function textOf(annotation: Annotation): string {
  const { subtype, annotationFlags = 0, fieldFlags = 0 } = annotation;
  if ((annotationFlags & hiddenFlags) !== 0) return '';
  if (subtype === 'FreeText')
    return annotation['textContent']?.join('\n') || (annotation['contentsObj']?.str ?? '');
  // ISO 32000-1, 12.7.4.3: the value of a password field is never read.
  return subtype === 'Widget' && (fieldFlags & (1 << 13)) === 0 ? fieldText(annotation) : '';
}

/**
 * Words of an annotation, placed in its rectangle, on the line of its label if it has one line.
 * @param base user space to the displayed page
 * @param written glyphs of the page
 */
export function typedGlyphs(
  annotation: Annotation,
  base: Matrix,
  written: readonly Glyph[],
): Glyph[] {
  const text = String(textOf(annotation)).slice(0, 10_000);
  const [box] = boxesOf(annotation['rect'] ?? [], base);
  if (!text.trim() || !box) return [];
  const lines = text.split(/\r\n?|\n/);
  const stated = Number(annotation['defaultAppearanceData']?.fontSize);
  const size = stated > 3 ? stated : Math.min(10, Math.max(4, (box.y1 - box.y0) * 0.7));
  const middle = (box.y0 + box.y1) / 2 + size * 0.35;
  const label = written
    .filter(({ x0, y }) => x0 < box.x0 && Math.abs(y - middle) < size * 0.8)
    .sort((one, other) => Math.abs(one.y - middle) - Math.abs(other.y - middle))[0];
  const y = lines.length === 1 ? (label?.y ?? middle) : box.y0 + size;
  return lines.flatMap((line, index) => wordsAt(line, box.x0 + 2, y + index * size * 1.2, size));
}

function wordsAt(line: string, x: number, y: number, size: number) {
  let from = x;
  const words = line.split(/\s+/).map((word) => visibleText(word));
  return words.flatMap((text) => {
    if (!text) return [];
    const x0 = from;
    const x1 = x0 + text.length * size * 0.5;
    from = x1 + size * 0.3;
    const style = { isBold: false, isMono: false, isArtifact: false, isAfterSpace: true };
    return { ...style, text, x0, x1, y, size };
  });
}

/** In font sizes above the baseline: a line through text crosses it between these. */
const minStrike = 0.12;
const maxStrike = 0.45;
/** In points: lines through text end within this distance of it; rules of tables do not. */
const maxOverhang = 8;

/** Glyphs that a line crosses, by line. */
function crossedBy({ horizontal }: Rulings, glyphs: readonly Glyph[]) {
  const lines = Map.groupBy(horizontal, ({ at }) => Math.round(at));
  const crossings: { line: Ruling; glyph: Glyph }[] = [];
  for (const glyph of lines.size > 0 ? glyphs : []) {
    const { y, size } = glyph;
    const [middle] = middleOf(glyph);
    for (let at = Math.floor(y - size * maxStrike); at <= Math.ceil(y - size * minStrike); at++)
      for (const line of lines.get(at) ?? []) {
        const rise = (y - line.at) / size;
        if (middle > line.from && middle < line.to && rise > minStrike && rise < maxStrike)
          crossings.push({ line, glyph });
      }
  }
  return Map.groupBy(crossings, ({ line }) => line);
}

/** Whether a line is as long as the text that it crosses. */
function isThrough({ from, to }: Ruling, crossed: readonly { glyph: Glyph }[]) {
  const left = crossed.reduce((least, { glyph }) => Math.min(least, glyph.x0), Infinity);
  const right = crossed.reduce((most, { glyph }) => Math.max(most, glyph.x1), 0);
  return Math.abs(from - left) < maxOverhang && Math.abs(to - right) < maxOverhang;
}

/** Removes glyphs under a line through them or under a mark that strikes text. */
export function withoutStruck<Painted extends Glyph>(
  glyphs: readonly Painted[],
  rulings: Rulings,
  annotations: readonly Annotation[],
  base: Matrix,
): readonly Painted[] {
  const marks = annotations
    .filter(
      ({ subtype, annotationFlags = 0 }) =>
        subtype === 'StrikeOut' && (annotationFlags & hiddenFlags) === 0,
    )
    .flatMap(({ quadPoints, rect }) => boxesOf(quadPoints ?? rect, base));
  const isMarked = (glyph: Glyph) => marks.some((box) => holds(box, ...middleOf(glyph)));
  const struck = new Set<Glyph>(marks.length > 0 ? glyphs.filter(isMarked) : []);
  for (const [line, crossed] of crossedBy(rulings, glyphs))
    if (isThrough(line, crossed)) for (const { glyph } of crossed) struck.add(glyph);
  return struck.size === 0 ? glyphs : glyphs.filter((glyph) => !struck.has(glyph));
}

/** @param points corners of one or several areas, or a rectangle */
function boxesOf(points: ArrayLike<number>, base: Matrix) {
  const flat = Array.from(points);
  const count = flat.length >= 8 ? 8 : 4;
  return Array.from({ length: Math.floor(flat.length / count) }, (_, index) => {
    const corners = flat.slice(index * count, (index + 1) * count);
    const placed = corners.flatMap((x, at) =>
      at % 2 === 0 ? [apply(base, x, corners[at + 1] ?? 0)] : [],
    );
    return boxAround(placed);
  });
}
