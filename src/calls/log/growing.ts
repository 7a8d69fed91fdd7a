/** Columns of numbers that grow while a file is read. */

type Numbers = Float64Array | Uint32Array | Uint8Array;

export interface Growing<T extends Numbers> {
  push(value: number): void;
  /** What was pushed, without a copy. */
  values(): T;
  /** The same, for the last time: nothing is kept. */
  take(): T;
}

const firstLength = 1024;

export function createGrowing<T extends Numbers>(create: (length: number) => T): Growing<T> {
  let column = create(firstLength);
  let length = 0;
  return {
    push(value) {
      if (length === column.length) {
        const longer = create(length * 2);
        longer.set(column);
        column = longer;
      }
      column[length++] = value;
    },
    values: () => column.subarray(0, length) as T,
    take() {
      const taken = column.subarray(0, length) as T;
      column = create(0);
      length = 0;
      return taken;
    },
  };
}

export const floats = () => createGrowing((length) => new Float64Array(length));
export const integers = () => createGrowing((length) => new Uint32Array(length));
export const codes = () => createGrowing((length) => new Uint8Array(length));
