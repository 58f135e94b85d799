import type { Delta } from '../../kernel/message.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { argumentsOf } from './encode-items.ts';
import type { NamedUse } from './namespaces.ts';
import type { OpenBlock, Place, Stage } from './stage.ts';
import { callItem } from './write-response.ts';

/** Writes a call of a function, piece by piece. */
export class CallWriter implements OpenBlock {
  readonly #stage: Stage;
  readonly #use: NamedUse;
  readonly #place: Place;
  #json = '';

  constructor(stage: Stage, use: NamedUse) {
    this.#stage = stage;
    this.#use = use;
    this.#place = stage.open('fc', (id) => ({
      ...callItem(id, { ...use, input: '' }),
      status: 'in_progress',
    }));
  }

  grow(delta: Delta): void {
    if (delta.type !== 'input_json_delta' || delta.partial_json === '') return;
    this.#json += delta.partial_json;
    this.#stage.emit('response.function_call_arguments.delta', { ...this.#place, delta: delta.partial_json });
  }

  /** Arguments must be JSON in the end, also of a tool that takes none. */
  stop(): void {
    if (this.#json === '') this.grow({ type: 'input_json_delta', partial_json: argumentsOf(this.#use) });
    const { name } = this.#use;
    this.#stage.emit('response.function_call_arguments.done', {
      ...this.#place,
      name,
      arguments: this.#json,
    });
    this.#stage.done(this.#place, callItem(this.#place.item_id, { ...this.#use, input: this.#json }));
  }
}

/** Writes a call of a tool that takes free text, which is known only once its wrapping is complete. */
export class FreeTextCallWriter implements OpenBlock {
  readonly #stage: Stage;
  readonly #use: NamedUse;
  readonly #place: Place;
  #json = '';

  constructor(stage: Stage, use: NamedUse) {
    this.#stage = stage;
    this.#use = use;
    this.#place = stage.open('ctc', (id) => ({
      ...callItem(id, { ...use, input: { input: '' } }, true),
      status: 'in_progress',
    }));
  }

  grow(delta: Delta): void {
    if (delta.type === 'input_json_delta') this.#json += delta.partial_json;
  }

  stop(): void {
    const use = { ...this.#use, input: this.#json === '' ? this.#use.input : toolInputOf(this.#json) };
    const input = freeTextOf(use);
    this.#stage.emit('response.custom_tool_call_input.delta', { ...this.#place, delta: input });
    this.#stage.emit('response.custom_tool_call_input.done', { ...this.#place, input });
    this.#stage.done(this.#place, callItem(this.#place.item_id, use, true));
  }
}
