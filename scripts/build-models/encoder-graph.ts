import { width } from '../../src/embeddings/child/token-embeddings.ts';
import { type EncoderWeights, layers, type Matrix } from './encoder-weights.ts';
import { OnnxGraph } from './onnx-graph.ts';

/**
 * A graph for one text at a time: its input is the sum of the word, position and segment vectors, its output the mean of the
 * encoder's outputs. Texts aren't batched: quantization depends on the value range of a run, so a text's vector would depend on
 * the other texts in its batch.
 */
export function buildEmbeddingGraph(weights: EncoderWeights): Uint8Array {
  const onnxGraph = new OnnxGraph();
  const tokens = addEncoder(onnxGraph, weights, 'BiasGelu');
  onnxGraph.addNode('ReduceMean', [tokens], 'mean', { axes: [1], keepdims: 0 });
  onnxGraph.output('mean', [1, width]);
  return onnxGraph.serialize('meaning');
}

/**
 * A graph for a pair of texts that scores whether one answer serves both. `sides` has the weight of each token in its side's mean.
 * GELU uses tanh, which saves a seventh of the time and is as close to the float logits as the exact form. The embedding graph
 * keeps the exact form, because stored vectors would change.
 */
export function buildJudgeGraph(weights: EncoderWeights): Uint8Array {
  const onnxGraph = new OnnxGraph();
  const tokens = addEncoder(onnxGraph, weights, 'FastGelu');
  const means = onnxGraph.addNode('MatMul', [onnxGraph.input('sides', [1, 2, 'tokens']), tokens], 'means');
  const side = (at: number) =>
    onnxGraph.addNode('Gather', [means, constantIndex(onnxGraph, at)], `side ${at}`, { axis: 1 });
  const [one, other] = [side(0), side(1)];
  const features = onnxGraph.addNode(
    'Concat',
    [
      onnxGraph.addNode('Gather', [tokens, constantIndex(onnxGraph, 0)], 'first', { axis: 1 }),
      onnxGraph.addNode('Abs', [onnxGraph.addNode('Sub', [one, other], 'difference')], 'distance'),
      onnxGraph.addNode('Mul', [one, other], 'product'),
    ],
    'features',
    { axis: 2 },
  );
  addLogit(onnxGraph, weights, features);
  return onnxGraph.serialize('judge');
}

/** A graph that scores one text by its first token, and by the mean and the maximum of all. */
export function buildInjectionGraph(weights: EncoderWeights): Uint8Array {
  const onnxGraph = new OnnxGraph();
  const tokens = addEncoder(onnxGraph, weights, 'FastGelu');
  const features = onnxGraph.addNode(
    'Concat',
    [
      onnxGraph.addNode('Gather', [tokens, constantIndex(onnxGraph, 0)], 'first', { axis: 1 }),
      onnxGraph.addNode('ReduceMean', [tokens], 'mean', { axes: [1], keepdims: 1 }),
      onnxGraph.addNode('ReduceMax', [tokens], 'max', { axes: [1], keepdims: 1 }),
    ],
    'features',
    { axis: 2 },
  );
  addLogit(onnxGraph, weights, features);
  return onnxGraph.serialize('injection');
}

/** A graph that scores each token of one text for every label. */
export function buildTaggerGraph(weights: EncoderWeights): Uint8Array {
  const onnxGraph = new OnnxGraph();
  const tokens = addEncoder(onnxGraph, weights, 'FastGelu');
  const bias = weights.floats('head.b');
  const matrix = transpose({ values: weights.floats('head.w'), rows: bias.length, columns: width });
  const product = onnxGraph.addNode(
    'MatMul',
    [tokens, onnxGraph.floats('head', [width, bias.length], matrix)],
    'head out',
  );
  onnxGraph.addNode('Add', [product, onnxGraph.floats('head.b', [bias.length], bias)], 'logits');
  onnxGraph.output('logits', [1, 'tokens', bias.length]);
  return onnxGraph.serialize('entities');
}

