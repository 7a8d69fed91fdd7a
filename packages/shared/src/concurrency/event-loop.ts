/**
 * Only one waiting task resumes per iteration of the event loop, so many slow tasks block it no
 * longer than one.
 */
const waiting: (() => void)[] = [];

function resumeNext() {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Resolves in a later iteration of the event loop, one call per iteration, first come, first
 * served.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNext);
  });
}
