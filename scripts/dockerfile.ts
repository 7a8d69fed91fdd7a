/**
 * Parses the subset of Dockerfile and .dockerignore that this project uses, to run the stages
 * without a builder.
 */

export interface Instruction {
  /** Upper case: `COPY`. */
  readonly name: string;
  /** Flags, such as `from` → `packages`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Rest of the line after the flags. */
  readonly text: string;
}

export interface Stage {
  /** An image or an earlier stage. */
  readonly from: string;
  /** Empty for the last stage. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

function instructionOf(line: string): Instruction {
  const [, name = '', flags = '', text = ''] =
    /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`Not an instruction: ${line}`);
  const pairs = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [
    flag,
    value,
  ]);
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

/** Whether the builder gets the file. The last matching line of .dockerignore decides. */
export function isGivenToBuilder(dockerignore: string, path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const lines = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // All patterns are plain names, except `*`.
  const decides = lines.findLast((line) => line === '*' || folders.includes(line.replace('!', '')));
  return decides?.startsWith('!') ?? true;
}
