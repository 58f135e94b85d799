/** Joining what is small costs less than keeping it apart: each piece takes some hundred bytes beside its own. */
const joinedBytesMax = 1024;

/** Adds a piece to those that came before. Small ones are joined, so that millions of single bytes take no more memory than their like. */
export function appendChunk(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces.at(-1);
  if (last === undefined || last.byteLength + piece.byteLength > joinedBytesMax) pieces.push(piece);
  else pieces[pieces.length - 1] = Buffer.concat([last, piece]);
}
