import { limits } from '../../kernel/limits.ts';
import type { Block, ChatRequest, MediaSource, Message, Tool } from '../../kernel/message.ts';
import type { PromptTemplate } from './prompt-template.ts';
import { declarationsOf } from './tool-declarations.ts';

/** What a model reads of a call: texts to be counted, and what is known without counting. */
export interface Prompt {
  readonly bags: readonly Bag[];
  readonly fixedTokens: number;
}

/** Texts that weigh alike: so many tokens of the model for one that is counted. */
interface Bag {
  readonly texts: readonly string[];
  readonly scale: number;
}

/** Providers count a picture by its size, which isn't known without opening it: this is a photograph of 1024 × 1024. */
const mediaTokens = 765;

/** Lays a call out as its model will read it. */
export function promptOf(request: ChatRequest, template: PromptTemplate): Prompt {
  const { system, messages, tools = [], tool_choice: choice, output_config: output } = request;
  const said = new Said(template);
  if (system !== undefined && system.length > 0) said.add({ role: 'system', content: system });
  for (const message of messages) said.add(message);
  const bags: Bag[] = [{ texts: said.texts, scale: template.scale }];
  let fixedTokens = template.base + said.fixedTokens;
  if (tools.length > 0 && !(choice?.type === 'none' && template.tools.as === 'json')) {
    bags.push(toolBag(tools, template));
    fixedTokens += template.tools.base;
  }
  const schema = template.readsSchema ? output?.format?.schema : undefined;
  if (schema !== undefined) bags.push({ texts: [JSON.stringify(schema)], scale: 1 });
  return { bags, fixedTokens };
}

function toolBag(tools: readonly Tool[], { tools: { as, scale } }: PromptTemplate): Bag {
  const stride = Math.ceil(tools.length / limits.countedToolsMax);
  const shown = stride === 1 ? tools : tools.filter((_, at) => at % stride === 0);
  const texts =
    as === 'declarations'
      ? [declarationsOf(shown)]
      : shown.map(({ cache_control, ...tool }) => JSON.stringify(tool));
  return { texts, scale: (scale * tools.length) / shown.length };
}

/** Gathers what is said in a conversation. */
class Said {
  readonly texts: string[] = [];
  fixedTokens = 0;
  readonly #template: PromptTemplate;

  constructor(template: PromptTemplate) {
    this.#template = template;
  }

  add({ content }: Message): void {
    if (typeof content === 'string') {
      this.texts.push(content);
      this.fixedTokens += this.#template.message;
      return;
    }
    const results = content.filter((block) => block.type === 'tool_result').length;
    const messages = results > 0 && results === content.length ? results : results + 1;
    this.fixedTokens += messages * this.#template.message;
    for (const block of content) this.#block(block);
  }

  #block(block: Block): void {
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
        else for (const inner of block.content ?? []) this.#block(inner);
        return;
      case 'image':
        this.fixedTokens += mediaTokens;
        return;
      case 'document':
        this.#document(block.source);
        return;
      case 'thinking':
        if (!block.signature) this.texts.push(block.thinking);
    }
  }

  #document(source: MediaSource): void {
    if (source.type === 'text') this.texts.push(String(source.data));
    else if (source.type === 'base64' && String(source.media_type).startsWith('text/'))
      this.texts.push(Buffer.from(String(source.data), 'base64').toString('utf8'));
    else this.fixedTokens += mediaTokens;
  }
}
