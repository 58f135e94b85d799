import type { Block, ChatRequest, Message, Tool } from '../../kernel/message.ts';
import { isJsonObject } from '../../lib/json.ts';
import { mapFields, mapItems } from '../../lib/map-items.ts';
import { stringOf } from '../json-values.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { JsonTextMapper } from './json-text-mapper.ts';
import { OriginalTexts } from './original-texts.ts';
import type { MapText, RequestText, TextPlace, UnscannedPart } from './text-place.ts';

/**
 * The request with every text in it mapped, in whatever field its wire format has it: instructions, messages, tool
 * results, strings in tool arguments, descriptions, documents, fields of a single format. Names, ids and other
 * identifiers stay, and so do media and encrypted content (`unscannedParts`). Unchanged parts stay the same objects. A
 * signed thought is left out if its text changes, because its provider would reject it; a signed summary becomes text.
 */
export function mapTexts(request: ChatRequest, mapText: MapText): ChatRequest {
  return new RequestTexts(mapText).map(request);
}

/** All texts of a request, with their places. */
export function texts(request: ChatRequest): readonly RequestText[] {
  const found: RequestText[] = [];
  mapTexts(request, (text, place) => {
    found.push({ ...place, text });
    return text;
  });
  return found;
}

/** What can't be read as text in a request: media, files, encrypted content, and content that the provider stores. */
export function unscannedParts(request: ChatRequest): readonly UnscannedPart[] {
  const parts: UnscannedPart[] = [];
  new RequestTexts(
    (text) => text,
    (part) => parts.push(part),
  ).map(request);
  return parts;
}

class RequestTexts {
  readonly #originals: OriginalTexts;
  readonly #json: JsonTextMapper;

  constructor(mapText: MapText, onUnscanned?: (part: UnscannedPart) => void) {
    this.#originals = new OriginalTexts(mapText);
    this.#json = new JsonTextMapper(this.#originals.mapText, onUnscanned);
  }

  map(request: ChatRequest): ChatRequest {
    const { messages, system, tools, extensions } = request;
    const changes = {
      messages: this.#mapMessages(messages),
      ...(system !== undefined && { system: this.#mapSystem(system) }),
      ...(tools !== undefined && { tools: mapItems(tools, (tool) => this.#mapTool(tool)) }),
      ...(extensions !== undefined && { extensions: this.#mapExtensions(extensions) }),
    };
    return mapFields(request, (name, value) => {
      if (name in changes) return Reflect.get(changes, name);
      if (keptFields.has(name)) return value;
      return dataFields.has(name)
        ? this.#json.mapData(value, elsewhere)
        : this.#json.map(value, elsewhere, name);
    });
  }

  #mapSystem(system: NonNullable<ChatRequest['system']>): NonNullable<ChatRequest['system']> {
    const place = { field: 'system' } as const;
    if (typeof system === 'string') return this.#originals.mapText(system, place);
    return this.#originals.map(system, place, () => this.#json.map(system, place));
  }

  #mapTool(tool: Tool): Tool {
    const place = { field: 'tool-description' } as const;
    return this.#originals.map(tool, place, () => this.#json.map(tool, place));
  }

  /** A client of Messages may have a field of that name with any value. */
  #mapExtensions(extensions: NonNullable<ChatRequest['extensions']>): NonNullable<ChatRequest['extensions']> {
    if (!isJsonObject(extensions)) return this.#json.map(extensions, elsewhere);
    return mapFields(extensions, (owner, fields) =>
      isJsonObject(fields)
        ? mapFields(fields, (name, value) =>
            settingExtensions.has(name) ? value : this.#json.map(value, elsewhere, name),
          )
        : this.#json.map(fields, elsewhere, owner),
    );
  }

  /** Leaves out messages that had nothing but thoughts which are left out. */
  #mapMessages(messages: readonly Message[]): readonly Message[] {
    const mapped = mapItems(messages, (message, index) => this.#mapMessage(message, index));
    return mapped === messages
      ? messages
      : mapped.filter((message, index) => message === messages[index] || message.content.length > 0);
  }

  #mapMessage(message: Message, messageIndex: number): Message {
    const { role } = message;
    const place: TextPlace = { field: role === 'system' ? 'system' : 'message', role, messageIndex };
    return this.#originals.map(message, place, () =>
      mapFields(message, (name, value) =>
        name === 'content' && typeof message.content !== 'string'
          ? this.#mapBlocks(message.content, place)
          : this.#json.map(value, place, name),
      ),
    );
  }

  #mapBlocks(blocks: readonly Block[], place: TextPlace): readonly Block[] {
    const mapped = mapItems<Block | undefined>(blocks, (block) =>
      block === undefined
        ? block
        : this.#originals.map<Block | undefined>(block, place, () => this.#mapBlock(block, place)),
    );
    return mapped === blocks ? blocks : mapped.filter((block) => block !== undefined);
  }

  #mapBlock(block: Block, place: TextPlace): Block | undefined {
    const signedText = signedTextOf(block);
    if (signedText === undefined) return this.#json.map(block, place);
    const mapped = this.#originals.mapText(signedText, { ...place, field: 'thinking', isSigned: true });
    if (mapped === signedText) return block;
    if (isCompaction(block)) return { type: 'text', text: mapped };
    this.#originals.partOmitted();
    return undefined;
  }
}

/** The readable text of a block that can only be sent back as it came. */
function signedTextOf(block: Block): string | undefined {
  if (block.type === 'thinking') return block.signature ? stringOf(block.thinking) : undefined;
  if (isCompaction(block)) return block.signature ? stringOf(block.content) : undefined;
  const data = block.type === 'redacted_thinking' ? stringOf(block.data) : undefined;
  return data !== undefined && isWrappedOpaque(data) ? data : undefined;
}

/** A provider's summary of the messages before it. */
function isCompaction(block: object): block is { readonly signature?: unknown; readonly content?: unknown } {
  return 'type' in block && block.type === 'compaction';
}

const elsewhere = { field: 'other' } as const;

/** Fields without text. */
const keptFields: ReadonlySet<string> = new Set(['model', 'stream', 'tool_choice', 'thinking']);

/** Fields with any keys, or with plain strings. */
const dataFields: ReadonlySet<string> = new Set(['metadata', 'stop_sequences']);

/** Fields of the Responses format that the canonical form has a part of: the rest are settings. */
const settingExtensions: ReadonlySet<string> = new Set(['reasoning', 'text']);
