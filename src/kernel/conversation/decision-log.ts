/**
 * A module's decisions in a conversation. The first decision under a name is final: for every later call, on every
 * replica, after a restart, until the conversation has been inactive for a month. The module chooses the names;
 * `conversation.digestAt(index)` is unique to this conversation and to branches that diverge after that message.
 */
export interface DecisionLog {
  /** Whether there are no decisions in this conversation. */
  isEmpty(): Promise<boolean>;
  /** Undefined if there is no such decision. */
  get(place: string): Promise<unknown>;
  /** The decisions under these names, in this order and without those that don't exist. */
  getAll(places: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** The decision under this name, as parsed JSON; calls `decide` if there is none yet. */
  decideOnce(place: string, decide: () => unknown): Promise<unknown>;
}
