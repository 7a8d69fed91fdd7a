const newLine = 0x0a;

/** Returns the non-empty lines of a JSON-lines file. */
export function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf(newLine, start);
    const end = found < 0 ? content.length : found;
    if (end > start) lines.push(content.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Returns undefined if the line is not a JSON object. */
export function parseLine(line: Buffer | string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
