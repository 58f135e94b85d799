/** A JSON value and, if it is an object or an array, its direct children with their places in the bytes. */
export interface ScanResult {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  readonly start: number;
  readonly end: number;
  /** For each member of an object where its key starts and ends, with its quotes, and its value; for each item of an array its value. */
  readonly offsets: readonly number[];
  /** Commas and opening brackets: no fewer than there are values, and at most twice as many. */
  readonly values: number;
  /** Of key and value, in all objects. */
  readonly pairs: number;
  /** How deep its brackets go. */
  readonly depth: number;
  /** Whether there is an escape in some key, at any depth. */
  readonly escapedKeys: boolean;
  /** Where each long text begins and ends, with its quotes, keys left out; undefined where there are too many. */
  readonly longTexts: readonly number[] | undefined;
}

/** What is seen first: no JSON, more values, brackets or direct children than may be. */
export type ScanFault = 'syntax' | 'values' | 'depth' | 'children';

export interface ScanBounds {
  readonly valuesMax: number;
  /** Up to `depthCap`. */
  readonly depthMax: number;
}

/** Tells of the bytes from start to end what `JSON.parse` would of their text, if they are UTF-8. */
export type Scan = (
  bytes: Uint8Array,
  bounds: ScanBounds,
  start?: number,
  end?: number,
) => ScanResult | ScanFault;

/** Direct children that are listed, and brackets that are kept track of. */
export const childrenMax = 8192;
export const depthCap = 4096;
/** From how many bytes on a text is long, its quotes included, and how many of these are listed. */
export const longTextBytes = 512;
export const longTextsMax = 4096;

/** By its first byte. */
export function kindOf(first: number | undefined): ScanResult['kind'] {
  if (first === 0x7b) return 'object';
  if (first === 0x5b) return 'array';
  if (first === 0x22) return 'string';
  return first === 0x74 || first === 0x66 || first === 0x6e ? 'word' : 'number';
}
