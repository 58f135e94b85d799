import type { SafetensorsFile } from './safetensors.ts';

/** Values of a vector. */
export const width = 384;

/** Word and position embeddings, which all models share: half of a model's size. */
export class TokenEmbeddings {
  readonly #words: Float16Array;
  readonly #positions: Float32Array;

  constructor(published: SafetensorsFile) {
    this.#words = published.halves('embeddings.word_embeddings.weight');
    this.#positions = published.floats('embeddings.position_embeddings.weight');
  }

  /** The encoder's input. `sides` has an embedding per side, and `sideOf` returns the side of a token. */
  embed(ids: readonly number[], sides: Float32Array, sideOf: (at: number) => number): Float32Array {
    const embedded = new Float32Array(ids.length * width);
    for (let at = 0; at < ids.length; at++) {
      const word = (ids[at] ?? 0) * width;
      const place = at * width;
      const side = sideOf(at) * width;
      for (let value = 0; value < width; value++)
        embedded[place + value] =
          (this.#words[word + value] ?? 0) +
          (this.#positions[place + value] ?? 0) +
          (sides[side + value] ?? 0);
    }
    return embedded;
  }
}
