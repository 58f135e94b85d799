import { isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import { limits } from './limits.ts';

/** A place in the file. Lines and columns begin with 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface FileFault extends Position {
  readonly message: string;
}

export type FileNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends Position {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** As written: `0.50` is the number 0.5. */
  readonly text: string;
  readonly isQuoted: boolean;
}

interface ListNode extends Position {
  readonly kind: 'list';
  readonly items: readonly FileNode[];
}

export interface MapNode extends Position {
  readonly kind: 'map';
  readonly entries: readonly FileEntry[];
}

interface FileEntry extends Position {
  readonly key: string;
  readonly value: FileNode;
}

const start: Position = { line: 1, column: 1 };

interface YamlResult {
  readonly node: FileNode;
  readonly faults: readonly FileFault[];
  /** Whether the names and values are those that were meant. */
  readonly isReadable: boolean;
}

/** Reads YAML, and JSON with it. */
export function readYaml(text: string): YamlResult {
  if (isTooDeep(text))
    return {
      node: emptyNode(start),
      faults: [{ ...start, message: 'is nested too deeply' }],
      isReadable: false,
    };
  const lines = new LineCounter();
  const reader = new NodeReader((offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  });
  // The parser's own check of names takes quadratic time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  for (const { message, pos } of [...document.errors, ...document.warnings])
    reader.addFault(pos[0], `is not valid YAML: ${message}`);
  const isReadable = reader.faults.length === 0;
  return { node: reader.read(document.contents, 0), faults: reader.faults, isReadable };
}

/** Brackets that were not closed before others were opened; the parser is recursive. Brackets in texts count, too. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth++;
    else if ((letter === ']' || letter === '}') && depth > 0) depth--;
    if (depth > limits.bracketsMax) return true;
  }
  return text.split('\n').some(beginsWithManyMarks);
}

/** A list in a list in a list may be written in one line. */
function beginsWithManyMarks(line: string): boolean {
  const words = line.trimStart().split(' ', limits.bracketsMax);
  return words.length === limits.bracketsMax && words.every((word) => word === '-' || word === '?');
}

function emptyNode(position: Position): FileNode {
  return { kind: 'scalar', value: null, text: '', isQuoted: false, ...position };
}

/** Turns the parser's nodes into plain ones. Anchors are resolved, and their values counted wherever they are used. */
class NodeReader {
  readonly faults: FileFault[] = [];
  readonly #positionAt: (offset: number) => Position;
  readonly #anchors = new Map<string, unknown>();
  #count = 0;

  constructor(positionAt: (offset: number) => Position) {
    this.#positionAt = positionAt;
  }

  addFault(offset: number, message: string): void {
    this.faults.push({ ...this.#positionAt(offset), message });
  }

  read(node: unknown, depth: number): FileNode {
    const offset = offsetOf(node);
    const position = this.#positionAt(offset);
    if (++this.#count > limits.nodesMax || depth > limits.depthMax) {
      if (this.#count === limits.nodesMax + 1)
        this.addFault(offset, `has more than ${limits.nodesMax} values`);
      else if (depth > limits.depthMax) this.addFault(offset, 'is nested too deeply');
      return emptyNode(position);
    }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) this.addFault(offset, `there is no anchor "${node.source}" before this line`);
      return { ...this.read(target, depth + 1), ...position };
    }
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, node);
    if (isSeq(node))
      return { kind: 'list', items: node.items.map((item) => this.read(item, depth + 1)), ...position };
    if (isMap(node)) return { kind: 'map', entries: this.#readEntries(node.items, depth), ...position };
    return isScalar(node)
      ? scalarNode(node.value, node.source, isQuoted(node.type), position)
      : emptyNode(position);
  }

  #readEntries(pairs: readonly Pair<unknown, unknown>[], depth: number): readonly FileEntry[] {
    const entries = new Map<string, FileEntry>();
    const merged: FileEntry[] = [];
    for (const pair of pairs) {
      const { key: name, value } = pair;
      const offset = offsetOf(name);
      if (!isScalar(name)) {
        this.addFault(offset, 'a name must be a text');
        continue;
      }
      const key = name.source ?? String(name.value);
      const position = this.#positionAt(offset);
      if (key === '<<' && !isQuoted(name.type))
        merged.push(...this.#mergedEntries(this.read(value, depth + 1)));
      else if (entries.has(key)) this.addFault(offset, `"${key.slice(0, 100)}" is there twice`);
      else entries.set(key, { key, ...position, value: this.#readValue(value, position, depth) });
    }
    for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return [...entries.values()];
  }

  #readValue(value: unknown, position: Position, depth: number): FileNode {
    return value === null ? emptyNode(position) : this.read(value, depth + 1);
  }

  #mergedEntries(node: FileNode): readonly FileEntry[] {
    if (node.kind === 'map') return node.entries;
    return node.kind === 'list' ? node.items.flatMap((item) => this.#mergedEntries(item)) : [];
  }
}

function isQuoted(type: unknown): boolean {
  return type !== undefined && type !== 'PLAIN';
}

function scalarNode(
  value: unknown,
  source: string | undefined,
  quoted: boolean,
  position: Position,
): FileNode {
  const isSimple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = typeof value === 'string' ? value : (source ?? '');
  return { kind: 'scalar', value: isSimple ? value : null, text, isQuoted: quoted, ...position };
}

function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}
