import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { limits } from './limits.ts';

/** The value of a form field and its position in the form. */
export interface FormField {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Finds one text field in a multipart form (RFC 7578) whose bytes are cut anywhere, without keeping the other fields. */
export class FormScanner {
  /** The field, once it has arrived. */
  field: FormField | undefined;
  readonly #name: string;
  /** The line break before a boundary belongs to it. */
  readonly #boundary: Buffer;
  /** `value` is the content of the wanted field, `content` that of any other. */
  #state: 'content' | 'value' | 'line' | 'head' | 'end' = 'content';
  /** Bytes that are not scanned yet, and the position of the first of them in the form. */
  #rest: Buffer;
  #position: number;
  #valueStart = 0;

  constructor(name: string, contentType: string) {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined)
      throw new GatewayError(
        'unsupported_media_type',
        'unsupported content-type; send multipart/form-data with a boundary',
      );
    this.#name = name;
    this.#boundary = Buffer.from(`\r\n--${boundary}`, 'latin1');
    // The first boundary has no line break before it.
    this.#rest = Buffer.from('\r\n');
    this.#position = -2;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#step());
  }

  /** Returns whether there may be more to scan. */
  #step(): boolean {
    switch (this.#state) {
      case 'content':
        return this.#skipContent();
      case 'value':
        return this.#readValue();
      case 'line':
        return this.#readBoundaryLine();
      case 'head':
        return this.#readHead();
      case 'end':
        this.#take(this.#rest.byteLength);
        return false;
    }
  }

  #skipContent(): boolean {
    const at = this.#rest.indexOf(this.#boundary);
    // The end may be the start of a boundary.
    if (at < 0) this.#take(Math.max(0, this.#rest.byteLength - this.#boundary.byteLength + 1));
    else this.#startBoundaryLine(at);
    return at >= 0;
  }

  #readValue(): boolean {
    const at = this.#rest.indexOf(this.#boundary);
    const length = at < 0 ? this.#rest.byteLength - this.#boundary.byteLength : at;
    if (length > kernelLimits.modelNameMax * 4)
      throw new GatewayError('invalid_request', `"${this.#name}" is too long`, { param: this.#name });
    if (at < 0) return false;
    if (this.field !== undefined)
      throw new GatewayError('invalid_request', `the form has two fields "${this.#name}"; send one`, {
        param: this.#name,
      });
    this.field = {
      value: this.#rest.toString('utf8', 0, at),
      start: this.#valueStart,
      end: this.#valueStart + at,
    };
    this.#startBoundaryLine(at);
    return true;
  }

  #startBoundaryLine(at: number): void {
    this.#take(at + this.#boundary.byteLength);
    this.#state = 'line';
  }

  #readBoundaryLine(): boolean {
    if (this.#rest.byteLength < 2) return false;
    const mark = this.#rest.toString('latin1', 0, 2);
    if (mark !== '\r\n' && mark !== '--') throw malformedFormError();
    // A part without headers starts with the empty line.
    if (mark === '--') this.#take(2);
    this.#state = mark === '--' ? 'end' : 'head';
    return true;
  }

  #readHead(): boolean {
    const at = this.#rest.indexOf(headEnd);
    if ((at < 0 ? this.#rest.byteLength : at) > limits.formPartHeadBytesMax) throw malformedFormError();
    if (at < 0) return false;
    const isWanted = fieldNameOf(this.#rest.toString('latin1', 0, at)) === this.#name;
    // The line break after the head may be the one before a boundary.
    this.#take(at + 2);
    if (isWanted) {
      this.#take(2);
      this.#valueStart = this.#position;
    }
    this.#state = isWanted ? 'value' : 'content';
    return true;
  }

  #take(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes);
    this.#position += bytes;
  }
}

function boundaryOf(contentType: string): string | undefined {
  const [type, ...parameters] = contentType.split(';');
  if (type?.trim().toLowerCase() !== 'multipart/form-data') return undefined;
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.trim().split('=', 2);
    if (name?.toLowerCase() !== 'boundary') continue;
    const text = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
    return /^[\w'()+,./:=? -]{1,70}$/.test(text) ? text : undefined;
  }
  return undefined;
}

/** The name in `content-disposition: form-data; name="model"`. */
function fieldNameOf(head: string): string | undefined {
  for (const line of head.split('\r\n')) {
    if (!/^content-disposition:/i.test(line)) continue;
    const [, quoted, bare] = /[;\s]name=(?:"([^"]*)"|([^;\s"]+))/i.exec(line) ?? [];
    return quoted ?? bare;
  }
  return undefined;
}

function malformedFormError(): GatewayError {
  return new GatewayError('invalid_request', 'the body is not a valid multipart form');
}
