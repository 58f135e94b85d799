import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { limits } from './limits.ts';

/** A text field of a form and the position of its value. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Gets the parts of a form as they pass. */
export interface FormListener {
  /** The headers of a part. */
  onPart(head: string): void;
  onContent(bytes: Buffer): void;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Finds the text fields in a multipart form (RFC 7578) whose bytes are cut anywhere, without keeping its files. */
export class FormScanner {
  /** The text fields that have arrived. */
  readonly fields: FormField[] = [];
  /** The parts that are no text fields so far: files, and what is too long or not in UTF-8. */
  files = 0;
  /** The line break before a boundary belongs to it. */
  readonly #boundary: Buffer;
  /** `value` is the content of a text field, `content` that of a file. */
  #state: 'content' | 'value' | 'line' | 'head' | 'end' = 'content';
  /** Bytes that are not scanned yet, and the position of the first of them in the form. */
  #rest: Buffer;
  #position: number;
  #name = '';
  #valueStart = 0;
  #textBytes = 0;
  readonly #listener: FormListener | undefined;
  /** Bytes in front of the content: of the preamble, or the line break after the head of a part. */
  #silentBytes = Number.POSITIVE_INFINITY;

  constructor(contentType: string, listener?: FormListener) {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined)
      throw new GatewayError(
        'unsupported_media_type',
        'unsupported content-type; send multipart/form-data with a boundary',
      );
    this.#listener = listener;
    this.#boundary = Buffer.from(`\r\n--${boundary}`, 'latin1');
    // The first boundary has no line break before it.
    this.#rest = Buffer.from('\r\n');
    this.#position = -2;
  }

  /** The field that names the model, once it has arrived. */
  get model(): FormField | undefined {
    return this.fields.find(({ name }) => name === modelField);
  }

  /** Whether the form has its end. */
  get isComplete(): boolean {
    return this.#state === 'end';
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
    const length = at < 0 ? Math.max(0, this.#rest.byteLength - this.#boundary.byteLength + 1) : at;
    this.#report(length);
    if (at < 0) this.#take(length);
    else this.#startBoundaryLine(at);
    return at >= 0;
  }

  #report(length: number): void {
    const silent = Math.min(length, this.#silentBytes);
    this.#silentBytes -= silent;
    if (length > silent) this.#listener?.onContent(this.#rest.subarray(silent, length));
  }

  #readValue(): boolean {
    const at = this.#rest.indexOf(this.#boundary);
    const length = at < 0 ? this.#rest.byteLength - this.#boundary.byteLength : at;
    const isModel = this.#name === modelField;
    if (isModel && length > kernelLimits.modelNameMax * 4)
      throw new GatewayError('invalid_request', '"model" is too long', { param: modelField });
    if (this.#textBytes + length > limits.formTextBytesMax) {
      this.#startFile();
      return true;
    }
    if (at < 0) return false;
    if (isModel && this.model !== undefined)
      throw new GatewayError('invalid_request', 'the form has two fields "model"; send one', {
        param: modelField,
      });
    this.#addField(at);
    this.#startBoundaryLine(at);
    return true;
  }

  #addField(length: number): void {
    const bytes = this.#rest.subarray(0, length);
    this.#report(length);
    if (!isUtf8(bytes)) {
      this.files += 1;
      return;
    }
    if (this.fields.length >= limits.formFieldsMax)
      throw new GatewayError('invalid_request', `the form has more than ${limits.formFieldsMax} fields`);
    this.#textBytes += length;
    const [name, start] = [this.#name, this.#valueStart];
    this.fields.push({ name, value: bytes.toString('utf8'), start, end: start + length });
  }

  #startFile(): void {
    this.files += 1;
    this.#state = 'content';
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
    const head = this.#rest.toString('utf8', 0, at);
    // The line break after the head may be the one before a boundary.
    this.#take(at + 2);
    this.#name = fieldNameOf(head) ?? '';
    this.#listener?.onPart(head);
    this.#silentBytes = 2;
    if (isFile(head) && this.#name !== modelField) {
      this.#startFile();
      return true;
    }
    this.#take(2);
    this.#silentBytes = 0;
    this.#valueStart = this.#position;
    this.#state = 'value';
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

/** The name of the file in the headers of a part. */
export function fileNameOf(head: string): string | undefined {
  const [, name] = /;\s*filename="([^"]{1,255})"/i.exec(head) ?? [];
  return name;
}

/** The name in `content-disposition: form-data; name="model"`. */
export function fieldNameOf(head: string): string | undefined {
  for (const line of head.split('\r\n')) {
    if (!/^content-disposition:/i.test(line)) continue;
    const [, quoted, bare] = /[;\s]name=(?:"([^"]*)"|([^;\s"]+))/i.exec(line) ?? [];
    return quoted ?? bare;
  }
  return undefined;
}

/** Also a part whose bytes stand for others. */
function isFile(head: string): boolean {
  return head
    .split('\r\n')
    .some(
      (line) =>
        (/^content-disposition:/i.test(line) && /[;\s]filename\*?=/i.test(line)) ||
        /^content-transfer-encoding:\s*(?:base64|quoted-printable)/i.test(line),
    );
}

const modelField = 'model';

function malformedFormError(): GatewayError {
  return new GatewayError('invalid_request', 'the body is not a valid multipart form');
}
