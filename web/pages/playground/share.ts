import { type Draft, readDraft } from './draft.ts';

/** Longer addresses are cut by some programs, and refused by some proxies. */
const linkCharactersMax = 8000;
const draftCharactersMax = 1_000_000;

/** The draft for an address, compressed; undefined if it is too long. */
export async function packDraft(draft: Draft): Promise<string | undefined> {
  const packed = await through(
    new TextEncoder().encode(JSON.stringify(draft)),
    new CompressionStream('deflate-raw'),
  );
  let binary = '';
  for (const byte of packed) {
    binary += String.fromCharCode(byte);
    if (binary.length > linkCharactersMax) return undefined;
  }
  const text = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return text.length <= linkCharactersMax ? text : undefined;
}

/** Undefined for what is no draft. */
export async function unpackDraft(text: string): Promise<Draft | undefined> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'), draftCharactersMax);
    return readDraft(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Throws if more than `bytesMax` come out: a short address may unpack to gigabytes. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  conversion: CompressionStream | DecompressionStream,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream: ReadableStream<Uint8Array> = new Blob([bytes]).stream().pipeThrough(conversion);
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > bytesMax) throw new Error('the draft is too long');
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
