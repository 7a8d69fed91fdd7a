/**
 * Finds secrets in responses and logs: plain, base64 at any offset, hex or escaped; and stack
 * traces.
 */

export interface Canary {
  readonly name: string;
  readonly text: string;
  /** Namespace whose readers may see it. */
  readonly namespace?: string;
  /** Whether the log may contain it for operators, such as an upstream error. */
  readonly isLogged?: boolean;
  /** Operations that return it to callers who used it. */
  readonly returnedBy?: readonly string[];
}

/** Returns the base64 letters that do not depend on the text's offset. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The outer letters share bits with the neighbouring text.
    return encoded.slice(
      before === 0 ? 0 : before + 1,
      (before + bytes.length) % 3 === 0 ? undefined : -1,
    );
  });
}

const formsOf = ({ text }: Canary): string[] => {
  const base64 = base64Forms(text);
  return [...base64, ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))];
};

const decodePercent = (text: string) => {
  if (!text.includes('%')) return text;
  const bytes = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
};
const decodeEscapes = (text: string) =>
  text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .replaceAll(/\\(["\\/])/g, '$1');

const stackName = 'stack trace';
const stack = /\bat (?:[\w.<>[\] ]+ \()?(?:file:\/\/|node:|\/)[^\s"')]+:\d+:\d+/;

/** Names the secrets in a text that its reader may not read. */
export type LeakFinder = (
  text: string,
  reads: readonly string[] | undefined,
  operation?: string,
) => string[];

export function createLeakFinder(canaries: readonly Canary[]): LeakFinder {
  const known = canaries.map((canary) => {
    const hex = Buffer.from(canary.text).toString('hex');
    return { ...canary, forms: formsOf(canary), hex };
  });
  return (text, reads, operation) => {
    const readings = [
      ...new Set([
        text,
        decodePercent(text),
        decodeEscapes(text),
        decodeEscapes(decodePercent(text)),
      ]),
    ];
    const lower = text.toLowerCase();
    const leaked = known.filter(({ namespace, text: plain, forms, hex, returnedBy = [] }) => {
      if (returnedBy.some((one) => one === operation)) return false;
      if (namespace !== undefined && (reads === undefined || reads.includes(namespace)))
        return false;
      return (
        readings.some((one) => one.includes(plain)) ||
        forms.some((form) => text.includes(form)) ||
        lower.includes(hex)
      );
    });
    return [
      ...leaked.map(({ name }) => name),
      ...(readings.some((one) => stack.test(one)) ? [stackName] : []),
    ];
  };
}

/** Problems in the log of a process: uncaught errors and secrets. Folder paths are allowed. */
export function logProblems(log: string, canaries: readonly Canary[]): string[] {
  const uncaught = /.*(?:unhandledRejection|uncaughtException|the process failed).*/i.exec(
    log,
  )?.[0];
  const leaksIn = createLeakFinder(canaries.filter(({ isLogged }) => isLogged !== true));
  const leaked = new Set(log.split('\n').flatMap((line) => leaksIn(line, [])));
  // Stack traces belong in the log.
  leaked.delete(stackName);
  return [
    ...(uncaught === undefined ? [] : [`in the log: ${uncaught.slice(0, 500)}`]),
    ...[...leaked].map((name) => `in the log: ${name}`),
  ];
}
