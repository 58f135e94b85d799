import { bytesOfText, type ChatRequest, isJsonObject, type JsonObject } from '../../module-api.ts';
import { limits } from './limits.ts';

/** Described to the model by their provider, and run by the client. */
const runByClient = /^(?:bash|text_editor|computer|memory|local_shell|shell|apply_patch)/;

/** Fields that make a provider read what isn't in the request: what it keeps, what it searches, whom it asks. */
const readingFields = [
  'previous_response_id',
  'conversation',
  'prompt',
  'mcp_servers',
  'plugins',
  'web_search_options',
  'search_parameters',
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
  /** Whether the provider may read what isn't in the request. */
  isHidden = false;
  needsExplaining: boolean;
  /** Whether a cache of an hour or longer is asked for. */
  hourCache = false;
  isSilent = true;
  /** The request's fields, with those that only its own format knows. */
  readonly own: JsonObject;

  constructor(request: ChatRequest) {
    const tools = objectsIn(request.tools);
    this.own = Object.assign({}, request, ...Object.values(request.extensions ?? {}));
    this.needsExplaining = tools.length > 0 || request.output_config?.format != null;
    for (const tool of tools) this.#tool(tool);
    this.#blocks(request.system);
    for (const { content } of objectsIn(request.messages)) this.#blocks(content);
    if (readingFields.some((field) => this.own[field] != null)) this.isHidden = true;
    if (this.own.modalities != null || this.own.audio != null) this.isSilent = false;
  }

  #tool(tool: JsonObject): void {
    this.#marker(tool.cache_control);
    const kind = kindOf(tool);
    if (kind === '' || kind === 'custom' || kind === 'function') return;
    this.describedTools++;
    if (runByClient.test(kind)) return;
    this.isHidden = true;
    const { max_uses: most } = tool;
    const uses = typeof most === 'number' && most > 0 ? Math.ceil(most) : usesWhenUnsaid;
    this.providerUses = Math.min(this.providerUses + uses, limits.reckonedTimesMax);
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
        if (kind.includes('reference')) this.isHidden = true;
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

/** Of what only its own format knows, the name that it has there. */
function kindOf({ type, kind }: JsonObject): string {
  const named = type === 'foreign' ? kind : type;
  return typeof named === 'string' ? named : '';
}
