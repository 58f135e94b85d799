import type { JsonObject } from '../../kernel/json.ts';
import type { ReplyEvent, ToolUseBlock } from '../../kernel/message.ts';

interface CallDelta {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly json: string;
  /** What the provider wants back with the call. */
  readonly extra: JsonObject | undefined;
}

interface Slot {
  id: string;
  name: string;
  /** Arguments that could not be passed on yet, since the call had no name. */
  waiting: string;
  extra: JsonObject | undefined;
  /** Set once the call is open. */
  block: number | undefined;
}

interface Openers {
  /** Opens the block of a call. */
  readonly call: (block: ToolUseBlock) => number;
  /** Puts aside what belongs to the call with this id. */
  readonly extra: (id: string, extra: JsonObject) => void;
}

/** Keeps parallel calls apart: which fragment belongs to which call, and which call is which block. */
export class ToolSlots {
  readonly #open: Openers;
  readonly #emit: (event: ReplyEvent) => void;
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();

  constructor(open: Openers, emit: (event: ReplyEvent) => void) {
    this.#open = open;
    this.#emit = emit;
  }

  get begun(): boolean {
    return this.#slots.some((slot) => slot.block !== undefined);
  }

  get indexes(): readonly number[] {
    return this.#slots.flatMap((slot) => (slot.block === undefined ? [] : [slot.block]));
  }

  delta(delta: CallDelta): void {
    const slot = this.#slotFor(delta);
    slot.waiting += delta.json;
    slot.extra ??= delta.extra;
    if (slot.block !== undefined) {
      this.#grow(slot.block, slot);
      return;
    }
    slot.id ||= delta.id;
    slot.name += delta.name;
    if (slot.id !== '' && slot.name !== '') this.#begin(slot);
  }

  /** Opens calls that never got an id: a name is enough to answer them. `prefix` tells them from those of other answers. */
  flush(prefix: string): void {
    for (const [at, slot] of this.#slots.entries()) {
      if (slot.block !== undefined || slot.name === '') continue;
      slot.id ||= `${prefix}_${at}`;
      this.#begin(slot);
    }
  }

  /** Some providers give every call the index 0, or none: another id with a name is another call. */
  #slotFor({ index, id, name }: CallDelta): Slot {
    const known = index === undefined ? this.#slots.at(-1) : this.#byIndex.get(index);
    const another = known !== undefined && id !== '' && name !== '' && known.id !== '' && known.id !== id;
    if (known !== undefined && !another) return known;
    const slot: Slot = { id: '', name: '', waiting: '', extra: undefined, block: undefined };
    this.#slots.push(slot);
    this.#byIndex.set(index ?? this.#slots.length - 1, slot);
    return slot;
  }

  #begin(slot: Slot): void {
    const { id, name, extra } = slot;
    if (extra !== undefined) this.#open.extra(id, extra);
    slot.block = this.#open.call({ type: 'tool_use', id, name, input: {} });
    this.#grow(slot.block, slot);
  }

  /** Passes on what waits. Some models write `null` where a tool takes nothing, which is held back for good. */
  #grow(index: number, slot: Slot): void {
    if (slot.waiting === '' || slot.waiting === 'null') return;
    const delta = { type: 'input_json_delta', partial_json: slot.waiting } as const;
    slot.waiting = '';
    this.#emit({ type: 'content_block_delta', index, delta });
  }
}
