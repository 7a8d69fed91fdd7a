/** Work that was interrupted so that others have the event loop goes on one piece in a turn: many such works together hold it no longer than one. */
const waiting: (() => void)[] = [];

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Resolves in a later turn of the event loop, in which nothing else goes on that waits for one; in the order in which they were asked for. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}
