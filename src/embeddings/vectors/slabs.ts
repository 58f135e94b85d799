import { readFileSync } from 'node:fs';

/** Memory for vectors in slabs of one size, and dot products of a query with the vectors in a slab. */
export interface Slabs {
  /** The maximum number of slabs. */
  readonly capacity: number;
  readonly allocated: number;
  /** Undefined if all slabs are in use. */
  allocate(): number | undefined;
  free(slab: number): void;
  /** `position` is the index of the vector within the slab. */
  write(slab: number, position: number, codes: Int8Array): void;
  /** Dot products with the first `count` vectors of a slab; the next call overwrites the list. */
  dotProducts(slab: number, count: number): Int32Array;
  /** Sets the vector for the next dot products. */
  setQuery(query: Int8Array): void;
}

export const slabBytes = 6144;
/** Vectors are padded with zeros to a multiple of this. */
const stride = 16;

function paddedSize(size: number): number {
  return Math.ceil(size / stride) * stride;
}

/** How many vectors of this size fit into a slab. */
export function vectorsInSlab(size: number): number {
  return Math.floor(slabBytes / paddedSize(size));
}

/** Slabs in WebAssembly memory, which grows as needed. */
export function createSlabs(bytesMax: number): Slabs {
  const code = readFileSync(new URL('./products.wasm', import.meta.url));
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { memory, multiply } = wasmExports;
  const queryAt = wasmExports.queryAt.value;
  const productsAt = wasmExports.productsAt.value;
  const slabsAt = wasmExports.slabsAt.value;
  const capacity = Math.floor(bytesMax / slabBytes);
  const free: number[] = [];
  let made = 0;
  let size = 0;
  let bytes = new Int8Array(memory.buffer);
  let products = new Int32Array(memory.buffer, productsAt);
  const addressOf = (slab: number) => slabsAt + slab * slabBytes;

  /** Growing replaces the memory's buffer. */
  const grow = () => {
    const missing = addressOf(made + 1) - bytes.length;
    if (missing > 0) memory.grow(Math.max(Math.ceil(missing / pageBytes), pagesAtOnce));
    bytes = new Int8Array(memory.buffer);
    products = new Int32Array(memory.buffer, productsAt);
  };
  return {
    capacity,
    get allocated() {
      return made - free.length;
    },
    allocate() {
      const again = free.pop();
      if (again !== undefined || made >= capacity) return again;
      grow();
      return made++;
    },
    free: (slab) => void free.push(slab),
    write(slab, position, codes) {
      const at = addressOf(slab) + position * paddedSize(codes.length);
      bytes.fill(0, at + codes.length, at + paddedSize(codes.length)).set(codes, at);
    },
    setQuery(query) {
      size = paddedSize(query.length);
      bytes.fill(0, queryAt, queryAt + size).set(query, queryAt);
    },
    dotProducts(slab, count) {
      multiply(addressOf(slab), count, size);
      return products;
    },
  };
}

const pageBytes = 65_536;
/** A megabyte at a time. */
const pagesAtOnce = 16;

/** The used part of WebAssembly, whose types come with those of browsers and not of Node.js. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: WasmExports };
};

interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  multiply(slabAt: number, count: number, size: number): void;
  readonly queryAt: { readonly value: number };
  readonly productsAt: { readonly value: number };
  readonly slabsAt: { readonly value: number };
}
