import { plainScan } from './plain-scan.ts';
import type { Scan } from './scan-result.ts';
import { wasmScan } from './wasm-scan.ts';

/** Validates JSON and finds the direct children of its value, without parsing any value. */
export const scan: Scan = wasmScan ?? plainScan;
