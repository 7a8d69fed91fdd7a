/** What the Dockerfile and .dockerignore say, as far as this project writes them: enough to look at the stages, and to run them without a builder. */

export interface Instruction {
  /** In capitals: `COPY`. */
  readonly name: string;
  /** Such as `from` → `packages`. */
  readonly flags: Readonly<Record<string, string>>;
  /** What follows the flags, on one line. */
  readonly text: string;
}

export interface Stage {
  /** What it begins with: an image, or an earlier stage. */
  readonly from: string;
  /** Empty: it has none, as the last one. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

function instructionOf(line: string): Instruction {
  const [, name = '', flags = '', text = ''] = /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`No instruction: ${line}`);
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

/** @returns whether the builder is given the file: the last line of .dockerignore that names it, or a folder that it lies in, decides */
export function isGivenToBuilder(dockerignore: string, path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const lines = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // All of them are names as they are, but `*`.
  const decides = lines.findLast((line) => line === '*' || folders.includes(line.replace('!', '')));
  return decides?.startsWith('!') ?? true;
}
