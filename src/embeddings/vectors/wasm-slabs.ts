import { readFileSync } from 'node:fs';
import { createScalarSlabs } from './scalar-slabs.ts';
import { paddedSize, type Slabs, slabBytes } from './slabs.ts';

/** Slabs in WebAssembly memory, which grows as needed; undefined if WebAssembly with SIMD isn't available. */
export function wasmSlabs(bytesMax: number): Slabs | undefined {
  const code = readFileSync(new URL('./products.wasm', import.meta.url));
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined;
  const { exports: wasmExports } = new WebAssembly.Instance(new WebAssembly.Module(code));
  const { memory, multiply } = wasmExports;
  const [queryAt, productsAt, slabsAt] = [
    wasmExports.queryAt,
    wasmExports.productsAt,
    wasmExports.slabsAt,
  ].map(({ value }) => value);
  if (queryAt === undefined || productsAt === undefined || slabsAt === undefined) return undefined;
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

export function createFastestSlabs(bytesMax: number): Slabs {
  return wasmSlabs(bytesMax) ?? createScalarSlabs(bytesMax);
}

const pageBytes = 65_536;
/** A megabyte at a time. */
const pagesAtOnce = 16;

/** The used part of WebAssembly, whose types come with those of browsers and not of Node.js. */
declare const WebAssembly: {
  validate(code: Uint8Array): boolean;
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
