import { GatewayError } from '../kernel/errors.ts';
import type { Block, ChatRequest, Tool } from '../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ExtensionFields } from './extension-fields.ts';

/**
 * Format-specific parts of a request. Fields go to `extensions` under the format's name, or, if omitting them would
 * change the answer, under that name with `!`; content and tools of unknown kinds are wrapped. Their own format writes
 * them back; other formats list the former as dropped and reject the latter.
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

/** A format's own fields, to write back into its body. */
export function extensionBodyFields(request: ChatRequest, wire: string): JsonObject {
  const { extensions } = request;
  if (!isJsonObject(extensions)) return {};
  const all = { ...extensions[wire], ...extensions[`${wire}!`] };
  // A name with a bracket is a path, not a field.
  return Object.fromEntries(Object.entries(all).filter(([field]) => !field.includes('[')));
}

/** Names the fields of other formats that this one drops; throws if that would change the answer. */
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

/** Fields that every format supports. */
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

/** Names the request fields that a format doesn't support; it supports the common ones and `alsoSupported`. */
export function unsupportedFields(
  request: ChatRequest,
  alsoSupported: readonly string[] = [],
): readonly string[] {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  return [...fields.map(([field]) => field), ...anthropicSettings(request)].filter(
    (field) => !commonFields.has(field) && !alsoSupported.includes(field),
  );
}

/** Settings inside of common fields that only Anthropic's API has. */
function anthropicSettings({ thinking, output_config: config }: ChatRequest): readonly string[] {
  const settings: string[] = [];
  if (isJsonObject(config) && config.task_budget != null) settings.push('output_config.task_budget');
  if (!isJsonObject(thinking)) return settings;
  if (thinking.type === 'between_tools') settings.push('thinking.between_tools');
  const display = 'display' in thinking ? thinking.display : undefined;
  if (display != null && display !== 'summarized') settings.push('thinking.display');
  return settings;
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

/** Content that only its own format understands. Like any newer block type, it is not in the union. */
export function foreignBlock(wire: string, part: JsonObject, kind = kindOf(part)): Block {
  const block: unknown = { type: 'foreign', wire, kind, part } satisfies ForeignPart;
  return block as Block;
}

/** A tool that only its own format understands. */
export function foreignTool(wire: string, part: JsonObject, kind = kindOf(part)): Tool {
  return Object.assign({ type: 'foreign', name: kind }, { wire, kind, part });
}

/** A foreign tool that survives rewriting of replies: everything it adds to them is carried along. */
export function losslessForeignTool(wire: string, part: JsonObject, kind = kindOf(part)): Tool {
  return Object.assign(foreignTool(wire, part, kind), { isCarried: true });
}

/** Whether the tool is format-specific and its output would be lost in a rewritten answer. */
export function isLostInRewrite(tool: Tool): boolean {
  const { type, isCarried }: Tool & { readonly isCarried?: unknown } = tool;
  return type === 'foreign' && isCarried !== true;
}

/** A type that isn't a valid name counts as unknown. */
function kindOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : 'unknown';
}

export function foreignPartOf(value: unknown): ForeignPart | undefined {
  if (!isJsonObject(value) || value.type !== 'foreign') return undefined;
  const { wire, kind, part } = value;
  if (typeof wire !== 'string' || typeof kind !== 'string' || !isJsonObject(part)) return undefined;
  return { type: 'foreign', wire, kind, part };
}
