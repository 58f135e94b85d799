/** Chunks below this size are joined: each chunk has an overhead of some hundred bytes. */
const joinedBytesMax = 1024;

/** Appends a chunk. Joins small ones, so that millions of single bytes don't each take the overhead of a chunk. */
export function appendChunk(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces.at(-1);
  if (last === undefined || last.byteLength + piece.byteLength > joinedBytesMax) pieces.push(piece);
  else pieces[pieces.length - 1] = Buffer.concat([last, piece]);
}
