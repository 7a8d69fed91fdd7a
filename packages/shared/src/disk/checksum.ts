/** Checksums of stored lines: they detect damage and manual edits. */
import { crc32 } from 'node:zlib';

const sealed = /^(.*),"sum":(\d+)\}$/s;

/** Returns a JSON line with a checksum. @param fields at least one */
export function sealLine(fields: object) {
  const text = JSON.stringify(fields);
  return `${text.slice(0, -1)},"sum":${crc32(text)}}`;
}

/** Returns the JSON of a line without its checksum; undefined if the checksum is wrong or missing. */
export function unsealLine(line: string): string | undefined {
  const [, fields, sum] = sealed.exec(line) ?? [];
  if (fields === undefined) return undefined;
  const text = `${fields}}`;
  return crc32(text) === Number(sum) ? text : undefined;
}
