import { bytesOfText, type ChatRequest, isJsonObject, type JsonObject } from '../../module-api.ts';
import { limits } from './limits.ts';
import { unsizedField } from './sized-fields.ts';

/** Described to the model by their provider, and run by the client. */
const runByClient = /^(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch)/;

/** Looks through the tools of the request itself. */
const readsRequest = /^tool_(?:search|reference)/;

/** Reads so much of what it finds, and no more. */
const searchesWeb = /^(?:web_?search|google_?search)/i;

/** Fields by which content names what lies elsewhere. */
const references = ['file_id', 'file_uri', 'fileUri', 'file_url'];

/** Fields that let an answer be spoken. */
const speaking = [
  'modalities',
  'audio',
  'generationConfig.responseModalities',
  'generationConfig.speechConfig',
];

/** Searches that a tool makes for one answer where nobody limits it. */
const usesWhenUnsaid = 10;

/** What a walk through a request comes across that its length doesn't tell. Nobody has checked the request before. */
export class Findings {
  /** Pictures and documents. */
  media = 0;
  /** Bytes of pictures, which aren't counted by their length. */
  pictureBytes = 0;
  /** Tools that the provider knows how to describe. */
  describedTools = 0;
  /** What tools of the provider's may do at most: searches, mostly. */
  providerUses = 0;
  /** Tokens of what searches find. */
  foundTokens = 0;
  /** What may make the provider read more than the request holds, nobody knows how much. */
  unsized: string | undefined;
  needsExplaining: boolean;
  /** Whether a cache of an hour or longer is asked for. */
  hourCache = false;
  isSilent = true;
  /** The request's fields, with those that only its own format knows. */
  readonly own: JsonObject;

  /** Tools of the client's format stay behind where the provider speaks another: `isTranslated`. */
  constructor(request: ChatRequest, isTranslated = false) {
    const tools = objectsIn(request.tools).filter((tool) => !isTranslated || !isDescribed(tool));
    this.own = Object.assign({}, request, ...Object.values(request.extensions ?? {}));
    this.needsExplaining = tools.length > 0 || request.output_config?.format != null;
    for (const tool of tools) this.#tool(tool);
    this.#blocks(request.system);
    for (const { content } of objectsIn(request.messages)) this.#blocks(content);
    if (!isTranslated) this.unsized ??= unsizedField(this.own);
    if (speaking.some((field) => this.own[field] != null)) this.isSilent = false;
  }

  #tool(tool: JsonObject): void {
    this.#marker(tool.cache_control);
    if (!isDescribed(tool)) return;
    const kind = kindOf(tool);
    this.describedTools++;
    if (runByClient.test(kind) || readsRequest.test(kind)) return;
    const { max_uses: most } = tool;
    const said = typeof most === 'number' && most > 0 ? Math.ceil(most) : undefined;
    const uses = Math.min(said ?? usesWhenUnsaid, limits.reckonedTimesMax);
    this.providerUses = Math.min(this.providerUses + uses, limits.reckonedTimesMax);
    if (searchesWeb.test(kind))
      this.foundTokens += (said === undefined ? limits.searchesWhenUnsaid : uses) * limits.searchTokens;
    else this.unsized ??= `tools: ${kind}`;
  }

  #blocks(content: unknown): void {
    for (const block of objectsIn(content)) {
      this.#marker(block.cache_control);
      this.#block(block);
    }
  }

  #block(block: JsonObject): void {
    switch (block.type) {
      case 'text':
      case 'thinking':
      case 'redacted_thinking':
      case 'tool_use':
        return;
      case 'image':
        this.media++;
        if (isJsonObject(block.source) && typeof block.source.data === 'string')
          this.pictureBytes += bytesOfText(block.source.data);
        return;
      case 'document':
        this.media++;
        this.needsExplaining = true;
        if (!isJsonObject(block.source) || block.source.data === undefined)
          this.unsized ??= 'a document by reference';
        return;
      case 'tool_result':
        this.#blocks(block.content);
        return;
      default: {
        const kind = kindOf(block);
        if (kind.includes('audio')) this.isSilent = false;
        if (readsRequest.test(kind)) return;
        if (kind.includes('reference') || refersElsewhere(block)) this.unsized ??= `content: ${kind}`;
      }
    }
  }

  #marker(marker: unknown): void {
    if (isJsonObject(marker) && marker.ttl === '1h') this.hourCache = true;
  }
}

/** Whether it names a file or an address, itself, in its source, or in what only its own format knows. */
function refersElsewhere(block: JsonObject): boolean {
  const { source, part } = block;
  if (isJsonObject(source)) return source.type === 'url' || source.type === 'file';
  const places = isJsonObject(part) ? [part, ...Object.values(part)] : [block];
  return places.some((place) => isJsonObject(place) && references.some((name) => name in place));
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Of a kind that its provider knows. */
function isDescribed(tool: JsonObject): boolean {
  const kind = kindOf(tool);
  return kind !== '' && kind !== 'custom' && kind !== 'function';
}

/** Of what only its own format knows, the name that it has there. */
function kindOf({ type, kind }: JsonObject): string {
  const named = type === 'foreign' ? kind : type;
  return typeof named === 'string' ? named : '';
}
