import { ProtobufMessage } from './protobuf.ts';

type Attribute = number | readonly number[] | { readonly float: number };

interface Initializer {
  readonly type: number;
  readonly shape: readonly number[];
  readonly values: Float32Array | Int8Array | BigInt64Array;
}

/** Builds an ONNX graph of initializers and nodes, which refer to values by name. */
export class OnnxGraph {
  readonly #graph = new ProtobufMessage();
  readonly #initializers = new Set<string>();

  /** Adds a float input; named dimensions may have any length. */
  input(name: string, shape: readonly (number | string)[]): string {
    this.#graph.message(11, describeValue(name, shape));
    return name;
  }

  output(name: string, shape: readonly (number | string)[]): void {
    this.#graph.message(12, describeValue(name, shape));
  }

  floats(name: string, shape: readonly number[], values: Float32Array): string {
    return this.#addInitializer(name, { type: floatType, shape, values });
  }

  bytes(name: string, shape: readonly number[], values: Int8Array): string {
    return this.#addInitializer(name, { type: byteType, shape, values });
  }

  integers(...values: readonly number[]): string {
    const name = `wholes ${values.join(' ')}`;
    return this.#addInitializer(name, {
      type: int64Type,
      shape: [values.length],
      values: BigInt64Array.from(values, BigInt),
    });
  }

  /** Adds a node and returns the name of its output. */
  addNode(
    operator: string,
    from: readonly string[],
    to: string,
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    return this.addNodeWithOutputs(operator, from, [to], attributes)[0] ?? to;
  }

  /** Adds a node with several outputs. */
  addNodeWithOutputs(
    operator: string,
    from: readonly string[],
    to: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): readonly string[] {
    const step = new ProtobufMessage();
    for (const name of from) step.text(1, name);
    for (const name of to) step.text(2, name);
    step.text(3, to.join(' ')).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) step.message(5, attributeOf(name, value));
    if (contribOperators.has(operator)) step.text(7, contribDomain);
    this.#graph.message(1, step);
    return to;
  }

  serialize(name: string): Uint8Array {
    this.#graph.text(2, name);
    const operators = new ProtobufMessage().text(1, '').integer(2, 17);
    const fusedOperators = new ProtobufMessage().text(1, contribDomain).integer(2, 1);
    return new ProtobufMessage()
      .integer(1, 8)
      .text(2, 'weir')
      .message(7, this.#graph)
      .message(8, operators)
      .message(8, fusedOperators)
      .serialize();
  }

  #addInitializer(name: string, { type, shape, values }: Initializer): string {
    if (this.#initializers.has(name)) return name;
    this.#initializers.add(name);
    const tensor = new ProtobufMessage();
    for (const side of shape) tensor.integer(1, side);
    tensor.integer(2, type).text(8, name);
    this.#graph.message(5, tensor.bytes(9, Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
    return name;
  }
}

/** Fused operators of ONNX Runtime, each of which replaces many standard ones. */
const contribOperators = new Set([
  'DynamicQuantizeMatMul',
  'QAttention',
  'SkipLayerNormalization',
  'BiasGelu',
  'FastGelu',
]);
const contribDomain = 'com.microsoft';

const floatType = 1;
const byteType = 3;
const int64Type = 7;

function describeValue(name: string, shape: readonly (number | string)[]): ProtobufMessage {
  const sides = new ProtobufMessage();
  for (const side of shape)
    sides.message(
      1,
      typeof side === 'number' ? new ProtobufMessage().integer(1, side) : new ProtobufMessage().text(2, side),
    );
  const tensor = new ProtobufMessage().integer(1, floatType).message(2, sides);
  return new ProtobufMessage().text(1, name).message(2, new ProtobufMessage().message(1, tensor));
}

function attributeOf(name: string, value: Attribute): ProtobufMessage {
  const attribute = new ProtobufMessage().text(1, name);
  if (typeof value === 'number') return attribute.integer(3, value).integer(20, 2);
  if ('float' in value) return attribute.float(2, value.float).integer(20, 1);
  for (const one of value) attribute.integer(8, one);
  return attribute.integer(20, 7);
}
