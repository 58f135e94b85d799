import { createRequire } from 'node:module';

/** What is used of onnxruntime-node, whose types can't be found from outside. */
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

/** Throws where its native part can't be loaded here. */
export function loadRuntime(): OnnxRuntime {
  return createRequire(import.meta.url)('onnxruntime-node');
}
