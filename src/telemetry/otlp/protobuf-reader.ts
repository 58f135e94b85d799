/** The fields of a message, by number: numbers, and the bytes of texts and messages. Empty if it is none. */
export function readFields(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[at++] ?? Number.NaN;
      value += (byte & 0x7f) * 2 ** shift;
      if (Number.isNaN(byte)) return byte;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.byteLength) {
    const tag = readVarint();
    const value = readValue(tag % 8);
    if (value === undefined) return new Map();
    fields.set(Math.floor(tag / 8), value);
  }
  return fields;

  function readValue(wireType: number): number | Uint8Array | undefined {
    if (wireType === 0) {
      const value = readVarint();
      return Number.isNaN(value) ? undefined : value;
    }
    const length = wireType === 2 ? readVarint() : wireType === 1 ? 8 : wireType === 5 ? 4 : Number.NaN;
    if (!(at + length <= bytes.byteLength)) return undefined;
    at += length;
    return bytes.subarray(at - length, at);
  }
}
