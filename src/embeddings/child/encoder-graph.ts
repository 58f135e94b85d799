import { type EncoderWeights, layers, type Matrix, width } from './encoder-weights.ts';
import { Graph } from './graph.ts';

/**
 * A graph for one text at a time: its input are the sums of the word, position and side vectors, its output the mean of
 * what the encoder makes of them. No two texts share a run: numbers are rounded by the range of all that is in one, and
 * the same text would have another vector in other company.
 */
export function meaningGraph(weights: EncoderWeights): Uint8Array {
  const graph = new Graph();
  const tokens = encoder(graph, weights, 'BiasGelu');
  graph.step('ReduceMean', [tokens], 'mean', { axes: [1], keepdims: 0 });
  graph.output('mean', [1, width]);
  return graph.written('meaning');
}

/**
 * The same for two texts behind each other, with whether one answer serves both. `sides` has the share of each token in its side's mean.
 * Its bends go by tanh, a seventh of the time less: logits are as near to those in floats as they are by the error function. Vectors
 * that were kept would no longer be the same.
 */
export function judgeGraph(weights: EncoderWeights): Uint8Array {
  const graph = new Graph();
  const tokens = encoder(graph, weights, 'FastGelu');
  const means = graph.step('MatMul', [graph.input('sides', [1, 2, 'tokens']), tokens], 'means');
  const side = (at: number) => graph.step('Gather', [means, first(graph, at)], `side ${at}`, { axis: 1 });
  const [one, other] = [side(0), side(1)];
  const features = graph.step(
    'Concat',
    [
      graph.step('Gather', [tokens, first(graph, 0)], 'first', { axis: 1 }),
      graph.step('Abs', [graph.step('Sub', [one, other], 'difference')], 'distance'),
      graph.step('Mul', [one, other], 'product'),
    ],
    'features',
    { axis: 2 },
  );
  const { rows, columns, ...hidden } = weights.matrix('h1');
  const matrix = graph.floats('h1', [columns, rows], dense({ rows, columns, ...hidden }));
  const bias = graph.floats('h1.b', [rows], weights.floats('h1.b'));
  const active = graph.step(
    'BiasGelu',
    [graph.step('MatMul', [features, matrix], 'h1 out'), bias],
    'h1 active',
  );
  const last = graph.step(
    'MatMul',
    [active, graph.floats('h2', [rows, 1], weights.floats('h2.w'))],
    'h2 out',
  );
  graph.step('Add', [last, graph.floats('h2.b', [1], weights.floats('h2.b'))], 'logit');
  graph.output('logit', [1, 1, 1]);
  return graph.written('judge');
}

function encoder(graph: Graph, weights: EncoderWeights, gelu: 'BiasGelu' | 'FastGelu'): string {
  const vector = (name: string) => {
    const values = weights.floats(name);
    return graph.floats(name, [values.length], values);
  };
  const kept = (name: string) => {
    const matrix = weights.matrix(name);
    const { rows, columns, scales } = matrix;
    return {
      codes: graph.bytes(`${name}.q`, [columns, rows], turned(matrix)),
      scales: graph.floats(`${name}.s`, [rows], scales),
    };
  };
  /** By whole numbers: the input is rounded on its way in. */
  const linear = (from: string, name: string, bias: readonly string[]) => {
    const { codes, scales } = kept(name);
    return graph.step('DynamicQuantizeMatMul', [from, codes, scales, leftOut, ...bias], `${name} out`);
  };
  /** The same for queries, keys and values, and what each token sees with them. */
  const attention = (from: string, name: string) => {
    const { codes, scales } = kept(name);
    const [whole = '', step = '', zero = ''] = graph.steps(
      'DynamicQuantizeLinear',
      [from],
      ['whole', 'step', 'zero'].map((part) => `${name}.${part}`),
    );
    const inputs = [whole, codes, vector(`${name}.b`), step, scales, leftOut, zero];
    return graph.step('QAttention', inputs, `${name} seen`, { num_heads: heads });
  };
  const added = (from: string, to: string, name: string) =>
    graph.step(
      'SkipLayerNormalization',
      [from, to, vector(`${name}.w`), vector(`${name}.b`)],
      `${name} out`,
      {
        epsilon: { float: normEpsilon },
      },
    );

  let tokens = graph.step(
    'LayerNormalization',
    [graph.input('embedded', [1, 'tokens', width]), vector('ln.w'), vector('ln.b')],
    'ln out',
    { axis: -1, epsilon: { float: normEpsilon } },
  );
  for (let layer = 0; layer < layers; layer++) {
    const seen = attention(tokens, `${layer}.qkv`);
    tokens = added(linear(seen, `${layer}.o`, [vector(`${layer}.o.b`)]), tokens, `${layer}.ln1`);
    const wide = graph.step(
      gelu,
      [linear(tokens, `${layer}.fc1`, []), vector(`${layer}.fc1.b`)],
      `${layer}.wide`,
    );
    tokens = added(linear(wide, `${layer}.fc2`, [vector(`${layer}.fc2.b`)]), tokens, `${layer}.ln2`);
  }
  return tokens;
}

const heads = 12;
/** In place of an input that isn't needed: weights are rounded around nought, and nothing is masked. */
const leftOut = '';
const normEpsilon = 1e-12;

/** A list of one place, so that the side that is gathered along stays. */
function first(graph: Graph, at: number): string {
  return graph.wholes(at);
}

/** Rows become columns. */
function turned({ codes, rows, columns }: Matrix): Int8Array {
  const result = new Int8Array(codes.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = codes[row * columns + column] ?? 0;
  return result;
}

function dense(matrix: Matrix): Float32Array {
  const { rows, scales } = matrix;
  return Float32Array.from(turned(matrix), (code, at) => code * (scales[at % rows] ?? 0));
}
