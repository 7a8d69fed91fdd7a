/** Sums over what is put away, so that what a disk or a hand has altered is not taken for what was written. */
import { crc32 } from 'node:zlib';

const sealed = /^(.*),"sum":(\d+)\}$/s;

/** A JSON object as a line that ends with its sum. @param fields at least one */
export function sealLine(fields: object): string {
  const text = JSON.stringify(fields);
  return `${text.slice(0, -1)},"sum":${crc32(text)}}`;
}

/** The JSON of a line without its sum; undefined where it is not what was written. A line without one, of an earlier version, is believed. */
export function unsealLine(line: Buffer | string): string | undefined {
  const written = line.toString();
  const [, fields, sum] = sealed.exec(written) ?? [];
  if (fields === undefined) return written;
  const text = `${fields}}`;
  return crc32(text) === Number(sum) ? text : undefined;
}
