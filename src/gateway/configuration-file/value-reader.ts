import { z } from 'zod';
import type { SettingPlace } from '../../lib/settings.ts';
import { expectationOf } from './expectation.ts';
import { hasReference, type ReferenceSources, resolveReferences } from './references.ts';
import type { FileFault, FileNode, ScalarNode } from './yaml-document.ts';

interface ReadValue {
  readonly text: string | undefined;
  readonly faults: readonly FileFault[];
}

/** Writes values of the file as the texts that variables have. */
export class ValueReader {
  readonly #sources: ReferenceSources;

  constructor(sources: ReferenceSources) {
    this.#sources = sources;
  }

  async read(node: FileNode, place: SettingPlace): Promise<ReadValue> {
    const faults: FileFault[] = [];
    const text = await this.#write(node, place, faults);
    return { text: faults.length === 0 ? text : undefined, faults };
  }

  async #write(node: FileNode, place: SettingPlace, faults: FileFault[]): Promise<string | undefined> {
    if (node.kind === 'scalar') return this.#writeScalar(node, place, faults);
    if (place.form === 'document') return JSON.stringify(await this.#plain(node, faults));
    if (place.form === 'keys' && node.kind === 'list') return this.#writeKeys(node.items, faults);
    if (place.form === 'list' && node.kind === 'list') {
      const items = await Promise.all(
        node.items.map((item) => this.#writeItem(item, node.items.length, faults)),
      );
      return items.join(',');
    }
    if ((place.form === 'map' || place.form === 'headers') && node.kind === 'map') {
      const pairs: string[] = [];
      for (const { key, value } of node.entries) {
        const text = value.kind === 'scalar' ? await this.#resolve(value, faults) : undefined;
        if (text === undefined) faults.push(faultAt(value, `${key}: must be a text`));
        else pairs.push(`${key}=${place.form === 'headers' ? encodeURIComponent(text) : text}`);
      }
      return pairs.join(',');
    }
    faults.push(faultAt(node, `must be ${expectationOf(place)}`));
    return undefined;
  }

  async #writeScalar(
    node: ScalarNode,
    { schema }: SettingPlace,
    faults: FileFault[],
  ): Promise<string | undefined> {
    if (typeof node.value !== 'boolean') return this.#resolve(node, faults);
    const { enum: choices } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return choices?.includes('on') === true ? (node.value ? 'on' : 'off') : String(node.value);
  }

  /** Keys with commas, names or fields make the list JSON. */
  async #writeKeys(items: readonly FileNode[], faults: FileFault[]): Promise<string> {
    const keys = await Promise.all(
      items.map((item) => (item.kind === 'scalar' ? this.#resolve(item, faults) : this.#plain(item, faults))),
    );
    const isPlain = keys.every((key) => typeof key === 'string' && !/^\s*[[{]|,/.test(key));
    if (isPlain) return keys.join(',');
    const [only] = keys;
    return keys.length === 1 && typeof only === 'string' ? only : JSON.stringify(keys);
  }

  async #writeItem(node: FileNode, count: number, faults: FileFault[]): Promise<string> {
    const text = node.kind === 'scalar' ? await this.#resolve(node, faults) : undefined;
    if (node.kind !== 'scalar') faults.push(faultAt(node, 'must be a text'));
    else if (text?.includes(',') === true && count > 1)
      faults.push(faultAt(node, 'must not contain a comma'));
    return text ?? '';
  }

  async #plain(node: FileNode, faults: FileFault[]): Promise<unknown> {
    if (node.kind === 'list') return Promise.all(node.items.map((item) => this.#plain(item, faults)));
    if (node.kind === 'map') {
      const entries: [string, unknown][] = [];
      for (const { key, value } of node.entries) entries.push([key, await this.#plain(value, faults)]);
      return Object.fromEntries(entries);
    }
    if (typeof node.value !== 'string' || !hasReference(node.text)) return node.value;
    const text = (await this.#resolve(node, faults)) ?? '';
    // `${LIMIT}` without quotes may stand for a number.
    return !node.isQuoted && plainNumber.test(text) ? Number(text) : text;
  }

  async #resolve(node: ScalarNode, faults: FileFault[]): Promise<string | undefined> {
    const resolved = await resolveReferences(node.text, this.#sources);
    if ('text' in resolved) return resolved.text;
    faults.push(faultAt(node, resolved.fault));
    return undefined;
  }
}

const plainNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function faultAt({ line, column }: FileNode, message: string): FileFault {
  return { line, column, message };
}
