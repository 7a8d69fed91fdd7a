/** What must stand in no answer, however it is written: each secret plain, in base64 at any offset, in hex, escaped; and traces of a stack. */

export interface Canary {
  readonly name: string;
  readonly text: string;
  /** Whose namespace it stands in, where whoever reads that may see it. */
  readonly namespace?: string;
  /** Whether an operator may read it in the log: what others said when they failed. */
  readonly isLogged?: boolean;
  /** Operations that tell it, to whoever has used it. */
  readonly toldBy?: readonly string[];
}

/** Of a text that may stand anywhere in what was encoded, the letters that are the same wherever it stands. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The letters at the ends share bits with what stands beside them.
    return encoded.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
}

const formsOf = ({ text }: Canary): string[] => {
  const base64 = base64Forms(text);
  return [...base64, ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))];
};

const decodePercent = (text: string) => {
  if (!text.includes('%')) return text;
  const bytes = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};
const decodeEscapes = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replaceAll(/\\(["\\/])/g, '$1');

const stackName = 'a trace of the stack';
const stack = /\bat (?:[\w.<>[\] ]+ \()?(?:file:\/\/|node:|\/)[^\s"')]+:\d+:\d+/;

/** @returns what finds the names of what leaked in a text, of that what its reader may not read */
export function createLeakFinder(canaries: readonly Canary[]) {
  const known = canaries.map((canary) => {
    const hex = Buffer.from(canary.text).toString('hex');
    return { ...canary, forms: formsOf(canary), hex };
  });
  return (text: string, reads: readonly string[] | undefined, operation?: string): string[] => {
    const readings = [...new Set([text, decodePercent(text), decodeEscapes(text), decodeEscapes(decodePercent(text))])];
    const lower = text.toLowerCase();
    const leaked = known.filter(({ namespace, text: plain, forms, hex, toldBy = [] }) => {
      if (toldBy.some((one) => one === operation)) return false;
      if (namespace !== undefined && (reads === undefined || reads.includes(namespace))) return false;
      return readings.some((one) => one.includes(plain)) || forms.some((form) => text.includes(form)) || lower.includes(hex);
    });
    return [...leaked.map(({ name }) => name), ...(readings.some((one) => stack.test(one)) ? [stackName] : [])];
  };
}
export type LeakFinder = ReturnType<typeof createLeakFinder>;

/** What a process says of itself: no failure that nobody caught, and no secret; where its folders are it may say. */
export function logProblems(log: string, canaries: readonly Canary[]): string[] {
  const uncaught = /.*(?:unhandledRejection|uncaughtException|the process failed).*/i.exec(log)?.[0];
  const leaksIn = createLeakFinder(canaries.filter(({ isLogged }) => isLogged !== true));
  const leaked = new Set(log.split('\n').flatMap((line) => leaksIn(line, [])));
  // The log is where stacks belong.
  leaked.delete(stackName);
  return [
    ...(uncaught === undefined ? [] : [`in the log: ${uncaught.slice(0, 500)}`]),
    ...[...leaked].map((name) => `in the log: ${name}`),
  ];
}
