import { isJsonObject } from '../lib/json.ts';
import type { ClientRequest } from './client-request.ts';
import { invalidFieldError } from './input-validation.ts';
import { limits } from './limits.ts';
import { formatPromptVersion, type PromptVersion } from './prompt.ts';

/** Labels of a call, such as its team and environment, by name. */
export type Tags = Readonly<Record<string, string>>;

export const noTags: Tags = Object.freeze({});

const tagsHeader = 'x-weir-tags';
/** The first character keeps out names that objects inherit, such as `__proto__`. */
const namePattern = new RegExp(`^[A-Za-z][A-Za-z0-9_.-]{0,${limits.tagNameMax - 1}}$`);
const headerValuePattern = /^[\x20-\x7e]*$/;
/** A comma separates tags. */
const valuePattern = /^[^\p{Cc},]+$/u;

export function isTagName(name: string): boolean {
  return namePattern.test(name);
}

export function isTagValue(value: string): boolean {
  return (
    Buffer.byteLength(value) <= limits.tagValueBytesMax && value.isWellFormed() && valuePattern.test(value)
  );
}

export function hasTags(tags: Tags): boolean {
  return tags !== noTags && Object.keys(tags).length > 0;
}

/** Undefined if the call has no such tag. */
export function tagOf(tags: Tags, name: string): string | undefined {
  return Object.hasOwn(tags, name) ? tags[name] : undefined;
}

/** Tags that the gateway gives to calls with a stored prompt: its name, and its version such as `support@3`. */
const promptTag = 'weir.prompt';
const promptVersionTag = 'weir.prompt.version';
const ownTags: readonly string[] = [promptTag, promptVersionTag];

/** The stored prompt that a call's tags name. */
export function promptOfTags(tags: Tags): PromptVersion | undefined {
  const [name, version] = [tagOf(tags, promptTag), tagOf(tags, promptVersionTag)];
  if (name === undefined || version === undefined) return undefined;
  const number = Number(version.slice(name.length + 1));
  return Number.isInteger(number) ? { name, version: number } : undefined;
}

/** Reads the tags of calls: those of the header, and listed names of the body's metadata. */
export class TagReader {
  readonly #metadataNames: readonly string[];

  constructor(metadataNames: readonly string[] = []) {
    this.#metadataNames = metadataNames;
  }

  /** Rejects an invalid header. Metadata is meant for the provider: values that are no tags are left out. */
  read(clientRequest: ClientRequest): Tags {
    const { prompt } = clientRequest;
    const tags = this.#readSent(clientRequest);
    return prompt === undefined
      ? tags
      : { ...tags, [promptTag]: prompt.name, [promptVersionTag]: formatPromptVersion(prompt) };
  }

  #readSent(clientRequest: ClientRequest): Tags {
    const header = clientRequest.header(tagsHeader);
    if (header === undefined && this.#metadataNames.length === 0) return noTags;
    const tags = header === undefined ? new Map<string, string>() : parseHeader(header);
    for (const [name, value] of this.#metadataTags(clientRequest))
      if (tags.size < limits.tagsMax && !tags.has(name)) tags.set(name, value);
    return tags.size === 0 ? noTags : Object.fromEntries([...tags].sort(byName));
  }

  /** None if the header is invalid. */
  readIfValid(clientRequest: ClientRequest): Tags {
    try {
      return this.read(clientRequest);
    } catch {
      return noTags;
    }
  }

  *#metadataTags({ fields, relay, wire: { tagsField } }: ClientRequest): Iterable<readonly [string, string]> {
    if (tagsField === undefined || relay !== undefined || this.#metadataNames.length === 0) return;
    const metadata = fields.get(tagsField);
    if (!isJsonObject(metadata)) return;
    for (const name of this.#metadataNames) {
      const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
      if (typeof value === 'string' && isTagValue(value) && !ownTags.includes(name)) yield [name, value];
    }
  }
}

/** `team=search, env=prod` */
function parseHeader(header: string): Map<string, string> {
  const tags = new Map<string, string>();
  if (header.trim() === '') return tags;
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at < 0 || !isTagName(name) || !headerValuePattern.test(value) || !isTagValue(value))
      throw invalidFieldError(
        `must be a list such as team=search,env=prod: names of up to ${limits.tagNameMax} letters, digits and . _ - that begin with a letter, and values of 1 to ${limits.tagValueBytesMax} ASCII characters without commas`,
        tagsHeader,
      );
    if (ownTags.includes(name)) throw invalidFieldError(`"${name}" is a tag of the gateway`, tagsHeader);
    if (tags.has(name)) throw invalidFieldError(`has "${name}" more than once`, tagsHeader);
    tags.set(name, value);
  }
  if (tags.size > limits.tagsMax) throw invalidFieldError(`has more than ${limits.tagsMax} tags`, tagsHeader);
  return tags;
}

/** The same tags always have the same order. */
function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
