/** Operators by name, as the PDF library lists them → the painter. What says nothing about text is not in the table. */
import { colourFrom } from './paint-state.ts';
import type { PagePainter } from './painter.ts';

// biome-ignore lint/suspicious/noExplicitAny: arguments of operators, whose shapes the library does not declare
type Arguments = any[];
type Operator = (painter: PagePainter, args: Arguments) => void;

const operators: Readonly<Record<string, Operator>> = {
  save: (painter) => painter.save(),
  restore: (painter) => painter.restore(),
  transform: (painter, args) => painter.transform(...args),
  clip: (painter) => painter.clip(),
  eoClip: (painter) => painter.clip(),
  shadingFill: (painter) => painter.shadingFill(),
  paintFormXObjectBegin: (painter, [matrix, box]) => painter.paintFormXObjectBegin(matrix, box),
  paintFormXObjectEnd: (painter) => painter.paintFormXObjectEnd(),
  beginGroup: (painter, [group]) => painter.beginGroup(group),
  endGroup: (painter, [group]) => painter.endGroup(group),
  beginMarkedContent: (painter, [tag]) => painter.beginMarkedContent(tag?.name ?? tag),
  beginMarkedContentProps: (painter, [tag, properties]) => painter.beginMarkedContentProps(tag, properties),
  endMarkedContent: (painter) => painter.endMarkedContent(),
  beginText: (painter) => painter.beginText(),
  setTextMatrix: (painter, [matrix]) => painter.setTextMatrix(matrix),
  moveText: (painter, [x, y]) => painter.moveText(x, y),
  setLeadingMoveText: (painter, [x, y]) => {
    painter.state.leading = -y;
    painter.moveText(x, y);
  },
  nextLine: (painter) => painter.nextLine(),
  showText: (painter, [glyphs]) => painter.showText(glyphs ?? []),
  setFont: (painter, [name, size]) => painter.setFont(name, size),
  setGState: (painter, [entries]) => painter.setGState(entries ?? []),
  setCharSpacing: ({ state }, [spacing]) => {
    state.charSpacing = spacing;
  },
  setWordSpacing: ({ state }, [spacing]) => {
    state.wordSpacing = spacing;
  },
  setHScale: ({ state }, [percent]) => {
    state.scale = percent / 100;
  },
  setLeading: ({ state }, [leading]) => {
    state.leading = leading;
  },
  setTextRise: ({ state }, [rise]) => {
    state.rise = rise;
  },
  setTextRenderingMode: ({ state }, [mode]) => {
    state.renderMode = mode;
  },
  setFillRGBColor: ({ state }, [colour]) => {
    state.fillColour = colourFrom(colour);
  },
  setStrokeRGBColor: ({ state }, [colour]) => {
    state.strokeColour = colourFrom(colour);
  },
  setFillColorN: ({ state }) => {
    state.fillColour = 'unknown';
  },
  setStrokeColorN: ({ state }) => {
    state.strokeColour = 'unknown';
  },
  setFillTransparent: ({ state }) => {
    state.fillColour = 'none';
  },
  setStrokeTransparent: ({ state }) => {
    state.strokeColour = 'none';
  },
};

export type PaintPage = (painter: PagePainter, code: number, args: Arguments) => void;

/** @param codes numbers of the operators by name */
export function createPaintPage(codes: Readonly<Record<string, number>>): PaintPage {
  const byCode: Operator[] = [];
  for (const [name, code] of Object.entries(codes)) {
    const operator = operators[name];
    if (operator) byCode[code] = operator;
  }
  const names = new Map(Object.entries(codes).map(([name, code]) => [code, name]));
  byCode[codes['constructPath'] ?? -1] = (painter, [code, data, bounds]) => {
    const name = names.get(code) ?? '';
    painter.path({ fills: /fill/i.test(name), strokes: /stroke/i.test(name) }, data?.[0] ?? null, bounds ?? null);
  };
  return (painter, code, args) => byCode[code]?.(painter, args);
}
