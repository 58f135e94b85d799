import { type ChatRequest, isJsonObject, type JsonObject, originalByteLength } from '../../module-api.ts';
import { findUnboundedField } from './bounded-fields.ts';
import { limits } from './limits.ts';

/** Described to the model by their provider, and run by the client. */
const clientRunKinds = /^(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch)/;

/** Looks through the tools of the request itself. */
const toolSearchKinds = /^tool_(?:search|reference)/;

/** Reads so much of what it finds, and no more. */
const webSearchKinds = /^(?:web_?search|google_?search)/i;

/** Fields by which content names what lies elsewhere. */
const referenceFields = ['file_id', 'file_uri', 'fileUri', 'file_url'];

/** Fields that let an answer be spoken. */
const audioOutputFields = [
  'modalities',
  'audio',
  'generationConfig.responseModalities',
  'generationConfig.speechConfig',
];

/** Searches that a tool makes for one answer where nobody limits it. */
const defaultToolUses = 10;

/** What a walk through a request comes across that its length doesn't tell. Nobody has checked the request before. */
export class CostFactors {
  /** Pictures and documents. */
  media = 0;
  /** Bytes of pictures, which aren't counted by their length. */
  pictureBytes = 0;
  /** Tools that the provider knows how to describe. */
  providerTools = 0;
  /** What tools of the provider's may do at most: searches, mostly. */
  providerToolUses = 0;
  /** Tokens of what searches find. */
  searchResultTokens = 0;
  /** What may make the provider read more than the request holds, nobody knows how much. */
  unboundedInput: string | undefined;
  needsInstructions: boolean;
  /** Whether a cache of an hour or longer is asked for. */
  hourCache = false;
  isSilent = true;
  /** The request's fields, with those that only its own format knows. */
  readonly fields: JsonObject;

  /** Tools of the client's format stay behind where the provider speaks another: `isTranslated`. */
  constructor(request: ChatRequest, isTranslated = false) {
    const tools = objectsIn(request.tools).filter((tool) => !isTranslated || !isProviderTool(tool));
    this.fields = Object.assign({}, request, ...Object.values(request.extensions ?? {}));
    this.needsInstructions = tools.length > 0 || request.output_config?.format != null;
    for (const tool of tools) this.#scanTool(tool);
    this.#scanBlocks(request.system);
    for (const { content } of objectsIn(request.messages)) this.#scanBlocks(content);
    if (!isTranslated) this.unboundedInput ??= findUnboundedField(this.fields);
    if (audioOutputFields.some((field) => this.fields[field] != null)) this.isSilent = false;
  }

  #scanTool(tool: JsonObject): void {
    this.#scanCacheMarker(tool.cache_control);
    if (!isProviderTool(tool)) return;
    const kind = kindOf(tool);
    this.providerTools++;
    if (clientRunKinds.test(kind) || toolSearchKinds.test(kind)) return;
    const { max_uses: most } = tool;
    const said = typeof most === 'number' && most > 0 ? Math.ceil(most) : undefined;
    const uses = Math.min(said ?? defaultToolUses, limits.estimatedUsesMax);
    this.providerToolUses = Math.min(this.providerToolUses + uses, limits.estimatedUsesMax);
    if (webSearchKinds.test(kind))
      this.searchResultTokens += (said === undefined ? limits.defaultSearches : uses) * limits.searchTokens;
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

/** Whether it names a file or an address, itself, in its source, or in what only its own format knows. */
function hasExternalReference(block: JsonObject): boolean {
  const { source, part } = block;
  if (isJsonObject(source)) return source.type === 'url' || source.type === 'file';
  const places = isJsonObject(part) ? [part, ...Object.values(part)] : [block];
  return places.some((place) => isJsonObject(place) && referenceFields.some((name) => name in place));
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Of a kind that its provider knows. */
function isProviderTool(tool: JsonObject): boolean {
  const kind = kindOf(tool);
  return kind !== '' && kind !== 'custom' && kind !== 'function';
}

/** Of what only its own format knows, the name that it has there. */
function kindOf({ type, kind }: JsonObject): string {
  const named = type === 'foreign' ? kind : type;
  return typeof named === 'string' ? named : '';
}
