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
