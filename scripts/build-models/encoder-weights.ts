import type { SafetensorsFile } from '../../src/embeddings/child/safetensors.ts';

/** An int8 matrix with a scale per row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly codes: Int8Array;
  readonly scales: Float32Array;
}

/** The weights of an encoder by Weir's names, from any source. */
export interface EncoderWeights {
  matrix(name: string): Matrix;
  floats(name: string): Float32Array;
}

export const layers = 6;

/** Reads a file that has int8 weights under Weir's names. */
export function readQuantizedWeights(safetensorsFile: SafetensorsFile): EncoderWeights {
  return {
    matrix(name) {
      const [rows = 0, columns = 0] = safetensorsFile.shape(`${name}.q`);
      return {
        rows,
        columns,
        codes: safetensorsFile.bytes(`${name}.q`),
        scales: safetensorsFile.floats(`${name}.s`),
      };
    },
    floats: (name) => safetensorsFile.floats(name),
  };
}

/** Reads the published model: translates names and quantizes matrices to int8. */
export function readPublishedWeights(safetensorsFile: SafetensorsFile): EncoderWeights {
  const joined = (names: readonly string[]) => concatenate(names.map((name) => safetensorsFile.floats(name)));
  return {
    matrix(name) {
      const names = publishedNames(name).map((published) => `${published}.weight`);
      const columns = safetensorsFile.shape(names[0] ?? '')[1] ?? 0;
      return quantizeRows(joined(names), columns);
    },
    floats(name) {
      const [, path = '', kind = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
      return joined(
        publishedNames(path).map((published) => `${published}.${kind === 'w' ? 'weight' : 'bias'}`),
      );
    },
  };
}

/** Weir stores queries, keys and values as one matrix. */
function publishedNames(name: string): readonly string[] {
  if (name === 'ln') return ['embeddings.LayerNorm'];
  const [layer = '', part = ''] = name.split('.');
  const published = publishedParts[part];
  if (published === undefined) throw new Error(`unknown weight ${name}`);
  return published.map((path) => `encoder.layer.${layer}.${path}`);
}

const publishedParts: Readonly<Record<string, readonly string[]>> = {
  qkv: ['attention.self.query', 'attention.self.key', 'attention.self.value'],
  o: ['attention.output.dense'],
  ln1: ['attention.output.LayerNorm'],
  fc1: ['intermediate.dense'],
  fc2: ['output.dense'],
  ln2: ['output.LayerNorm'],
};

function quantizeRows(values: Float32Array, columns: number): Matrix {
  const rows = values.length / columns;
  const codes = new Int8Array(values.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * columns;
    let largest = 0;
    for (let at = from; at < from + columns; at++) largest = Math.max(largest, Math.abs(values[at] ?? 0));
    const scale = largest / 127 || 1;
    scales[row] = scale;
    for (let at = from; at < from + columns; at++) codes[at] = Math.round((values[at] ?? 0) / scale);
  }
  return { rows, columns, codes, scales };
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
