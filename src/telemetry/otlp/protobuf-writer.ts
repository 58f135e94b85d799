/** Writes messages of protocol buffers into one buffer that grows: https://protobuf.dev/programming-guides/encoding/. */
export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  constructor() {
    this.#bytes = Buffer.allocUnsafe(1024);
  }

  get length(): number {
    return this.#at;
  }

  /** The size of its buffer. */
  get capacity(): number {
    return this.#bytes.byteLength;
  }

  clear(): void {
    this.#at = 0;
  }

  /** What was written; valid until more is written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /**
   * A message of a name (field 1) and a message with one value (field 2), if both are short: most attributes are. False
   * if nothing was written.
   */
  shortText(field: number, name: string, text: string): boolean {
    const before = this.#at;
    const { length } = text;
    if (!this.#beginShort(field, name, length + 2)) return false;
    const bytes = this.#bytes;
    const at = this.#at;
    bytes[at] = 0x0a;
    bytes[at + 1] = length;
    const isAscii = isAsciiWritten(bytes, at + 2, text);
    this.#at = isAscii ? at + 2 + length : before;
    return isAscii;
  }

  shortUint(field: number, name: string, value: number): boolean {
    if (!this.#beginShort(field, name, varintLength(value) + 1)) return false;
    this.uint(3, value);
    return true;
  }

  shortDouble(field: number, name: string, value: number): boolean {
    if (!this.#beginShort(field, name, 9)) return false;
    this.double(4, value);
    return true;
  }

  /** Everything before the value, whose message has this many bytes. */
  #beginShort(field: number, name: string, valueBytes: number): boolean {
    const { length } = name;
    if (field > 15 || length + valueBytes > shortPair) return false;
    this.#reserve(length + valueBytes + 6);
    const bytes = this.#bytes;
    const start = this.#at;
    if (!isAsciiWritten(bytes, start + 4, name)) return false;
    bytes[start] = field * 8 + wireTypes.bytes;
    bytes[start + 1] = length + valueBytes + 4;
    bytes[start + 2] = 0x0a;
    bytes[start + 3] = length;
    bytes[start + 4 + length] = 0x12;
    bytes[start + 5 + length] = valueBytes;
    this.#at = start + length + 6;
    return true;
  }

  /** Starts a message whose length takes four bytes, so that `endLong` need not move it. */
  beginLong(field: number): number {
    this.#tag(field, wireTypes.bytes);
    this.#reserve(4);
    this.#at += 4;
    return this.#at;
  }

  endLong(start: number): void {
    let rest = this.#at - start;
    for (let at = start - 4; at < start - 1; at++) {
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[start - 1] = rest;
  }

  /** Writes once more what stands between these places. */
  repeat(from: number, to: number): void {
    this.#reserve(to - from);
    this.#bytes.copyWithin(this.#at, from, to);
    this.#at += to - from;
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
/** The length of texts that are as fast to write here. */
const shortText = 96;
/** The length of a name and a value whose message has a length of one byte. */
const shortPair = 0x7f - 4;

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
