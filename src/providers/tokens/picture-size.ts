export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A picture's size from its header; undefined for unknown formats. */
export function pictureSizeOf(bytes: Buffer): PictureSize | undefined {
  const size = sizeIn(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeIn(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 30) return undefined;
  const head = bytes.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (head.startsWith('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return webpSize(bytes, head.slice(12, 16));
  return head.startsWith('\xff\xd8') ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Buffer, kind: string): PictureSize | undefined {
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return undefined;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** The size is in the frame header, after any number of other segments. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
