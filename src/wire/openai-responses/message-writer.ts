import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Delta, TextBlock } from '../../kernel/message.ts';
import { objectsOf } from '../read.ts';
import { annotationOf, ownAnnotation } from './annotations.ts';
import type { OpenBlock, Place, Stage } from './stage.ts';
import { messageItem } from './write-response.ts';

/** Writes texts as the parts of one message. */
export class MessageWriter {
  readonly #stage: Stage;
  readonly #place: Place;
  readonly #parts: JsonObject[] = [];
  readonly phase: string | undefined;

  constructor(stage: Stage, phase?: string) {
    this.#stage = stage;
    this.phase = phase;
    this.#place = stage.open('msg', (id) => ({ ...messageItem(id, [], phase), status: 'in_progress' }));
  }

  text(block: TextBlock): OpenBlock {
    const place = { ...this.#place, content_index: this.#parts.length };
    const done = (part: JsonObject) => this.#parts.push(part);
    const Writer = block.refusal === true ? RefusalWriter : TextWriter;
    const writer = new Writer(this.#stage, place, done);
    writer.start(block);
    return writer;
  }

  finish(): void {
    this.#stage.done(this.#place, messageItem(this.#place.item_id, this.#parts, this.phase));
  }
}

interface PartPlace extends Place {
  readonly content_index: number;
}

class TextWriter implements OpenBlock {
  readonly #stage: Stage;
  readonly #place: PartPlace;
  readonly #done: (part: JsonObject) => void;
  /** Those that stand for the whole text. */
  readonly #citations: JsonObject[] = [];
  readonly #annotations: JsonObject[] = [];
  #text = '';

  constructor(stage: Stage, place: PartPlace, done: (part: JsonObject) => void) {
    this.#stage = stage;
    this.#place = place;
    this.#done = done;
  }

  start(block: TextBlock): void {
    this.#stage.emit('response.content_part.added', { ...this.#place, part: outputText('', []) });
    this.grow({ type: 'text_delta', text: block.text });
    if ('citations' in block) for (const citation of objectsOf(block.citations)) this.#cite(citation);
  }

  grow(delta: Delta): void {
    if (delta.type === 'citations_delta' && isJsonObject(delta.citation)) this.#cite(delta.citation);
    if (delta.type !== 'text_delta' || delta.text === '') return;
    this.#text += delta.text;
    this.#stage.emit('response.output_text.delta', { ...this.#place, delta: delta.text, logprobs: [] });
  }

  stop(): void {
    for (const citation of this.#citations)
      for (const annotation of annotationOf(citation, this.#text.length)) this.#annotate(annotation);
    const part = outputText(this.#text, this.#annotations);
    this.#stage.emit('response.output_text.done', { ...this.#place, text: this.#text, logprobs: [] });
    this.#stage.emit('response.content_part.done', { ...this.#place, part });
    this.#done(part);
  }

  #cite(citation: JsonObject): void {
    const own = ownAnnotation(citation);
    if (own === undefined) this.#citations.push(citation);
    else this.#annotate(own);
  }

  #annotate(annotation: JsonObject): void {
    const annotation_index = this.#annotations.push(annotation) - 1;
    this.#stage.emit('response.output_text.annotation.added', {
      ...this.#place,
      annotation_index,
      annotation,
    });
  }
}

class RefusalWriter implements OpenBlock {
  readonly #stage: Stage;
  readonly #place: PartPlace;
  readonly #done: (part: JsonObject) => void;
  #refusal = '';

  constructor(stage: Stage, place: PartPlace, done: (part: JsonObject) => void) {
    this.#stage = stage;
    this.#place = place;
    this.#done = done;
  }

  start({ text }: TextBlock): void {
    const part = { type: 'refusal', refusal: '' };
    this.#stage.emit('response.content_part.added', { ...this.#place, part });
    this.grow({ type: 'text_delta', text });
  }

  grow(delta: Delta): void {
    if (delta.type !== 'text_delta' || delta.text === '') return;
    this.#refusal += delta.text;
    this.#stage.emit('response.refusal.delta', { ...this.#place, delta: delta.text });
  }

  stop(): void {
    const part = { type: 'refusal', refusal: this.#refusal };
    this.#stage.emit('response.refusal.done', { ...this.#place, refusal: this.#refusal });
    this.#stage.emit('response.content_part.done', { ...this.#place, part });
    this.#done(part);
  }
}

function outputText(text: string, annotations: readonly JsonObject[]): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] };
}
