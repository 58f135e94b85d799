/** A JSON value and, for an object or an array, the byte positions of its direct children. */
export interface ScanResult {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  readonly start: number;
  readonly end: number;
  /**
   * For each member: start and end of its key with quotes, and of its value; for each array item: start and end of
   * its value.
   */
  readonly offsets: readonly number[];
  /** Commas and opening brackets: at least the number of values, and at most twice that. */
  readonly values: number;
  /** Key-value pairs in all objects. */
  readonly pairs: number;
  /** Nesting depth. */
  readonly depth: number;
  /** Whether any key contains an escape, at any depth. */
  readonly escapedKeys: boolean;
  /** The bits of the marks that some text begins with, see `TextMark`. */
  readonly textMarks: number;
  /** Start and end of each long string with its quotes, without keys; undefined if there are too many. */
  readonly longTexts: readonly number[] | undefined;
}

/** Beginnings of texts that scans look for. */
export interface TextMark {
  readonly bit: number;
}

/** The first problem: invalid JSON, or too many values, levels or direct children. */
export type ScanFault = 'syntax' | 'values' | 'depth' | 'children';

export interface ScanBounds {
  readonly valuesMax: number;
  /** Up to `depthCap`. */
  readonly depthMax: number;
}

/** Scans the bytes from start to end and agrees with `JSON.parse`, provided that they are UTF-8. */
export type Scan = (
  bytes: Uint8Array,
  bounds: ScanBounds,
  start?: number,
  end?: number,
) => ScanResult | ScanFault;

/** Maximum number of listed children and tracked brackets. */
export const childrenMax = 8192;
export const depthCap = 4096;
/** The minimum size of a long string, with its quotes, and how many are listed. */
export const longTextBytes = 512;
export const longTextsMax = 4096;

/** Determined by the first byte. */
export function kindOf(first: number | undefined): ScanResult['kind'] {
  if (first === 0x7b) return 'object';
  if (first === 0x5b) return 'array';
  if (first === 0x22) return 'string';
  return first === 0x74 || first === 0x66 || first === 0x6e ? 'word' : 'number';
}
