import type { Block, Delta, ThinkingBlock, ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { stringOf } from '../json-values.ts';
import { wrapOpaque } from '../opaque-data.ts';
import { CustomToolCallWriter, FunctionCallWriter } from './call-writer.ts';
import { foreignItemOf, itemId, reasoningItem, sealedSignatureOf } from './encode-response.ts';
import { ForeignItemWriter } from './foreign-items.ts';
import type { BlockWriter, ItemPosition, ItemSink } from './item-sink.ts';
import { MessageWriter } from './message-writer.ts';
import type { NamespacedToolUse } from './namespaces.ts';
import { reasoningItemIdOf, unwrapReasoningItem } from './reasoning.ts';
import { ReasoningWriter } from './reasoning-writer.ts';

interface ItemWriterParts {
  readonly answerId: string;
  readonly clientBody: JsonObject;
  /** Names of free-text tools. */
  readonly freeTextTools: ReadonlySet<string>;
  /** Restores a call's namespace. */
  readonly addNamespace: (use: ToolUseBlock) => NamespacedToolUse;
  /** Whether the client requested encrypted reasoning, which the provider needs under its original id. */
  readonly encryptsReasoning: boolean;
  readonly emit: ItemSink['emit'];
}

/** Writes blocks as items: consecutive texts are one message, everything else is its own item. */
export class ItemWriter implements ItemSink {
  readonly #parts: ItemWriterParts;
  readonly #items: (JsonObject | undefined)[] = [];
  readonly #openBlocks = new Map<number, BlockWriter>();
  #message: MessageWriter | undefined;
  /** Finished reasoning, unless the next block has its encrypted half. */
  #pendingReasoning: ReasoningWriter | undefined;

  constructor(itemWriterParts: ItemWriterParts) {
    this.#parts = itemWriterParts;
  }

  /** The completed items. */
  get output(): readonly JsonObject[] {
    return this.#items.filter((item) => item !== undefined);
  }

  start(index: number, block: Block): void {
    if (block.type !== 'redacted_thinking') this.#finishReasoning();
    if (block.type !== 'text') this.#finishMessage();
    switch (block.type) {
      case 'text':
        if (block.phase !== this.#message?.phase) this.#finishMessage();
        this.#message ??= new MessageWriter(this, block.phase);
        this.#openBlocks.set(index, this.#message.openText(block));
        return;
      case 'thinking':
        this.#openBlocks.set(index, this.#openReasoning(block));
        return;
      case 'redacted_thinking':
        this.#writeRedacted(block.data);
        return;
      case 'tool_use':
        this.#openBlocks.set(
          index,
          this.#parts.freeTextTools.has(block.name)
            ? new CustomToolCallWriter(this, this.#parts.addNamespace(block))
            : new FunctionCallWriter(this, this.#parts.addNamespace(block)),
        );
        return;
      default: {
        const item = foreignItemOf(block);
        if (item !== undefined)
          this.#openBlocks.set(index, new ForeignItemWriter(this, item, this.#parts.clientBody));
      }
    }
  }

  append(index: number, delta: Delta): void {
    this.#openBlocks.get(index)?.append(delta);
  }

  stop(index: number): void {
    this.#openBlocks.get(index)?.stop();
    this.#openBlocks.delete(index);
  }

  /** Closes what is open; adds the refusal text if none was written. */
  close(refusal: string | undefined): void {
    for (const index of [...this.#openBlocks.keys()]) this.stop(index);
    this.#finishReasoning();
    if (refusal !== undefined && this.#message === undefined) {
      this.#message = new MessageWriter(this);
      this.#message.openText({ type: 'text', text: refusal, refusal: true }).stop();
    }
    this.#finishMessage();
  }

  emit(type: string, fields: JsonObject): void {
    this.#parts.emit(type, fields);
  }

  openItem(prefix: string, itemFor: (id: string) => JsonObject, ownId?: string): ItemPosition {
    const output_index = this.#items.push(undefined) - 1;
    const item_id = ownId ?? itemId(prefix, this.#parts.answerId, output_index);
    this.emit('response.output_item.added', { output_index, item: itemFor(item_id) });
    return { item_id, output_index };
  }

  completeItem({ output_index }: ItemPosition, item: JsonObject): void {
    this.#items[output_index] = item;
    this.emit('response.output_item.done', { output_index, item });
  }

  #finishMessage(): void {
    this.#message?.finish();
    this.#message = undefined;
  }

  #openReasoning(block: ThinkingBlock): BlockWriter {
    const writer = new ReasoningWriter(
      this,
      this.#parts.encryptsReasoning ? reasoningItemIdOf(block) : undefined,
    );
    writer.append({ type: 'thinking_delta', thinking: block.thinking });
    const stop = () => {
      this.#pendingReasoning = writer;
      if (writer.signature !== '') this.#finishReasoning(sealedSignatureOf(writer.signature));
    };
    return { append: (delta) => writer.append(delta), stop };
  }

  #finishReasoning(encrypted = sealedSignatureOf()): void {
    this.#pendingReasoning?.finish(encrypted);
    this.#pendingReasoning = undefined;
  }

  #writeRedacted(data: string): void {
    const item = unwrapReasoningItem(data);
    const own = stringOf(item?.encrypted_content);
    const encrypted = own ?? wrapOpaque('redacted', data);
    if (this.#pendingReasoning !== undefined && own !== undefined) {
      this.#finishReasoning(encrypted);
      return;
    }
    this.#finishReasoning();
    const itemPosition = this.openItem('rs', (id) => reasoningItem(id, '', undefined), stringOf(item?.id));
    this.completeItem(itemPosition, reasoningItem(itemPosition.item_id, '', encrypted));
  }
}
