import type { Delta } from '../../kernel/message.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { toolInputOf } from '../tool-input.ts';
import { argumentsOf } from './encode-items.ts';
import { toolCallItem } from './encode-response.ts';
import type { BlockWriter, ItemPosition, ItemSink } from './item-sink.ts';
import type { NamespacedToolUse } from './namespaces.ts';

/** Writes a function call piece by piece. */
export class FunctionCallWriter implements BlockWriter {
  readonly #sink: ItemSink;
  readonly #use: NamespacedToolUse;
  readonly #position: ItemPosition;
  #json = '';

  constructor(itemSink: ItemSink, use: NamespacedToolUse) {
    this.#sink = itemSink;
    this.#use = use;
    this.#position = itemSink.openItem('fc', (id) => ({
      ...toolCallItem(id, { ...use, input: '' }),
      status: 'in_progress',
    }));
  }

  append(delta: Delta): void {
    if (delta.type !== 'input_json_delta' || delta.partial_json === '') return;
    this.#json += delta.partial_json;
    this.#sink.emit('response.function_call_arguments.delta', {
      ...this.#position,
      delta: delta.partial_json,
    });
  }

  /** Arguments must be valid JSON in the end, also for a tool without any. */
  stop(): void {
    if (this.#json === '') this.append({ type: 'input_json_delta', partial_json: argumentsOf(this.#use) });
    const { name } = this.#use;
    this.#sink.emit('response.function_call_arguments.done', {
      ...this.#position,
      name,
      arguments: this.#json,
    });
    this.#sink.completeItem(
      this.#position,
      toolCallItem(this.#position.item_id, { ...this.#use, input: this.#json }),
    );
  }
}

/** Writes a free-text tool call, which can only be unwrapped when complete. */
export class CustomToolCallWriter implements BlockWriter {
  readonly #sink: ItemSink;
  readonly #use: NamespacedToolUse;
  readonly #position: ItemPosition;
  #json = '';

  constructor(itemSink: ItemSink, use: NamespacedToolUse) {
    this.#sink = itemSink;
    this.#use = use;
    this.#position = itemSink.openItem('ctc', (id) => ({
      ...toolCallItem(id, { ...use, input: { input: '' } }, true),
      status: 'in_progress',
    }));
  }

  append(delta: Delta): void {
    if (delta.type === 'input_json_delta') this.#json += delta.partial_json;
  }

  stop(): void {
    const use = { ...this.#use, input: this.#json === '' ? this.#use.input : toolInputOf(this.#json) };
    const input = freeTextOf(use);
    this.#sink.emit('response.custom_tool_call_input.delta', { ...this.#position, delta: input });
    this.#sink.emit('response.custom_tool_call_input.done', { ...this.#position, input });
    this.#sink.completeItem(this.#position, toolCallItem(this.#position.item_id, use, true));
  }
}
