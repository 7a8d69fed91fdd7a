/** Attacks on pages, by name. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const evil = 'evil.example';

const file = new URL('../fixtures/attacks.yaml', import.meta.url);
export const attacks: Readonly<Record<string, string>> = parse(readFileSync(file, 'utf8'));
