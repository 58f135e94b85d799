import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nearestName } from '../../lib/nearest-name.ts';
import type { SettingPlace } from '../../lib/settings.ts';
import { limits } from './limits.ts';
import { childrenNamed, createPlaceTree, namesIn, type PlaceTree, variableOf } from './place-tree.ts';
import type { ReferenceSources } from './references.ts';
import { ValueReader } from './value-reader.ts';
import { type FileFault, type FileNode, type MapNode, type Position, readYaml } from './yaml-document.ts';

/** A variable that the file sets. */
interface FileValue extends Position {
  /** The path in the file, such as `log.level`. */
  readonly at: string;
  readonly text: string;
  readonly node: FileNode;
  readonly place: SettingPlace;
  /** All variables with this place: any of them wins over the file. */
  readonly variables: readonly string[];
}

export interface ConfigurationFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, FileValue>;
  readonly faults: readonly FileFault[];
  /** The digests of what was read, by path: of this file, and of those that values come from. */
  readonly digests: ReadonlyMap<string, string>;
}

interface ReadOptions extends Pick<ReferenceSources, 'environment' | 'mayExecute'> {
  readonly places: readonly SettingPlace[];
}

/** Reads a file as the variables that it stands for, with every fault in it. */
export async function readConfigurationFile(path: string, options: ReadOptions): Promise<ConfigurationFile> {
  const digests = new Map<string, string>();
  const onFile = (file: string, content: Uint8Array | undefined) => digests.set(file, digestOf(content));
  const sources = { ...options, folder: dirname(path), onFile };
  const text = await readText(path, onFile);
  if (typeof text !== 'string') return { path, values: new Map(), faults: [text], digests };
  const { node, faults, isReadable } = readYaml(text);
  const walk = new FileWalk(new ValueReader(sources));
  if (isReadable) await walk.readRoot(node, createPlaceTree(options.places));
  return {
    path,
    values: walk.values,
    faults: [...faults, ...walk.faults].toSorted(byPosition).slice(0, limits.faultsMax),
    digests,
  };
}

/** Of a file; `undefined` stands for one that can't be read. */
export function digestOf(content: Uint8Array | undefined): string {
  return content === undefined ? 'missing' : hash('sha256', content);
}

function byPosition(one: Position, other: Position): number {
  return one.line - other.line || one.column - other.column;
}

async function readText(path: string, onFile: ReferenceSources['onFile']): Promise<string | FileFault> {
  const start = { line: 1, column: 1 };
  try {
    const { size } = await stat(path);
    if (size > limits.fileBytesMax)
      return { ...start, message: `has more than ${limits.fileBytesMax} bytes` };
    const content = await readFile(path);
    onFile(path, content);
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (thrown) {
    const message = thrown instanceof TypeError ? 'is not UTF-8' : `can't be read: ${Object(thrown).message}`;
    return { ...start, message };
  }
}

/** Finds the place of each name, and reads its value. */
class FileWalk {
  readonly values = new Map<string, FileValue>();
  readonly faults: FileFault[] = [];
  readonly #reader: ValueReader;

  constructor(reader: ValueReader) {
    this.#reader = reader;
  }

  async readRoot(node: FileNode, tree: PlaceTree): Promise<void> {
    if (node.kind === 'map') await this.#readMap(node, [tree], [], []);
    else if (node.kind === 'list' || node.value !== null)
      this.#add(node, 'must have names and values, such as "log: {level: info}"');
  }

  async #readMap(
    map: MapNode,
    trees: readonly PlaceTree[],
    path: readonly string[],
    chosen: readonly string[],
  ): Promise<void> {
    for (const { key, value, line, column } of map.entries) {
      // For editors, which find the JSON Schema by it.
      if (path.length === 0 && key === '$schema') continue;
      const below = childrenNamed(trees, key);
      const { isOpen, names } = namesIn(trees);
      const at = [...path, key];
      if (below.length === 0) this.#add({ line, column }, unknownName(at, names));
      else if (isOpen && !freeName.test(key))
        this.#add(
          { line, column },
          `"${key.slice(0, 50)}" must consist of lower-case letters, digits and hyphens`,
        );
      else await this.#readEntry(value, below, at, isOpen ? [...chosen, key] : chosen);
    }
  }

  async #readEntry(
    node: FileNode,
    trees: readonly PlaceTree[],
    path: readonly string[],
    chosen: readonly string[],
  ): Promise<void> {
    const at = path.join('.');
    const places = trees.flatMap((tree) => tree.places);
    const [place] = places;
    // As blank variables.
    if (node.kind === 'scalar' && node.value === null) return;
    if (place === undefined) {
      if (node.kind === 'map') await this.#readMap(node, trees, path, chosen);
      else
        this.#add(node, `${at}: must have names and values: ${namesIn(trees).names.slice(0, 8).join(', ')}`);
      return;
    }
    const { faults, text } = await this.#reader.read(node, place);
    for (const fault of faults) this.#add(fault, `${at}: ${fault.message}`);
    if (text?.trim()) {
      const { line, column } = node;
      const variables = places.map((one) => variableOf(one, chosen));
      this.values.set(variableOf(place, chosen), { at, text, node, place, variables, line, column });
    }
  }

  #add({ line, column }: Position, message: string): void {
    this.faults.push({ line, column, message });
  }
}

const freeName = /^[a-z][a-z0-9-]{0,49}$/;

function unknownName(path: readonly string[], names: readonly string[]): string {
  const name = path.at(-1) ?? '';
  const nearest = nearestName(name, names);
  const where = path.length === 1 ? 'the file' : path.slice(0, -1).join('.');
  const hint =
    nearest === undefined ? `it may have ${names.toSorted().join(', ')}` : `did you mean "${nearest}"?`;
  return `${where} has no setting "${name.slice(0, 50)}"; ${hint}`;
}
