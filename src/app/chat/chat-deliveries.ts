/** Which messages of a chat platform are being answered, and which were. Each has several keys: of its delivery and its own. */
type DeliveryState = 'waiting' | 'settled';

export interface ChatDeliveries {
  open(): Promise<void>;
  /** Of the keys together; undefined if none is known. */
  stateOf(keys: readonly string[]): Promise<DeliveryState | undefined>;
  /** Of those that come at once with a key in common one begins. @returns whether these did: they then wait */
  begin(keys: readonly string[]): Promise<boolean>;
  /** @param isSettled whether they are never to be answered again; otherwise they count as not seen */
  end(keys: readonly string[], isSettled: boolean): Promise<void>;
  close(): Promise<void>;
}
