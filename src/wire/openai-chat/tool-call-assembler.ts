import type { ReplyEvent, ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';

interface ToolCallDelta {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly json: string;
  /** Data that the provider wants back with the call. */
  readonly extra: JsonObject | undefined;
}

interface PendingToolCall {
  id: string;
  name: string;
  /** Arguments that arrived before the call's name. */
  pendingJson: string;
  extra: JsonObject | undefined;
  /** Set once the block is open. */
  blockIndex: number | undefined;
}

interface BlockOpeners {
  /** Opens a tool call block. */
  readonly openToolUse: (block: ToolUseBlock) => number;
  /** Stores an extra of the call with this id. */
  readonly addExtra: (id: string, extra: JsonObject) => void;
}

/** Assigns fragments of parallel calls to their calls and blocks. */
export class ToolCallAssembler {
  readonly #openers: BlockOpeners;
  readonly #emit: (event: ReplyEvent) => void;
  readonly #calls: PendingToolCall[] = [];
  readonly #byIndex = new Map<number, PendingToolCall>();

  constructor(open: BlockOpeners, emit: (event: ReplyEvent) => void) {
    this.#openers = open;
    this.#emit = emit;
  }

  get hasOpenCalls(): boolean {
    return this.#calls.some((pendingToolCall) => pendingToolCall.blockIndex !== undefined);
  }

  get indexes(): readonly number[] {
    return this.#calls.flatMap((pendingToolCall) =>
      pendingToolCall.blockIndex === undefined ? [] : [pendingToolCall.blockIndex],
    );
  }

  push(delta: ToolCallDelta): void {
    const pendingToolCall = this.#callFor(delta);
    pendingToolCall.pendingJson += delta.json;
    pendingToolCall.extra ??= delta.extra;
    if (pendingToolCall.blockIndex !== undefined) {
      this.#emitPending(pendingToolCall.blockIndex, pendingToolCall);
      return;
    }
    pendingToolCall.id ||= delta.id;
    pendingToolCall.name += delta.name;
    if (pendingToolCall.id !== '' && pendingToolCall.name !== '') this.#openCall(pendingToolCall);
  }

  /** Opens calls that never got an id: a name is enough. `prefix` makes their ids unique across replies. */
  flush(prefix: string): void {
    for (const [at, pendingToolCall] of this.#calls.entries()) {
      if (pendingToolCall.blockIndex !== undefined || pendingToolCall.name === '') continue;
      pendingToolCall.id ||= `${prefix}_${at}`;
      this.#openCall(pendingToolCall);
    }
  }

  /** Some providers give every call the index 0, or none: a new id with a name is a new call. */
  #callFor({ index, id, name }: ToolCallDelta): PendingToolCall {
    const known = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    const another = known !== undefined && id !== '' && name !== '' && known.id !== '' && known.id !== id;
    if (known !== undefined && !another) return known;
    const pendingToolCall: PendingToolCall = {
      id: '',
      name: '',
      pendingJson: '',
      extra: undefined,
      blockIndex: undefined,
    };
    this.#calls.push(pendingToolCall);
    this.#byIndex.set(index ?? this.#calls.length - 1, pendingToolCall);
    return pendingToolCall;
  }

  #openCall(pendingToolCall: PendingToolCall): void {
    const { id, name, extra } = pendingToolCall;
    if (extra !== undefined) this.#openers.addExtra(id, extra);
    pendingToolCall.blockIndex = this.#openers.openToolUse({ type: 'tool_use', id, name, input: {} });
    this.#emitPending(pendingToolCall.blockIndex, pendingToolCall);
  }

  /** Emits pending arguments. Drops `null`, which some models write for a tool without arguments. */
  #emitPending(index: number, pendingToolCall: PendingToolCall): void {
    if (pendingToolCall.pendingJson === '' || pendingToolCall.pendingJson === 'null') return;
    const delta = { type: 'input_json_delta', partial_json: pendingToolCall.pendingJson } as const;
    pendingToolCall.pendingJson = '';
    this.#emit({ type: 'content_block_delta', index, delta });
  }
}
