/** Writes the subset of Protocol Buffers that a graph needs; every method returns the message. */
export class ProtobufMessage {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  integer(field: number, value: number | bigint): this {
    return this.#tag(field, 0).#varint(BigInt(value));
  }

  float(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.#tag(field, 5).#add(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, 2).#varint(BigInt(value.length)).#add(value);
  }

  message(field: number, value: ProtobufMessage): this {
    this.#tag(field, 2).#varint(BigInt(value.#length));
    for (const piece of value.#pieces) this.#add(piece);
    return this;
  }

  serialize(): Uint8Array {
    return Buffer.concat(this.#pieces, this.#length);
  }

  #tag(field: number, wire: number): this {
    return this.#varint(BigInt((field << 3) | wire));
  }

  /** Negative numbers are encoded as 64 bits. */
  #varint(value: bigint): this {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    return this.#add(Uint8Array.of(...bytes, Number(rest)));
  }

  #add(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this;
  }
}
