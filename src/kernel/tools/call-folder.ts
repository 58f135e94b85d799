import { canonicalJson, parseExact } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import type { ReplyEvent, ToolUseBlock } from '../message.ts';

/** The ids of repeated calls, each with the id of the call that it repeats. */
export type FoldedCalls = Readonly<Record<string, string>>;

interface Call {
  readonly block: ToolUseBlock;
  json: string;
  isEnded: boolean;
}

interface HeldCall {
  readonly index: number;
  readonly call: Call;
  /** Its events and those behind it. */
  readonly events: ReplyEvent[];
}

/**
 * Removes calls from an answer that repeat an earlier call of it, with the same tool and the same arguments. The first call of a
 * tool passes at once; a later one is held back until its arguments are known.
 */
export class CallFolder {
  readonly #isFoldable: (tool: string) => boolean;
  readonly #folded: Record<string, string> = {};
  /** The calls that passed, by block index. */
  readonly #calls = new Map<number, Call>();
  readonly #passedBlocks = new Set<number>();
  readonly #removedBlocks = new Set<number>();
  #held: HeldCall | undefined;

  constructor(isFoldable: (tool: string) => boolean) {
    this.#isFoldable = isFoldable;
  }

  /** Undefined if no call was removed. */
  get folded(): FoldedCalls | undefined {
    return Object.keys(this.#folded).length === 0 ? undefined : this.#folded;
  }

  /** The events that can pass now. */
  *write(event: ReplyEvent): Generator<ReplyEvent> {
    if (this.#held === undefined || event.type === 'ping') yield* this.#pass(event);
    else if ('index' in event && this.#passedBlocks.has(event.index)) yield* this.#pass(event);
    else yield* this.#hold(this.#held, event);
  }

  *#pass(event: ReplyEvent): Generator<ReplyEvent> {
    if (!('index' in event)) {
      yield event;
      return;
    }
    const { index } = event;
    if (this.#removedBlocks.has(index)) return;
    if (event.type === 'content_block_start') {
      const block = event.content_block;
      if (block.type === 'tool_use' && this.#isFoldable(block.name)) {
        const call = { block, json: '', isEnded: false };
        if (this.#callsOf(block.name).length > 0) {
          this.#held = { index, call, events: [event] };
          return;
        }
        this.#calls.set(index, call);
      }
      this.#passedBlocks.add(index);
    }
    const call = this.#calls.get(index);
    if (call !== undefined) extendCall(call, event);
    yield event;
  }

  *#hold(held: HeldCall, event: ReplyEvent): Generator<ReplyEvent> {
    const { index, call, events } = held;
    events.push(event);
    // The answer ends, and this call was cut off.
    if (!('index' in event)) {
      yield* this.#release(held);
      return;
    }
    if (event.index !== index) return;
    extendCall(call, event);
    const input = canonicalInput(call);
    if (input === undefined) {
      if (call.isEnded || !this.#mayRepeat(call)) yield* this.#release(held);
      return;
    }
    const first = this.#callsOf(call.block.name).find((earlier) => canonicalInput(earlier) === input);
    if (first === undefined) yield* this.#release(held);
    else yield* this.#remove(held, first);
  }

  #callsOf(name: string): readonly Call[] {
    return [...this.#calls.values()].filter(({ block }) => block.name === name);
  }

  /** Long arguments are held back only as long as they have the text of an earlier call. */
  #mayRepeat({ block, json }: Call): boolean {
    return (
      json.length <= limits.heldArgumentsCharsMax ||
      this.#callsOf(block.name).some((earlier) => earlier.json.startsWith(json))
    );
  }

  *#release({ index, call, events: [start, ...events] }: HeldCall): Generator<ReplyEvent> {
    this.#held = undefined;
    this.#calls.set(index, { block: call.block, json: '', isEnded: false });
    this.#passedBlocks.add(index);
    if (start !== undefined) yield start;
    for (const event of events) yield* this.write(event);
  }

  *#remove({ index, call, events: [, ...events] }: HeldCall, first: Call): Generator<ReplyEvent> {
    this.#held = undefined;
    this.#removedBlocks.add(index);
    this.#folded[call.block.id] = first.block.id;
    for (const event of events) yield* this.write(event);
  }
}

function extendCall(call: Call, event: ReplyEvent): void {
  if (event.type === 'content_block_stop') call.isEnded = true;
  if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
    call.json += event.delta.partial_json;
}

/** The same text for the same arguments; undefined until they are complete. */
function canonicalInput({ block, json, isEnded }: Call): string | undefined {
  if (json === '') return isEnded ? canonicalJson(block.input ?? {}) : undefined;
  // Nothing can follow a complete object.
  if (!json.endsWith('}')) return undefined;
  try {
    return canonicalJson(parseExact(json));
  } catch {
    return undefined;
  }
}
