import { hash } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { limits } from '../limits.ts';

/** A call in a line of a file. */
export interface CallLine {
  readonly customId: string;
  readonly path: string;
  readonly model: string;
  /** As it was sent. */
  readonly body: Buffer;
}

/** Reads a line in OpenAI's form. Throws if it is no call that can be made by itself. */
export function readCallLine(line: Buffer): CallLine {
  const fields = LazyJsonObject.of(line);
  const customId = fields.get('custom_id');
  if (typeof customId !== 'string' || customId === '' || customId.length > limits.customIdCharactersMax)
    throw lineFault(`"custom_id" must be a text of up to ${limits.customIdCharactersMax} characters`);
  if ((fields.get('method') ?? 'POST') !== 'POST') throw lineFault('"method" must be POST');
  const path = fields.get('url');
  if (typeof path !== 'string') throw lineFault('"url" is missing');
  const body = fields.bytesOf('body');
  if (body?.[0] !== openingBrace) throw lineFault('"body" must be an object');
  const request = LazyJsonObject.of(body);
  const model = request.get('model');
  if (typeof model !== 'string') throw lineFault('"body" names no model');
  for (const name of ['stream', 'background'])
    if (request.get(name) === true) throw lineFault(`"${name}" is not possible in a batch`);
  return { customId, path, model, body };
}

const openingBrace = 0x7b;

function lineFault(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}

/** What all lines of a file have in common. Throws at the first line that does not fit. */
export class CallLineChecker {
  readonly #hasPath: (path: string) => boolean;
  readonly #models = new Set<string>();
  readonly #ids = new Set<string>();
  #path: string | undefined;

  constructor(hasPath: (path: string) => boolean) {
    this.#hasPath = hasPath;
  }

  get calls(): number {
    return this.#ids.size;
  }

  get callPath(): string {
    return this.#path ?? '';
  }

  get models(): readonly string[] {
    return [...this.#models];
  }

  add(line: Buffer): void {
    const number = this.calls + 1;
    try {
      this.#check(readCallLine(line));
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
      throw new GatewayError('invalid_request', `call ${number} of the file: ${error.message}`, {
        cause: error,
      });
    }
  }

  #check({ customId, path, model }: CallLine): void {
    if (!this.#hasPath(path)) throw lineFault(`calls to "${path.slice(0, 100)}" can't be in a batch`);
    this.#path ??= path;
    if (path !== this.#path) throw lineFault('all lines must have the same "url"');
    const id = hash('sha1', customId, 'base64');
    if (this.#ids.has(id)) throw lineFault('another line has the same "custom_id"');
    this.#ids.add(id);
    if (this.#ids.size > limits.batchCallsMax)
      throw lineFault(`a file has at most ${limits.batchCallsMax} calls`);
    this.#models.add(model);
    if (this.#models.size > limits.batchModelsMax)
      throw lineFault(`the calls of a file name at most ${limits.batchModelsMax} models`);
  }
}
