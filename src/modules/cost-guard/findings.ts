import { bytesOfText, type ChatRequest, isJsonObject, type JsonObject } from '../../module-api.ts';
import { limits } from './limits.ts';

/** Described to the model by their provider, and run by the client. */
const runByClient = /^(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch)/;

/** Looks through the tools of the request itself. */
const readsRequest = /^tool_(?:search|reference)/;

/** Reads so much of what it finds, and no more. */
const searchesWeb = /^(?:web_?search|google_?search)/i;

/** Fields that make a provider read what isn't in the request: what it keeps, what it searches, whom it asks. */
const readingFields = [
  'previous_response_id',
  'cachedContent',
  'conversation',
  'prompt',
  'mcp_servers',
  'plugins',
  'web_search_options',
  'search_parameters',
];

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
  /** Whether the provider may read what isn't in the request, nobody knows how much. */
  isHidden = false;
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
    if (readingFields.some((field) => this.own[field] != null)) this.isHidden = true;
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
    else this.isHidden = true;
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
        if (!isJsonObject(block.source) || block.source.data === undefined) this.isHidden = true;
        return;
      case 'tool_result':
        this.#blocks(block.content);
        return;
      default: {
        const kind = kindOf(block);
        if (kind.includes('audio')) this.isSilent = false;
        if (kind.includes('reference') && !readsRequest.test(kind)) this.isHidden = true;
      }
    }
  }

  #marker(marker: unknown): void {
    if (isJsonObject(marker) && marker.ttl === '1h') this.hourCache = true;
  }
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
