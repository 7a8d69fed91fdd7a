/**
 * Colours of CSS, as far as is needed to tell text that nobody can read from its ground: how light and how opaque they are. Of the models by
 * perceived lightness the hue is not looked at. Names of other colours are unknown.
 */

export interface CssColour {
  /** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance, 0 to 1. */
  readonly luminance: number;
  /** 0 to 1. */
  readonly alpha: number;
}

const named = new Map(
  `white #fff,black #000,red #f00,lime #0f0,blue #00f,yellow #ff0,gray #808080,grey #808080,silver #c0c0c0,green #008000,navy #000080,
  snow #fffafa,ivory #fffff0,ghostwhite #f8f8ff,floralwhite #fffaf0,whitesmoke #f5f5f5,transparent #0000`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
);

const part = (text = '', whole = 1) => Math.min(Math.max(Number.parseFloat(text) * (text.endsWith('%') ? whole / 100 : 1), 0), whole);

/** @param channels 0 to 1 */
function luminanceOf(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hslChannels = (hue: number, saturation: number, lightness: number): number[] =>
  [0, 8, 4].map((shift) => {
    const at = (shift + hue / 30) % 12;
    return lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1));
  });

function ofHex(digits: string): CssColour {
  const pairs = digits.length <= 4 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0, alpha = 1] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  return { luminance: luminanceOf([red, green, blue]), alpha };
}

function luminanceIn(model: string, [first = '', second, third]: readonly string[]): number {
  const [hue, one, other] = [Number.parseFloat(first), part(second, 100) / 100, part(third, 100) / 100];
  if (model === 'hsl') return luminanceOf(hslChannels(hue, one, other));
  if (model === 'hwb') return luminanceOf(hslChannels(hue, 1, 0.5).map((value) => value * Math.max(0, 1 - one - other) + one));
  if (model === 'color') return luminanceOf([part(first), part(second), part(third)]);
  if (model === 'rgb') return luminanceOf([first, second, third].map((channel) => part(channel, 255) / 255));
  return model.startsWith('ok') ? part(first) ** 3 : ((part(first, 100) + 16) / 116) ** 3;
}

/** @param css in lower case; undefined for what is no colour, or one that is not known here */
export function colourOf(css = ''): CssColour | undefined {
  const text = named.get(css) ?? css;
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(text)?.[1];
  if (hex !== undefined) return ofHex(hex);
  const light = /^light-dark\(([^,()]+(?:\([^()]*\))?)\s*,/.exec(text)?.[1];
  if (light !== undefined) return colourOf(light.trim());
  const [, model = '', list = ''] = /^(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)$/.exec(text) ?? [];
  const parts = list.split(/[\s,/]+/).filter((value) => value !== '' && !/^(?:srgb|display-p3|srgb-linear|rec2020)$/.test(value));
  return parts.length < 3 ? undefined : { luminance: luminanceIn(model, parts), alpha: part(parts[3] ?? '1') };
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: 1 is none, 21 is black on white. */
export const contrastOf = (one: CssColour, other: CssColour): number =>
  (Math.max(one.luminance, other.luminance) + 0.05) / (Math.min(one.luminance, other.luminance) + 0.05);

export const cssWhite: CssColour = { luminance: 1, alpha: 1 };
