/**
 * Arguments of `script`, which opens a pseudo terminal; macOS has other ones. Without `exec`, dash
 * reports the signal instead of the exit code.
 */
export const inTerminal = (command: string): string[] =>
  process.platform === 'darwin'
    ? ['-q', '/dev/null', 'sh', '-c', command]
    : ['-qec', command, '/dev/null'];
