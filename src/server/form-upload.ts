import type { BodyStream } from './body-stream.ts';
import { FormScanner } from './form-scanner.ts';
import type { FormSpool } from './form-spools.ts';
import { limits } from './limits.ts';

/** A streamed form that was read up to its field `model`. */
export interface FormUpload {
  /** Empty if the form has no such field. */
  readonly model: string;
  /** All bytes of the form, with another name of the model in it. */
  chunks(model: string): AsyncIterable<Uint8Array>;
  /** How many bytes another name adds. */
  addedBytes(model: string): number;
}

/**
 * Reads a form up to its field `model`, wherever that stands: what comes before is kept in memory, and beyond a limit on disk. The
 * rest is read as it is sent on, and must not have another such field.
 */
export async function readFormModel(
  body: BodyStream,
  contentType: string,
  spool: FormSpool,
): Promise<FormUpload> {
  const scanner = new FormScanner('model', contentType);
  const held: Buffer[] = [];
  let heldBytes = 0;
  while (scanner.field === undefined) {
    const step = await body.next();
    if (step.done === true) break;
    scanner.push(step.value);
    heldBytes += step.value.byteLength;
    if (heldBytes <= limits.formBytesHeldMax) held.push(step.value);
    else await spool.write(step.value);
  }
  const { value = '', start = 0, end = 0 } = scanner.field ?? {};
  return {
    model: value,
    addedBytes: (model) => Buffer.byteLength(model) - (end - start),
    async *chunks(model) {
      const replacement = new Replacement({ start, end, value: Buffer.from(model) });
      for (const chunk of held.splice(0)) yield* replacement.in(chunk);
      for await (const chunk of spool.chunks()) yield* replacement.in(chunk);
      await spool.close();
      for await (const chunk of body) {
        scanner.push(chunk);
        yield chunk;
      }
    },
  };
}

interface ReplacedRange {
  readonly start: number;
  readonly end: number;
  readonly value: Uint8Array;
}

/** Replaces a range of bytes in a list of chunks, which may be cut anywhere. */
class Replacement {
  readonly #range: ReplacedRange;
  #position = 0;
  #isWritten = false;

  constructor(replacedRange: ReplacedRange) {
    this.#range = replacedRange;
  }

  *in(chunk: Buffer): Generator<Uint8Array> {
    const { start, end, value } = this.#range;
    const from = this.#position;
    this.#position += chunk.byteLength;
    if (from < start) yield chunk.subarray(0, start - from);
    if (this.#position < start) return;
    if (!this.#isWritten) {
      this.#isWritten = true;
      yield value;
    }
    if (this.#position > end) yield chunk.subarray(Math.max(0, end - from));
  }
}
