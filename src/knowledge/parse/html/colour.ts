/** Colours of CSS, as far as is needed to tell text that nobody can read from its ground. Names of other colours are unknown. */

export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0 to 1. */
  readonly alpha: number;
}

const named: Readonly<Record<string, string>> = {
  white: '#fff',
  black: '#000',
  red: '#f00',
  lime: '#0f0',
  blue: '#00f',
  yellow: '#ff0',
  gray: '#808080',
  grey: '#808080',
  silver: '#c0c0c0',
  green: '#008000',
  navy: '#000080',
  snow: '#fffafa',
  ivory: '#fffff0',
  ghostwhite: '#f8f8ff',
  floralwhite: '#fffaf0',
  whitesmoke: '#f5f5f5',
  transparent: '#0000',
};

const part = (text: string, whole: number) =>
  Math.min(Math.max(Number.parseFloat(text) * (text.endsWith('%') ? whole / 100 : 1), 0), whole);

function ofHsl(hue: number, saturation: number, lightness: number, alpha: number): Colour {
  const channel = (shift: number) => {
    const at = (shift + hue / 30) % 12;
    return 255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return { red: channel(0), green: channel(8), blue: channel(4), alpha };
}

function ofHwb(hue: number, white: number, black: number, alpha: number): Colour {
  const pure = ofHsl(hue, 1, 0.5, alpha);
  const room = Math.max(0, 1 - white - black);
  const mix = (value: number) => value * room + 255 * white;
  return { red: mix(pure.red), green: mix(pure.green), blue: mix(pure.blue), alpha };
}

/** Of the models by perceived lightness, white, black and grey are told; what has a hue is not known here. */
function ofLightness(lightness: number, chroma: number, alpha: number): Colour | undefined {
  const isGrey = Math.abs(chroma) < 0.01 || lightness >= 0.99 || lightness <= 0.01;
  if (!isGrey && alpha > 0) return undefined;
  const grey = 255 * lightness;
  return { red: grey, green: grey, blue: grey, alpha };
}

/** @param css in lower case; undefined for what is no colour, or one that is not known here */
export function colourOf(css: string | undefined): Colour | undefined {
  const text = named[css ?? ''] ?? css ?? '';
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const digits = hex.length <= 4 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
    const [red = 0, green = 0, blue = 0, alpha = 255] = digits.map((pair) => Number.parseInt(pair, 16));
    return { red, green, blue, alpha: alpha / 255 };
  }
  const light = /^light-dark\(\s*([^,()]+(?:\([^()]*\))?)\s*,/.exec(text)?.[1];
  if (light !== undefined) return colourOf(light.trim());
  const [, model, list] = /^(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)$/.exec(text) ?? [];
  const parts = (list ?? '').split(/[\s,/]+/).filter((value) => value !== '' && !/^(?:srgb|display-p3|srgb-linear|rec2020)$/.test(value));
  const [first, second, third] = parts;
  if (first === undefined || second === undefined || third === undefined) return undefined;
  const alpha = parts[3] === undefined ? 1 : part(parts[3], 1);
  if (model === 'hsl') return ofHsl(Number.parseFloat(first), part(second, 100) / 100, part(third, 100) / 100, alpha);
  if (model === 'hwb') return ofHwb(Number.parseFloat(first), part(second, 100) / 100, part(third, 100) / 100, alpha);
  if (model === 'color') return { red: 255 * part(first, 1), green: 255 * part(second, 1), blue: 255 * part(third, 1), alpha };
  if (model !== 'rgb') {
    const whole = model?.startsWith('ok') ? 1 : 100;
    return ofLightness(part(first, whole) / whole, Number.parseFloat(second), alpha);
  }
  return { red: part(first, 255), green: part(second, 255), blue: part(third, 255), alpha };
}

const luminanceOf = ({ red, green, blue }: Colour) => {
  const linear = (value: number) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: 1 is none, 21 is black on white. */
export function contrastOf(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

export const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 };
