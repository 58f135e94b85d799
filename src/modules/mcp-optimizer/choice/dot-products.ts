import { readFileSync } from 'node:fs';

/** The dot products of each vector in `ones` with all concatenated vectors in `rows`. */
export type DotProducts = (rows: Float32Array, ones: readonly Float32Array[]) => readonly Float32Array[];

/** Uses SIMD if available, which takes a tenth of the time. */
export function createDotProducts(): DotProducts {
  return createWasmDotProducts() ?? scalarDotProducts;
}

/** An empty vector has no products. */
export const scalarDotProducts: DotProducts = (rows, ones) =>
  ones.map((one) => {
    const size = one.length;
    const products = new Float32Array(size === 0 ? 0 : rows.length / size);
    for (let row = 0; row < products.length; row++) {
      let sum = 0;
      for (let at = 0; at < size; at++) sum += (rows[row * size + at] ?? 0) * (one[at] ?? 0);
      products[row] = sum;
    }
    return products;
  });

function createWasmDotProducts(): DotProducts | undefined {
  const code = readFileSync(new URL('./products.wasm', import.meta.url));
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined;
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { memory, multiply } = wasmExports;
  const sizeMax = wasmExports.sizeMax.value;
  const block = new Float32Array(memory.buffer, wasmExports.blockAt.value, wasmExports.blockValues.value);
  const query = new Float32Array(memory.buffer, wasmExports.queryAt.value, sizeMax);
  const told = new Float32Array(memory.buffer, wasmExports.productsAt.value);

  return (rows, ones) => {
    const size = ones.find(({ length }) => length > 0)?.length ?? 0;
    if (size === 0 || size > sizeMax || size % 8 !== 0 || rows.length % size !== 0)
      return scalarDotProducts(rows, ones);
    const all = ones.map((one) => new Float32Array(one.length === size ? rows.length / size : 0));
    const rowsAtOnce = Math.floor(block.length / size);
    for (let from = 0; from * size < rows.length; from += rowsAtOnce) {
      const some = rows.subarray(from * size, (from + rowsAtOnce) * size);
      block.set(some);
      for (const [at, one] of ones.entries()) {
        if (one.length !== size) continue;
        query.set(one);
        multiply(some.length / size, size);
        all[at]?.set(told.subarray(0, some.length / size), from);
      }
    }
    return all;
  };
}

/** The used part of WebAssembly, whose types come with those of browsers and not of Node.js. */
declare const WebAssembly: {
  validate(code: Uint8Array): boolean;
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
