/** Writes messages of protocol buffers into one buffer that grows: https://protobuf.dev/programming-guides/encoding/. */
export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(bytes = 1024) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  get length(): number {
    return this.#at;
  }

  /** What was written; valid until more is written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /**
   * A message of a name (field 1) and a message with a text (field 1), if both are short: most attributes are. False if
   * nothing was written.
   */
  shortPair(field: number, name: string, text: string): boolean {
    const [ofName, ofText] = [name.length, text.length];
    if (field > 15 || ofName + ofText > shortText) return false;
    this.#reserve(ofName + ofText + 8);
    const bytes = this.#bytes;
    const start = this.#at;
    bytes[start] = field * 8 + wireTypes.bytes;
    bytes[start + 1] = ofName + ofText + 6;
    bytes[start + 2] = 0x0a;
    bytes[start + 3] = ofName;
    const end = start + ofName + 4;
    if (!isAsciiWritten(bytes, start + 4, name) || !isAsciiWritten(bytes, end + 4, text)) return false;
    bytes[end] = 0x12;
    bytes[end + 1] = ofText + 2;
    bytes[end + 2] = 0x0a;
    bytes[end + 3] = ofText;
    this.#at = end + 4 + ofText;
    return true;
  }

  /** Starts a message within the message. Returns its place for `end`. */
  begin(field: number): number {
    this.#tag(field, wireTypes.bytes);
    // Most lengths fit into a byte.
    this.#reserve(1);
    return ++this.#at;
  }

  /** Ends the message that `begin` started. */
  end(start: number): void {
    const length = this.#at - start;
    const extra = varintLength(length) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(start + extra, start, this.#at);
    }
    this.#at = start - 1;
    this.#varint(length);
    this.#at += length;
  }

  string(field: number, text: string): void {
    this.#tag(field, wireTypes.bytes);
    const { length } = text;
    this.#reserve(length * 3 + 5);
    if (length < shortText && isAsciiWritten(this.#bytes, this.#at + 1, text)) {
      this.#bytes[this.#at] = length;
      this.#at += length + 1;
      return;
    }
    const start = this.#at + varintLength(length * 3);
    const written = this.#bytes.write(text, start, 'utf8');
    this.#varint(written);
    if (this.#at < start) this.#bytes.copyWithin(this.#at, start, start + written);
    this.#at += written;
  }

  /** Hexadecimal digits as bytes. */
  hex(field: number, digits: string): void {
    this.#tag(field, wireTypes.bytes);
    const length = digits.length / 2;
    this.#varint(length);
    this.#reserve(length);
    for (let at = 0; at < digits.length; at += 2)
      this.#bytes[this.#at++] = (digitOf(digits, at) << 4) | digitOf(digits, at + 1);
  }

  /** Not negative, and at most 2 ** 53. */
  uint(field: number, value: number): void {
    this.#tag(field, wireTypes.varint);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, wireTypes.fixed64);
    this.rawDouble(value);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, wireTypes.fixed32);
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  fixed64(field: number, value: number): void {
    this.#tag(field, wireTypes.fixed64);
    this.rawFixed64(value);
  }

  /** Microseconds as a fixed64 of nanoseconds, which a number is not precise enough for. */
  nanoseconds(field: number, microseconds: number): void {
    this.#tag(field, wireTypes.fixed64);
    const low = (microseconds % wordValues) * 1000;
    this.#rawWords(low, Math.floor(microseconds / wordValues) * 1000 + Math.floor(low / wordValues));
  }

  /** Elements of packed fields, and messages that are written elsewhere. */
  rawFixed64(value: number): void {
    this.#rawWords(value, Math.floor(value / wordValues));
  }

  rawDouble(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.byteLength;
  }

  #rawWords(low: number, high: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeUInt32LE(low % wordValues, this.#at);
    this.#at = this.#bytes.writeUInt32LE(high, this.#at);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.byteLength) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.byteLength * 2, this.#at + bytes));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const wordValues = 2 ** 32;
/** The length of texts that are as fast to write here; with what is around it, it fits into a byte. */
const shortText = 96;

/** Calling into the runtime would take longer than to write a short text. False if it has other characters. */
function isAsciiWritten(bytes: Uint8Array, start: number, text: string): boolean {
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return false;
    bytes[start + at] = code;
  }
  return true;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

function digitOf(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return code > 0x39 ? code - 0x57 : code - 0x30;
}
