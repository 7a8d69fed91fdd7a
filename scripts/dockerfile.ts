/** Parses the Dockerfile and .dockerignore as far as this project uses them, to inspect stages and run them without a builder. */

export interface Instruction {
  /** Uppercase, such as `COPY`. */
  readonly name: string;
  /** For example `from` → `packages`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Text after the flags, joined to one line. */
  readonly text: string;
}

export interface Stage {
  /** Base image, or an earlier stage. */
  readonly from: string;
  /** Empty for the last stage, which has no name. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

function instructionOf(line: string): Instruction {
  const [, name = '', flags = '', text = ''] = /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`Not an instruction: ${line}`);
  const pairs = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [flag, value]);
  return { name: name.toUpperCase(), flags: Object.fromEntries(pairs), text };
}

export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const stages: { from: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const instruction = instructionOf(line);
    const [from = '', , name = ''] = instruction.text.split(/\s+/);
    if (instruction.name === 'FROM') stages.push({ from, name, instructions: [] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

/** @returns whether the build context contains the file; the last line of .dockerignore that matches it or a parent folder decides */
export function isGivenToBuilder(dockerignore: string, path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const lines = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // All lines are plain names, except `*`.
  const decides = lines.findLast((line) => line === '*' || folders.includes(line.replace('!', '')));
  return decides?.startsWith('!') ?? true;
}
