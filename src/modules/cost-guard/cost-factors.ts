import { type ChatRequest, isJsonObject, type JsonObject, originalByteLength } from '../../module-api.ts';
import { findUnboundedField } from './bounded-fields.ts';
import { type FurtherPass, furtherPassesOf } from './further-passes.ts';
import { limits } from './limits.ts';

/** Tools that the provider describes to the model and the client runs. */
const clientRunKinds = /^(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch)/;

/** Tools that search the tools of the request. */
const toolSearchKinds = /^tool_(?:search|reference)/;

/** Tools that add a bounded amount of search results. */
const webSearchKinds = /^(?:web_?search|google_?search)/i;

/** Fields of content blocks that refer to external data. */
const referenceFields = ['file_id', 'file_uri', 'fileUri', 'file_url'];

/** Fields that enable audio output. */
const audioOutputFields = [
  'modalities',
  'audio',
  'generationConfig.responseModalities',
  'generationConfig.speechConfig',
];

/** What affects a request's cost beyond its length. The request is not validated yet. */
export class CostFactors {
  /** Pictures and documents. */
  media = 0;
  /** Bytes of pictures, which have a flat token count. */
  pictureBytes = 0;
  /** Tools that the provider describes to the model. */
  providerTools = 0;
  /** Maximum uses of the provider's own tools, mostly searches. */
  providerToolUses = 0;
  /** Tokens of search results. */
  searchResultTokens = 0;
  /** What may make the provider read an unknown amount beyond the request. */
  unboundedInput: string | undefined;
  needsInstructions: boolean;
  /** Whether the request asks for a cache TTL of an hour or more. */
  hourCache = false;
  isSilent = true;
  /** What the provider may bill beside the answer. */
  readonly furtherPasses: readonly FurtherPass[];
  /** The request's fields, including format-specific ones. */
  readonly fields: JsonObject;

  /** With `isTranslated`, tools specific to the client's format don't reach the provider. */
  constructor(request: ChatRequest, isTranslated = false) {
    const tools = objectsIn(request.tools).filter((tool) => !isTranslated || !isProviderTool(tool));
    this.fields = Object.assign({}, request, ...Object.values(request.extensions ?? {}));
    this.needsInstructions = tools.length > 0 || request.output_config?.format != null;
    for (const tool of tools) this.#scanTool(tool);
    this.#scanBlocks(request.system);
    for (const { content } of objectsIn(request.messages)) this.#scanBlocks(content);
    this.furtherPasses = isTranslated ? [] : furtherPassesOf(this.fields, tools);
    if (!isTranslated) this.unboundedInput ??= findUnboundedField(this.fields);
    this.#scanCacheMarker(this.fields.cache_control);
    if (audioOutputFields.some((field) => this.fields[field] != null)) this.isSilent = false;
  }

  #scanTool(tool: JsonObject): void {
    this.#scanCacheMarker(tool.cache_control);
    if (!isProviderTool(tool)) return;
    const kind = kindOf(tool);
    this.providerTools++;
    if (clientRunKinds.test(kind) || toolSearchKinds.test(kind)) return;
    const { max_uses: most } = tool;
    const usesMax = typeof most === 'number' && most > 0 ? Math.ceil(most) : undefined;
    const uses = Math.min(usesMax ?? limits.defaultToolUses, limits.estimatedUsesMax);
    this.providerToolUses = Math.min(this.providerToolUses + uses, limits.estimatedUsesMax);
    if (webSearchKinds.test(kind))
      this.searchResultTokens +=
        (usesMax === undefined ? limits.defaultSearches : uses) * limits.searchTokens;
    else this.unboundedInput ??= `tools: ${kind}`;
  }

  #scanBlocks(content: unknown): void {
    for (const block of objectsIn(content)) {
      this.#scanCacheMarker(block.cache_control);
      this.#scanBlock(block);
    }
  }

  #scanBlock(block: JsonObject): void {
    switch (block.type) {
      case 'text':
      case 'thinking':
      case 'redacted_thinking':
      case 'tool_use':
        return;
      case 'image':
        this.media++;
        if (isJsonObject(block.source) && typeof block.source.data === 'string')
          this.pictureBytes += originalByteLength(block.source.data);
        return;
      case 'document':
        this.media++;
        this.needsInstructions = true;
        if (!isJsonObject(block.source) || block.source.data === undefined)
          this.unboundedInput ??= 'a document by reference';
        return;
      case 'tool_result':
        this.#scanBlocks(block.content);
        return;
      default: {
        const kind = kindOf(block);
        if (kind.includes('audio')) this.isSilent = false;
        if (toolSearchKinds.test(kind)) return;
        if (kind.includes('reference') || hasExternalReference(block))
          this.unboundedInput ??= `content: ${kind}`;
      }
    }
  }

  #scanCacheMarker(marker: unknown): void {
    if (isJsonObject(marker) && marker.ttl === '1h') this.hourCache = true;
  }
}

/** Whether it refers to a file or URL: directly, in its source, or in a format-specific part. */
function hasExternalReference(block: JsonObject): boolean {
  const { source, part } = block;
  if (isJsonObject(source)) return source.type === 'url' || source.type === 'file';
  const candidates = isJsonObject(part) ? [part, ...Object.values(part)] : [block];
  return candidates.some((one) => isJsonObject(one) && referenceFields.some((name) => name in one));
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Whether the provider defines the tool. */
function isProviderTool(tool: JsonObject): boolean {
  const kind = kindOf(tool);
  return kind !== '' && kind !== 'custom' && kind !== 'function';
}

/** The type name, or for a format-specific part its name in that format. */
function kindOf({ type, kind }: JsonObject): string {
  const named = type === 'foreign' ? kind : type;
  return typeof named === 'string' ? named : '';
}
