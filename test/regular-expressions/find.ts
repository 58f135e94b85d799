import { readFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';

export interface Expression {
  /** `src/a.ts:12` */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
  /** Whether the text that it is applied to is cut to 200 characters in the same call. */
  readonly isBounded: boolean;
}

export interface FileExpressions {
  readonly literals: readonly Expression[];
  /** Where `RegExp` is called with a source that is put together at run time. */
  readonly built: readonly string[];
}

/** An expression that isn't linear may be applied to texts of so many characters. */
const boundedCharactersMax = 200;

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

/** Every regular expression that a source file writes or builds. */
export function expressionsIn(file: string): FileExpressions {
  const text = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const literals: Expression[] = [];
  const built: string[] = [];
  const named = new Set<string>();
  const placeOf = ({ start }: Node) => `${file}:${text.slice(0, start).split('\n').length}`;
  walk(program, [], (node, parents) => {
    const { regex } = node;
    if (isLiteral(regex)) {
      literals.push({
        place: placeOf(node),
        source: regex.pattern,
        flags: regex.flags,
        isBounded: isBounded(node, parents),
      });
      const declared = parents.at(-1);
      if (declared?.type === 'VariableDeclarator') named.add(nameOf(declared.id) ?? '');
    }
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (!isCall || nameOf(node.callee) !== 'RegExp') return;
    const [argument] = nodesOf(node.arguments);
    // A copy of one that is written in this file.
    if (argument === undefined || !named.has(nameOf(argument) ?? '-')) built.push(placeOf(node));
  });
  return { literals, built };
}

/** `/a/.test(text.slice(0, 200))`, `text.slice(-80).replace(/a/, '')` and their kind. */
function isBounded(node: Node, parents: readonly Node[]): boolean {
  const [call, member] = [parents.findLast(({ type }) => type === 'CallExpression'), parents.at(-1)];
  if (call === undefined || !isNode(call.callee)) return false;
  const [argument] = nodesOf(call.arguments);
  const text = argument === node ? call.callee.object : member === call.callee ? argument : undefined;
  return isNode(text) && isShortSlice(text);
}

function isShortSlice(text: Node): boolean {
  if (text.type !== 'CallExpression' || !isNode(text.callee) || nameOf(text.callee.property) !== 'slice')
    return false;
  const [start, end] = nodesOf(text.arguments).map(numberOf);
  const length = start === 0 ? end : end === undefined && start !== undefined ? -start : undefined;
  return length !== undefined && length >= 0 && length <= boundedCharactersMax;
}

function numberOf({ type, value, argument }: Node): number | undefined {
  if (type === 'UnaryExpression' && isNode(argument)) return -(numberOf(argument) ?? Number.NaN);
  return typeof value === 'number' ? value : undefined;
}

function walk(
  value: unknown,
  parents: readonly Node[],
  see: (node: Node, parents: readonly Node[]) => void,
): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, parents, see);
  } else if (isNode(value)) {
    see(value, parents);
    const within = [...parents, value];
    for (const child of Object.values(value)) if (typeof child === 'object') walk(child, within, see);
  }
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function isLiteral(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' && typeof value.name === 'string'
    ? value.name
    : undefined;
}
