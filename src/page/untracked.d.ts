import '@webreflection/signal';

declare module '@webreflection/signal' {
  /** Missing in the package's own declarations. */
  export function untracked<Result>(read: () => Result): Result;
}
