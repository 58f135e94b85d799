/**
 * What a module decided in a conversation. The first decision about a place stands: on every later call, on any replica,
 * after a restart, until the conversation was left alone for a month. Places are names of the module's own choice;
 * `conversation.at(index)` is one that no other conversation has, and none that parted from this one before it.
 */
export interface DecisionLog {
  /** Whether nothing at all was decided in this conversation: then nobody has to look for anything. */
  isEmpty(): Promise<boolean>;
  /** Undefined where nothing was decided. */
  get(place: string): Promise<unknown>;
  /** What was decided about a place, as JSON gives it back; `decide` is asked where nobody has decided yet. */
  decideOnce(place: string, decide: () => unknown): Promise<unknown>;
}
