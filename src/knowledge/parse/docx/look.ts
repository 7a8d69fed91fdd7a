/** Whether a reader of a Word document sees a piece of text: switched off, as light as its ground, or too small are the ways to hide one. */
import type { Look } from './styles.ts';

/** Half points: text of one point is a line. */
const smallestHalfPoints = 2;
/** Of each channel of a colour, of 255. */
const nearness = 16;

function isNear(one: string, other: string): boolean {
  const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return [0, 2, 4].every((at) => Math.abs(channel(one, at) - channel(other, at)) < nearness);
}

/**
 * @param looks what is said of the text, the nearest last
 * @param ground colours behind it, the nearest last: RRGGBB, empty where nothing is painted, `?` where only Word knows
 */
export function isSeen(looks: readonly Look[], ground: readonly string[]): boolean {
  const { isVanished, halfPoints, color = 'auto', shade = '' }: Look = Object.assign({}, ...looks);
  if (isVanished === true) return false;
  if (halfPoints !== undefined && halfPoints <= smallestHalfPoints) return false;
  if (!/^[0-9a-f]{6}$/i.test(color)) return true;
  const behind = [...ground, shade].findLast((paint) => paint !== '') ?? 'FFFFFF';
  return behind === '?' || !isNear(color, behind);
}
