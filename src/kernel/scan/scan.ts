import { plainScan } from './plain-scan.ts';
import type { Scan } from './scan-result.ts';
import { wasmScan } from './wasm-scan.ts';

/** Checks JSON and finds the direct children of what it is, without reading any value. */
export const scan: Scan = wasmScan ?? plainScan;
