import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ThinkingBlock, ToolUseBlock } from '../../kernel/message.ts';
import { stringOf } from '../read.ts';
import { seal } from '../sealed.ts';
import { CallWriter, FreeTextCallWriter } from './call-writer.ts';
import { MessageWriter } from './message-writer.ts';
import type { NamedUse } from './namespaces.ts';
import { OwnItemWriter } from './own-items.ts';
import { thoughtIdOf, unsealedReasoning } from './reasoning.ts';
import { ReasoningWriter } from './reasoning-writer.ts';
import type { OpenBlock, Place, Stage } from './stage.ts';
import { itemId, ownItemOf, reasoningItem } from './write-response.ts';

interface Context {
  readonly answerId: string;
  readonly asked: JsonObject;
  /** Names of tools that take free text. */
  readonly free: ReadonlySet<string>;
  /** Gives a call the names of its tool. */
  readonly named: (use: ToolUseBlock) => NamedUse;
  /** Whether what was thought comes encrypted, which its provider reads under its own id only. */
  readonly encrypts: boolean;
  readonly emit: Stage['emit'];
}

/** Writes blocks as items: texts that follow each other are one message, everything else is an item of its own. */
export class ItemWriter implements Stage {
  readonly #context: Context;
  readonly #items: (JsonObject | undefined)[] = [];
  readonly #open = new Map<number, OpenBlock>();
  #message: MessageWriter | undefined;
  /** Reasoning that is over, unless the next block brings its encrypted half. */
  #waiting: ReasoningWriter | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The items that are complete. */
  get output(): readonly JsonObject[] {
    return this.#items.filter((item) => item !== undefined);
  }

  start(index: number, block: Block): void {
    if (block.type !== 'redacted_thinking') this.#settleReasoning(undefined);
    if (block.type !== 'text') this.#finishMessage();
    switch (block.type) {
      case 'text':
        if (block.phase !== this.#message?.phase) this.#finishMessage();
        this.#message ??= new MessageWriter(this, block.phase);
        this.#open.set(index, this.#message.text(block));
        return;
      case 'thinking':
        this.#open.set(index, this.#reasoning(block));
        return;
      case 'redacted_thinking':
        this.#redacted(block.data);
        return;
      case 'tool_use':
        this.#open.set(
          index,
          this.#context.free.has(block.name)
            ? new FreeTextCallWriter(this, this.#context.named(block))
            : new CallWriter(this, this.#context.named(block)),
        );
        return;
      default: {
        const item = ownItemOf(block);
        if (item !== undefined) this.#open.set(index, new OwnItemWriter(this, item, this.#context.asked));
      }
    }
  }

  grow(index: number, delta: Delta): void {
    this.#open.get(index)?.grow(delta);
  }

  stop(index: number): void {
    this.#open.get(index)?.stop();
    this.#open.delete(index);
  }

  /** Ends what is open; a refusal that nobody worded yet is given its words. */
  close(refusal: string | undefined): void {
    for (const index of [...this.#open.keys()]) this.stop(index);
    this.#settleReasoning(undefined);
    if (refusal !== undefined && this.#message === undefined) {
      this.#message = new MessageWriter(this);
      this.#message.text({ type: 'text', text: refusal, refusal: true }).stop();
    }
    this.#finishMessage();
  }

  emit(type: string, fields: JsonObject): void {
    this.#context.emit(type, fields);
  }

  open(prefix: string, itemFor: (id: string) => JsonObject, ownId?: string): Place {
    const output_index = this.#items.push(undefined) - 1;
    const item_id = ownId ?? itemId(prefix, this.#context.answerId, output_index);
    this.emit('response.output_item.added', { output_index, item: itemFor(item_id) });
    return { item_id, output_index };
  }

  done({ output_index }: Place, item: JsonObject): void {
    this.#items[output_index] = item;
    this.emit('response.output_item.done', { output_index, item });
  }

  #finishMessage(): void {
    this.#message?.finish();
    this.#message = undefined;
  }

  #reasoning(block: ThinkingBlock): OpenBlock {
    const writer = new ReasoningWriter(this, this.#context.encrypts ? thoughtIdOf(block) : undefined);
    writer.grow({ type: 'thinking_delta', thinking: block.thinking });
    const stop = () => {
      this.#waiting = writer;
      if (writer.signature !== '') this.#settleReasoning(seal('signature', writer.signature));
    };
    return { grow: (delta) => writer.grow(delta), stop };
  }

  #settleReasoning(encrypted: string | undefined): void {
    this.#waiting?.finish(encrypted);
    this.#waiting = undefined;
  }

  #redacted(data: string): void {
    const item = unsealedReasoning(data);
    const own = stringOf(item?.encrypted_content);
    const encrypted = own ?? seal('redacted', data);
    if (this.#waiting !== undefined && own !== undefined) {
      this.#settleReasoning(encrypted);
      return;
    }
    this.#settleReasoning(undefined);
    const place = this.open('rs', (id) => reasoningItem(id, '', undefined), stringOf(item?.id));
    this.done(place, reasoningItem(place.item_id, '', encrypted));
  }
}
