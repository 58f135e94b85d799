import { GatewayError } from '../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import type { Block, ChatRequest, Tool } from '../kernel/message.ts';
import type { ExtensionFields } from './extension-fields.ts';

/**
 * What one format has and the canonical shape has not. Fields stand in `extensions` under the format's name, or, where
 * leaving them out would change what the answer means, under that name with `!`; content and tools of a kind of their
 * own are wrapped. Their own format writes them back; another one lists the former as dropped and refuses the latter.
 */
export function toExtensions(
  wire: string,
  { optional, essential }: ExtensionFields,
): ChatRequest['extensions'] {
  const extensions: Record<string, JsonObject> = {};
  if (Object.keys(optional).length > 0) extensions[wire] = optional;
  if (Object.keys(essential).length > 0) extensions[`${wire}!`] = essential;
  return Object.keys(extensions).length > 0 ? extensions : undefined;
}

/** A format's own fields, to be written back into its own body. */
export function extensionBodyFields(request: ChatRequest, wire: string): JsonObject {
  const { extensions } = request;
  if (!isJsonObject(extensions)) return {};
  const all = { ...extensions[wire], ...extensions[`${wire}!`] };
  // A name with a bracket says where in the body something stands; it is no field itself.
  return Object.fromEntries(Object.entries(all).filter(([field]) => !field.includes('[')));
}

/** Names what other formats' fields lose in this one; throws where that would change the meaning. */
export function droppedExtensionFields(request: ChatRequest, wire: string): readonly string[] {
  if (!isJsonObject(request.extensions)) return [];
  const dropped: string[] = [];
  for (const [owner, fields] of Object.entries(request.extensions)) {
    if (owner === wire || owner === `${wire}!` || !isJsonObject(fields)) continue;
    const [field] = Object.keys(fields);
    if (owner.endsWith('!') && field !== undefined) throw untranslatableError(field, wire);
    dropped.push(...Object.keys(fields));
  }
  return dropped;
}

/** What every format has a place for. */
const commonFields: ReadonlySet<string> = new Set([
  'model',
  'system',
  'messages',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'extensions',
]);

/** Names the fields of a request that a format has no place for; `besides` are those that it has one for and not all have. */
export function unsupportedFields(request: ChatRequest, besides: readonly string[] = []): readonly string[] {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  return fields
    .map(([field]) => field)
    .filter((field) => !commonFields.has(field) && !besides.includes(field));
}

export function untranslatableError(field: string, wire: string): GatewayError {
  const message = `"${field}" can't be expressed in ${wire}, the format of this model's provider, and leaving it out would change the answer; remove it or choose a model whose provider speaks your format`;
  return new GatewayError('format_not_supported', message, { param: field });
}

interface ForeignPart {
  readonly type: 'foreign';
  readonly wire: string;
  readonly kind: string;
  readonly part: JsonObject;
}

/** A piece of content that only its own format understands. Like any block of a newer kind, it is not in the union. */
export function foreignBlock(wire: string, part: JsonObject, kind = kindOf(part)): Block {
  const block: unknown = { type: 'foreign', wire, kind, part } satisfies ForeignPart;
  return block as Block;
}

/** A tool that only its own format understands. */
export function foreignTool(wire: string, part: JsonObject, kind = kindOf(part)): Tool {
  return Object.assign({ type: 'foreign', name: kind }, { wire, kind, part });
}

/** One of which nothing is lost where answers are written anew: whatever it brings into them is carried along. */
export function losslessForeignTool(wire: string, part: JsonObject, kind = kindOf(part)): Tool {
  return Object.assign(foreignTool(wire, part, kind), { isCarried: true });
}

/** A type that is no name is none: what it is can only be told by its own format. */
function kindOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : 'unknown';
}

export function foreignPartOf(value: unknown): ForeignPart | undefined {
  if (!isJsonObject(value) || value.type !== 'foreign') return undefined;
  const { wire, kind, part } = value;
  if (typeof wire !== 'string' || typeof kind !== 'string' || !isJsonObject(part)) return undefined;
  return { type: 'foreign', wire, kind, part };
}