/** Two layers in floats, since they are small. */
function addLogit(onnxGraph: OnnxGraph, weights: EncoderWeights, features: string): void {
  const { rows, columns, ...hidden } = weights.matrix('h1');
  const matrix = onnxGraph.floats('h1', [columns, rows], dequantize({ rows, columns, ...hidden }));
  const bias = onnxGraph.floats('h1.b', [rows], weights.floats('h1.b'));
  const active = onnxGraph.addNode(
    'BiasGelu',
    [onnxGraph.addNode('MatMul', [features, matrix], 'h1 out'), bias],
    'h1 active',
  );
  const last = onnxGraph.addNode(
    'MatMul',
    [active, onnxGraph.floats('h2', [rows, 1], weights.floats('h2.w'))],
    'h2 out',
  );
  onnxGraph.addNode('Add', [last, onnxGraph.floats('h2.b', [1], weights.floats('h2.b'))], 'logit');
  onnxGraph.output('logit', [1, 1, 1]);
}

function addEncoder(onnxGraph: OnnxGraph, weights: EncoderWeights, gelu: 'BiasGelu' | 'FastGelu'): string {
  const vector = (name: string) => {
    const values = weights.floats(name);
    return onnxGraph.floats(name, [values.length], values);
  };
  const addMatrix = (name: string) => {
    const { rows, columns, scales, codes } = weights.matrix(name);
    return {
      codes: onnxGraph.bytes(`${name}.q`, [columns, rows], transpose({ values: codes, rows, columns })),
      scales: onnxGraph.floats(`${name}.s`, [rows], scales),
    };
  };
  /** In integers: quantizes the input on the fly. */
  const linear = (from: string, name: string, bias: readonly string[]) => {
    const { codes, scales } = addMatrix(name);
    return onnxGraph.addNode('DynamicQuantizeMatMul', [from, codes, scales, leftOut, ...bias], `${name} out`);
  };
  /** Projects queries, keys and values, and applies attention. */
  const attention = (from: string, name: string) => {
    const { codes, scales } = addMatrix(name);
    const [whole = '', step = '', zero = ''] = onnxGraph.addNodeWithOutputs(
      'DynamicQuantizeLinear',
      [from],
      ['whole', 'step', 'zero'].map((part) => `${name}.${part}`),
    );
    const inputs = [whole, codes, vector(`${name}.b`), step, scales, leftOut, zero];
    return onnxGraph.addNode('QAttention', inputs, `${name} seen`, { num_heads: heads });
  };
  const added = (from: string, to: string, name: string) =>
    onnxGraph.addNode(
      'SkipLayerNormalization',
      [from, to, vector(`${name}.w`), vector(`${name}.b`)],
      `${name} out`,
      {
        epsilon: { float: normEpsilon },
      },
    );

  let tokens = onnxGraph.addNode(
    'LayerNormalization',
    [onnxGraph.input('embedded', [1, 'tokens', width]), vector('ln.w'), vector('ln.b')],
    'ln out',
    { axis: -1, epsilon: { float: normEpsilon } },
  );
  for (let layer = 0; layer < layers; layer++) {
    const seen = attention(tokens, `${layer}.qkv`);
    tokens = added(linear(seen, `${layer}.o`, [vector(`${layer}.o.b`)]), tokens, `${layer}.ln1`);
    const wide = onnxGraph.addNode(
      gelu,
      [linear(tokens, `${layer}.fc1`, []), vector(`${layer}.fc1.b`)],
      `${layer}.wide`,
    );
    tokens = added(linear(wide, `${layer}.fc2`, [vector(`${layer}.fc2.b`)]), tokens, `${layer}.ln2`);
  }
  return tokens;
}

const heads = 12;
/** An omitted optional input: zero points are zero, and nothing is masked. */
const leftOut = '';
const normEpsilon = 1e-12;

/** A one-element index, so that the gathered dimension is kept. */
function constantIndex(onnxGraph: OnnxGraph, at: number): string {
  return onnxGraph.integers(at);
}

function transpose<Values extends Int8Array | Float32Array>({
  values,
  rows,
  columns,
}: {
  readonly values: Values;
  readonly rows: number;
  readonly columns: number;
}): Values {
  const result = values.slice() as Values;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = values[row * columns + column] ?? 0;
  return result;
}

function dequantize({ codes, rows, columns, scales }: Matrix): Float32Array {
  return Float32Array.from(
    transpose({ values: codes, rows, columns }),
    (code, at) => code * (scales[at % rows] ?? 0),
  );
}
