import '@webreflection/signal';

declare module '@webreflection/signal' {
  /** Its own declarations leave it out. */
  export function untracked<Result>(read: () => Result): Result;
}
