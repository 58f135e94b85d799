import { Message } from './protobuf.ts';

type Attribute = number | readonly number[] | { readonly float: number };

interface Kept {
  readonly type: number;
  readonly shape: readonly number[];
  readonly values: Float32Array | Int8Array | BigInt64Array;
}

/** An ONNX graph in the making: what is kept in it, and what is computed from what. Values go by their names. */
export class Graph {
  readonly #graph = new Message();
  readonly #kept = new Set<string>();

  /** A float tensor that comes from outside; sides with a name may have any length. */
  input(name: string, shape: readonly (number | string)[]): string {
    this.#graph.message(11, described(name, shape));
    return name;
  }

  output(name: string, shape: readonly (number | string)[]): void {
    this.#graph.message(12, described(name, shape));
  }

  floats(name: string, shape: readonly number[], values: Float32Array): string {
    return this.#keep(name, { type: floatType, shape, values });
  }

  bytes(name: string, shape: readonly number[], values: Int8Array): string {
    return this.#keep(name, { type: byteType, shape, values });
  }

  wholes(...values: readonly number[]): string {
    const name = `wholes ${values.join(' ')}`;
    return this.#keep(name, {
      type: wholeType,
      shape: [values.length],
      values: BigInt64Array.from(values, BigInt),
    });
  }

  /** Adds a step and names what comes of it. */
  step(
    operator: string,
    from: readonly string[],
    to: string,
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    return this.steps(operator, from, [to], attributes)[0] ?? to;
  }

  /** The same for one with several results. */
  steps(
    operator: string,
    from: readonly string[],
    to: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): readonly string[] {
    const step = new Message();
    for (const name of from) step.text(1, name);
    for (const name of to) step.text(2, name);
    step.text(3, to.join(' ')).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) step.message(5, attributeOf(name, value));
    if (fused.has(operator)) step.text(7, fusedDomain);
    this.#graph.message(1, step);
    return to;
  }

  written(name: string): Uint8Array {
    this.#graph.text(2, name);
    const operators = new Message().text(1, '').whole(2, 17);
    const fusedOperators = new Message().text(1, fusedDomain).whole(2, 1);
    return new Message()
      .whole(1, 8)
      .text(2, 'weir')
      .message(7, this.#graph)
      .message(8, operators)
      .message(8, fusedOperators)
      .written();
  }

  #keep(name: string, { type, shape, values }: Kept): string {
    if (this.#kept.has(name)) return name;
    this.#kept.add(name);
    const tensor = new Message();
    for (const side of shape) tensor.whole(1, side);
    tensor.whole(2, type).text(8, name);
    this.#graph.message(5, tensor.bytes(9, Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
    return name;
  }
}

/** Operators of the runtime itself, each of which does what takes many of the standard's. */
const fused = new Set([
  'DynamicQuantizeMatMul',
  'QAttention',
  'SkipLayerNormalization',
  'BiasGelu',
  'FastGelu',
]);
const fusedDomain = 'com.microsoft';

const floatType = 1;
const byteType = 3;
const wholeType = 7;

function described(name: string, shape: readonly (number | string)[]): Message {
  const sides = new Message();
  for (const side of shape)
    sides.message(1, typeof side === 'number' ? new Message().whole(1, side) : new Message().text(2, side));
  const tensor = new Message().whole(1, floatType).message(2, sides);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

function attributeOf(name: string, value: Attribute): Message {
  const attribute = new Message().text(1, name);
  if (typeof value === 'number') return attribute.whole(3, value).whole(20, 2);
  if ('float' in value) return attribute.float(2, value.float).whole(20, 1);
  for (const one of value) attribute.whole(8, one);
  return attribute.whole(20, 7);
}
