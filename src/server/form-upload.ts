import { GatewayError } from '../kernel/errors.ts';
import type { BodyStream } from './body-stream.ts';
import { FormScanner } from './form-scanner.ts';
import { limits } from './limits.ts';

/** A streamed form whose beginning was read. */
export interface FormUpload {
  /** Empty if the form has no such field. */
  readonly model: string;
  /** All bytes of the form, with another name of the model in it. */
  chunks(model: string): AsyncIterable<Uint8Array>;
  /** How many bytes another name adds. */
  addedBytes(model: string): number;
}

/** Reads a form up to its field `model`. The rest is read as it is sent on, and must not have another such field. */
export async function readFormModel(body: BodyStream, contentType: string): Promise<FormUpload> {
  const scanner = new FormScanner('model', contentType);
  const held: Buffer[] = [];
  let heldBytes = 0;
  while (scanner.field === undefined) {
    const step = await body.next();
    if (step.done === true) break;
    held.push(step.value);
    heldBytes += step.value.byteLength;
    scanner.push(step.value);
    if (scanner.field === undefined && heldBytes > limits.formBytesHeldMax)
      throw new GatewayError(
        'invalid_request',
        `"model" must be among the first ${limits.formBytesHeldMax} bytes of the form; put it before the file`,
        { param: 'model' },
      );
  }
  const { value = '', start = 0, end = 0 } = scanner.field ?? {};
  return {
    model: value,
    addedBytes: (model) => Buffer.byteLength(model) - (end - start),
    async *chunks(model) {
      const beginning = Buffer.concat(held.splice(0));
      yield beginning.subarray(0, start);
      yield Buffer.from(model);
      yield beginning.subarray(end);
      for await (const chunk of body) {
        scanner.push(chunk);
        yield chunk;
      }
    },
  };
}
