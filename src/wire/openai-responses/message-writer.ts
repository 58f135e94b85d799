import type { Delta, TextBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf } from '../json-values.ts';
import { annotationOf, foreignAnnotationOf } from './annotations.ts';
import { messageItem } from './encode-response.ts';
import type { BlockWriter, ItemPosition, ItemSink } from './item-sink.ts';

/** Writes texts as parts of one message. */
export class MessageWriter {
  readonly #sink: ItemSink;
  readonly #position: ItemPosition;
  readonly #parts: JsonObject[] = [];
  readonly phase: string | undefined;

  constructor(itemSink: ItemSink, phase?: string) {
    this.#sink = itemSink;
    this.phase = phase;
    this.#position = itemSink.openItem('msg', (id) => ({
      ...messageItem(id, [], phase),
      status: 'in_progress',
    }));
  }

  openText(block: TextBlock): BlockWriter {
    const position = { ...this.#position, content_index: this.#parts.length };
    const done = (part: JsonObject) => this.#parts.push(part);
    const Writer = block.refusal === true ? RefusalWriter : TextWriter;
    const writer = new Writer(this.#sink, position, done);
    writer.start(block);
    return writer;
  }

  finish(): void {
    this.#sink.completeItem(this.#position, messageItem(this.#position.item_id, this.#parts, this.phase));
  }
}

interface PartPosition extends ItemPosition {
  readonly content_index: number;
}

class TextWriter implements BlockWriter {
  readonly #sink: ItemSink;
  readonly #position: PartPosition;
  readonly #onDone: (part: JsonObject) => void;
  /** Citations of the whole text. */
  readonly #citations: JsonObject[] = [];
  readonly #annotations: JsonObject[] = [];
  #text = '';

  constructor(itemSink: ItemSink, position: PartPosition, done: (part: JsonObject) => void) {
    this.#sink = itemSink;
    this.#position = position;
    this.#onDone = done;
  }

  start(block: TextBlock): void {
    this.#sink.emit('response.content_part.added', { ...this.#position, part: outputText('', []) });
    this.append({ type: 'text_delta', text: block.text });
    if ('citations' in block) for (const citation of objectsOf(block.citations)) this.#cite(citation);
  }

  append(delta: Delta): void {
    if (delta.type === 'citations_delta' && isJsonObject(delta.citation)) this.#cite(delta.citation);
    if (delta.type !== 'text_delta' || delta.text === '') return;
    this.#text += delta.text;
    this.#sink.emit('response.output_text.delta', { ...this.#position, delta: delta.text, logprobs: [] });
  }

  stop(): void {
    for (const citation of this.#citations)
      for (const annotation of annotationOf(citation, this.#text.length)) this.#annotate(annotation);
    const part = outputText(this.#text, this.#annotations);
    this.#sink.emit('response.output_text.done', { ...this.#position, text: this.#text, logprobs: [] });
    this.#sink.emit('response.content_part.done', { ...this.#position, part });
    this.#onDone(part);
  }

  #cite(citation: JsonObject): void {
    const own = foreignAnnotationOf(citation);
    if (own === undefined) this.#citations.push(citation);
    else this.#annotate(own);
  }

  #annotate(annotation: JsonObject): void {
    const annotation_index = this.#annotations.push(annotation) - 1;
    this.#sink.emit('response.output_text.annotation.added', {
      ...this.#position,
      annotation_index,
      annotation,
    });
  }
}

class RefusalWriter implements BlockWriter {
  readonly #sink: ItemSink;
  readonly #position: PartPosition;
  readonly #onDone: (part: JsonObject) => void;
  #refusal = '';

  constructor(itemSink: ItemSink, position: PartPosition, done: (part: JsonObject) => void) {
    this.#sink = itemSink;
    this.#position = position;
    this.#onDone = done;
  }

  start({ text }: TextBlock): void {
    const part = { type: 'refusal', refusal: '' };
    this.#sink.emit('response.content_part.added', { ...this.#position, part });
    this.append({ type: 'text_delta', text });
  }

  append(delta: Delta): void {
    if (delta.type !== 'text_delta' || delta.text === '') return;
    this.#refusal += delta.text;
    this.#sink.emit('response.refusal.delta', { ...this.#position, delta: delta.text });
  }

  stop(): void {
    const part = { type: 'refusal', refusal: this.#refusal };
    this.#sink.emit('response.refusal.done', { ...this.#position, refusal: this.#refusal });
    this.#sink.emit('response.content_part.done', { ...this.#position, part });
    this.#onDone(part);
  }
}

function outputText(text: string, annotations: readonly JsonObject[]): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] };
}
