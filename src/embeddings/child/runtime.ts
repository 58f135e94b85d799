import { createRequire } from 'node:module';

/** The used part of onnxruntime-node, whose types can't be resolved from here. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(graph: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
  readonly Tensor: new (type: 'float32', values: Float32Array, shape: readonly number[]) => Tensor;
}

export interface Session {
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

export interface Tensor {
  readonly data: unknown;
}

/** Throws if its native binding can't be loaded. */
export function loadRuntime(): OnnxRuntime {
  return createRequire(import.meta.url)('onnxruntime-node');
}
