/** Typed arrays that grow: values of one kind end to end, without an object for each. */

type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;

/** Each time it is full: what is copied stays within three times of what is added, what is unused within half of what is used. */
const growth = 1.5;
const firstCapacity = 256;

export class GrowingArray<Kind extends Numbers> {
  /** Longer than `length`; replaced when it grows. */
  values: Kind;
  length: number;
  readonly #create: (length: number) => Kind;

  /** @param values to begin with, taken over */
  constructor(create: (length: number) => Kind, values?: Kind) {
    this.#create = create;
    this.values = values ?? create(firstCapacity);
    this.length = values?.length ?? 0;
  }

  /** Makes room for `count` more values, all 0, and counts them in. @returns where they begin */
  extend(count: number): number {
    const start = this.length;
    const length = start + count;
    if (length > this.values.length) {
      const larger = this.#create(Math.max(length, Math.ceil(this.values.length * growth)));
      larger.set(this.values.subarray(0, start));
      this.values = larger;
    }
    this.length = length;
    return start;
  }

  /** @returns where the value stands */
  push(value: number): number {
    const at = this.extend(1);
    this.values[at] = value;
    return at;
  }
}
