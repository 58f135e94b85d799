import type { RelayForm } from '../kernel/relay.ts';
import type { JsonObject } from '../lib/json.ts';
import { type FormField, FormScanner } from './form-scanner.ts';
import type { FormSpool } from './form-spools.ts';
import { limits } from './limits.ts';

/** A streamed form that was read up to its field `model` at least. */
export interface FormUpload extends RelayForm {
  /** Empty if the form has no such field. */
  readonly model: string;
  /** All bytes of the form with these texts in place of its own. */
  chunks(changes: JsonObject): AsyncIterable<Uint8Array>;
  /** How many bytes the other texts add. */
  addedBytes(changes: JsonObject): number;
}

type FormBytes = AsyncIterable<Buffer> & Pick<AsyncIterator<Buffer>, 'next'>;

interface FormPlaces {
  readonly spool: Pick<FormSpool, 'write' | 'chunks' | 'close'>;
  /** Rejects a form that may not be kept on disk. */
  readonly beforeSpooling: () => Promise<void>;
}

/**
 * Reads a form up to its field `model`, wherever that stands: what comes before is kept in memory, and beyond a limit on disk. The
 * rest is read as it is sent on, and must not have another such field.
 */
export async function readFormModel(
  body: FormBytes,
  contentType: string,
  { spool, beforeSpooling }: FormPlaces,
): Promise<FormUpload> {
  const scanner = new FormScanner(contentType);
  const held: Buffer[] = [];
  let heldBytes = 0;
  const receive = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) {
      const step = await body.next();
      if (step.done === true) break;
      scanner.push(step.value);
      const before = heldBytes;
      heldBytes += step.value.byteLength;
      if (heldBytes <= limits.formBytesHeldMax) held.push(step.value);
      else {
        if (before <= limits.formBytesHeldMax) await beforeSpooling();
        await spool.write(step.value);
      }
    }
  };
  await receive(() => scanner.model !== undefined);
  return {
    model: scanner.model?.value ?? '',
    complete: () => receive(() => false),
    get texts() {
      return textsOf(scanner.fields);
    },
    get files() {
      return scanner.files;
    },
    addedBytes: (changes) =>
      replacementsOf(scanner.fields, changes).reduce(
        (sum, { start, end, value }) => sum + value.byteLength - (end - start),
        0,
      ),
    async *chunks(changes) {
      const replacements = new Replacements(replacementsOf(scanner.fields, changes));
      for (const chunk of held.splice(0)) yield* replacements.in(chunk);
      for await (const chunk of spool.chunks()) yield* replacements.in(chunk);
      await spool.close();
      for await (const chunk of body) {
        scanner.push(chunk);
        yield chunk;
      }
    },
  };
}

function textsOf(fields: readonly FormField[]): RelayForm['texts'] {
  const texts: [string, string | readonly string[]][] = [];
  for (const [name, own] of Map.groupBy(fields, (field) => field.name)) {
    const values = own.map(({ value }) => value);
    const [first = ''] = values;
    texts.push([name, values.length === 1 ? first : values]);
  }
  return Object.fromEntries(texts);
}

/** The texts that differ, in the order of the form. */
function replacementsOf(fields: readonly FormField[], changes: JsonObject): readonly ReplacedRange[] {
  const counts = new Map<string, number>();
  const replaced: ReplacedRange[] = [];
  for (const { name, value, start, end } of fields) {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (!Object.hasOwn(changes, name)) continue;
    const change = changes[name];
    const text: unknown = Array.isArray(change) ? change[count] : change;
    if (typeof text === 'string' && text !== value) replaced.push({ start, end, value: Buffer.from(text) });
  }
  return replaced;
}

interface ReplacedRange {
  readonly start: number;
  readonly end: number;
  readonly value: Uint8Array;
}

/** Replaces ranges of bytes in a list of chunks, which may be cut anywhere. */
class Replacements {
  readonly #ranges: readonly ReplacedRange[];
  /** The range that comes next or that the position is in. */
  #next = 0;
  #position = 0;
  #isWritten = false;

  constructor(ranges: readonly ReplacedRange[]) {
    this.#ranges = ranges;
  }

  *in(chunk: Buffer): Generator<Uint8Array> {
    const chunkStart = this.#position;
    const chunkEnd = chunkStart + chunk.byteLength;
    for (let range = this.#ranges[this.#next]; range !== undefined; range = this.#ranges[this.#next]) {
      const { start, end, value } = range;
      if (start > chunkEnd) break;
      if (!this.#isWritten) {
        if (start > this.#position) yield chunk.subarray(this.#position - chunkStart, start - chunkStart);
        if (start === chunkEnd && end > start) {
          this.#position = chunkEnd;
          return;
        }
        this.#isWritten = true;
        yield value;
      }
      this.#position = Math.min(Math.max(end, this.#position), chunkEnd);
      if (end > chunkEnd) return;
      this.#next += 1;
      this.#isWritten = false;
    }
    if (this.#position < chunkEnd) yield chunk.subarray(this.#position - chunkStart);
    this.#position = chunkEnd;
  }
}
