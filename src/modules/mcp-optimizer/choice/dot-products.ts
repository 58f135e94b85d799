import { readFileSync } from 'node:fs';

/** The WebAssembly code multiplies so many values at a time: vectors are padded with zeros to a multiple of it. */
const stride = 8;

/** Loaded with the first use: it takes a megabyte. */
let loaded: Multiplier | undefined;

/** Concatenates vectors of one size for `dotProducts`. */
export function concatenateVectors(vectors: readonly Float32Array[]): Float32Array {
  const size = paddedSize(vectors[0]);
  const all = new Float32Array(size * vectors.length);
  for (const [at, vector] of vectors.entries()) all.set(vector, at * size);
  return all;
}

/** The dot products of each vector in `ones` with all vectors in `rows`. An empty vector has no products. */
export function dotProducts(rows: Float32Array, ones: readonly Float32Array[]): readonly Float32Array[] {
  const size = paddedSize(ones.find(({ length }) => length > 0));
  const count = size === 0 ? 0 : rows.length / size;
  const all = ones.map(({ length }) => new Float32Array(length === 0 ? 0 : count));
  if (count === 0) return all;
  loaded ??= loadMultiplier();
  const { block, query, products, multiply } = loaded;
  const rowsAtOnce = Math.floor(block.length / size);
  for (let from = 0; from < count; from += rowsAtOnce) {
    const some = rows.subarray(from * size, (from + rowsAtOnce) * size);
    block.set(some);
    for (const [at, one] of ones.entries()) {
      if (one.length === 0) continue;
      query.fill(0, one.length, size).set(one);
      multiply(some.length / size, size);
      all[at]?.set(products.subarray(0, some.length / size), from);
    }
  }
  return all;
}

function paddedSize(vector: Float32Array = new Float32Array()): number {
  return Math.ceil(vector.length / stride) * stride;
}

/** Multiplies `query` with the first vectors of `block` and writes the results to `products`. */
interface Multiplier {
  readonly block: Float32Array;
  readonly query: Float32Array;
  readonly products: Float32Array;
  multiply(count: number, size: number): void;
}

function loadMultiplier(): Multiplier {
  const code = readFileSync(new URL('./products.wasm', import.meta.url));
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { memory, multiply, blockAt, blockValues, queryAt, sizeMax, productsAt } = wasmExports;
  return {
    block: new Float32Array(memory.buffer, blockAt.value, blockValues.value),
    query: new Float32Array(memory.buffer, queryAt.value, sizeMax.value),
    products: new Float32Array(memory.buffer, productsAt.value),
    multiply,
  };
}

/** The used part of WebAssembly, whose types come with those of browsers and not of Node.js. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: WasmExports };
};

interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  multiply(count: number, size: number): void;
  readonly sizeMax: { readonly value: number };
  readonly blockValues: { readonly value: number };
  readonly queryAt: { readonly value: number };
  readonly blockAt: { readonly value: number };
  readonly productsAt: { readonly value: number };
}
