import type { Block, ChatRequest, MediaSource, Message, Tool } from '../../kernel/message.ts';
import { limits } from '../limits.ts';
import type { MediaRule } from './media-tokens.ts';
import { pdfSizeOf } from './pdf-size.ts';
import { type PictureSize, pictureSizeOf } from './picture-size.ts';
import type { PromptTemplate } from './prompt-template.ts';
import { declarationsOf } from './tool-declarations.ts';

/** The model's input: texts to count, and tokens known without counting. */
export interface Prompt {
  readonly textGroups: readonly WeightedTexts[];
  readonly fixedTokens: number;
}

/** Texts with the same ratio of model tokens to counted tokens. */
interface WeightedTexts {
  readonly texts: readonly string[];
  readonly scale: number;
}

/** Defaults for a picture at a URL, a photograph, and for a document, one page of text. */
const defaultPictureSize = { width: 768, height: 768 };
const defaultDocumentSize = { pages: 1, chars: 2000 };
const charsPerToken = 4;
/** A picture's size is near its start, in some files after the camera's metadata. */
const pictureHeadChars = 128 * 1024;

/** Lays out a request as the model reads it. */
export function buildPrompt(request: ChatRequest, template: PromptTemplate, media: MediaRule): Prompt {
  const { system, messages, tools = [], tool_choice: choice, output_config: output } = request;
  const promptBuilder = new PromptBuilder(template, media);
  if (system !== undefined && system.length > 0)
    promptBuilder.addMessage({ role: 'system', content: system });
  const newTurn = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !isToolResultsOnly(content),
  );
  for (const [at, message] of messages.entries()) promptBuilder.addMessage(message, at > newTurn);
  const textGroups: WeightedTexts[] = [{ texts: promptBuilder.texts, scale: template.scale }];
  let fixedTokens = template.base + promptBuilder.fixedTokens;
  if (tools.length > 0 && !(choice?.type === 'none' && template.tools.as === 'json')) {
    textGroups.push(toolTexts(tools, template));
    fixedTokens += template.tools.base;
  }
  const schema = template.readsSchema ? output?.format?.schema : undefined;
  if (schema !== undefined) textGroups.push({ texts: [JSON.stringify(schema)], scale: 1 });
  return { textGroups, fixedTokens };
}

function toolTexts(tools: readonly Tool[], { tools: { as, scale } }: PromptTemplate): WeightedTexts {
  const stride = Math.ceil(tools.length / limits.countedToolsMax);
  const sample = stride === 1 ? tools : tools.filter((_, at) => at % stride === 0);
  const texts =
    as === 'declarations'
      ? [declarationsOf(sample)]
      : sample.map(({ cache_control, ...tool }) => JSON.stringify(tool));
  return { texts, scale: (scale * tools.length) / sample.length };
}

function isToolResultsOnly(content: Message['content']): boolean {
  return typeof content !== 'string' && content.every(({ type }) => type === 'tool_result');
}

/** Collects the texts of a conversation. */
class PromptBuilder {
  readonly texts: string[] = [];
  fixedTokens = 0;
  #documents = 0;
  readonly #template: PromptTemplate;
  readonly #media: MediaRule;

  constructor(template: PromptTemplate, media: MediaRule) {
    this.#template = template;
    this.#media = media;
  }

  /** Models reread their thinking of the current turn, not of earlier turns. */
  addMessage({ content }: Message, goesOn = true): void {
    if (typeof content === 'string') {
      this.texts.push(content);
      this.fixedTokens += this.#template.message;
      return;
    }
    const results = content.filter((block) => block.type === 'tool_result').length;
    const messages = results > 0 && results === content.length ? results : results + 1;
    this.fixedTokens += messages * this.#template.message;
    for (const block of content) if (goesOn || block.type !== 'thinking') this.#addBlock(block);
  }

  #addBlock(block: Block): void {
    switch (block.type) {
      case 'text':
        this.texts.push(block.text);
        return;
      case 'tool_use':
        this.texts.push(
          block.name,
          typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? {}),
        );
        this.fixedTokens += this.#template.call;
        return;
      case 'tool_result':
        if (typeof block.content === 'string') this.texts.push(block.content);
        else for (const inner of block.content ?? []) this.#addBlock(inner);
        return;
      case 'image':
        this.fixedTokens += this.#media.picture(sizeOf(block.source));
        return;
      case 'document':
        this.#addDocument(block.source);
        return;
      case 'thinking':
        if (!block.signature) this.texts.push(block.thinking);
    }
  }

  #addDocument(source: MediaSource): void {
    if (source.type === 'text') this.texts.push(String(source.data));
    else if (source.type === 'base64' && String(source.media_type).startsWith('text/'))
      this.texts.push(Buffer.from(String(source.data), 'base64').toString('utf8'));
    else {
      const unpacks = ++this.#documents <= unpackedDocumentsMax;
      const { pages, chars } =
        source.type === 'base64' ? pdfSizeOf(String(source.data), { unpacks }) : defaultDocumentSize;
      this.fixedTokens += pages * this.#media.page + chars / charsPerToken;
    }
  }
}

/** Further documents count by pages only: decompressing blocks other calls. */
const unpackedDocumentsMax = 4;

function sizeOf(source: MediaSource): PictureSize {
  if (source.type !== 'base64') return defaultPictureSize;
  return (
    pictureSizeOf(Buffer.from(String(source.data).slice(0, pictureHeadChars), 'base64')) ?? defaultPictureSize
  );
}
