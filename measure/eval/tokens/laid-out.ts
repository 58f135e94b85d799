import type { ChatRequest } from '../../../src/kernel/message.ts';
import { mediaRuleFor } from '../../../src/providers/tokens/media-tokens.ts';
import { buildPrompt } from '../../../src/providers/tokens/prompt.ts';
import { type PromptTemplate, templateFor } from '../../../src/providers/tokens/prompt-template.ts';
import type { Tokenizer } from '../../../src/providers/tokens/tokenizer.ts';

/** What of a call each number of a template is for, in the order of `numbersOf`. */
export interface TextLayout {
  readonly template: PromptTemplate;
  readonly amounts: readonly number[];
  /** What no template has a say in: schemas, pictures. */
  readonly rest: number;
}

export async function laidOut(
  request: ChatRequest,
  { model, wire }: { readonly model: string; readonly wire: string },
  tokenizer: Tokenizer,
): Promise<TextLayout> {
  const template = templateFor(model, wire);
  const bare = withNumbers(template, [1, 0, 0, 0, 0, 1]);
  const fixed = (tried: PromptTemplate) => buildPrompt(request, tried, mediaRuleFor(model, wire)).fixedTokens;
  const rest = fixed(bare);
  const added = (at: number) => fixed(withNumbers(template, [1, 0, 0, 0, 0, 1].with(at, 1))) - rest;
  const { textGroups } = buildPrompt(request, bare, mediaRuleFor(model, wire));
  const counts = await Promise.all(
    textGroups.map(async ({ texts, scale }) => scale * (await tokenizer.count(texts))),
  );
  const hasTools = added(4);
  const [said = 0, tools = 0] = hasTools > 0 ? counts : [counts[0], 0];
  const schema = counts.reduce((sum, count) => sum + count, 0) - said - tools;
  return { template, amounts: [said, 1, added(2), added(3), hasTools, tools], rest: rest + schema };
}

export function numbersOf({ scale, base, message, call, tools }: PromptTemplate): readonly number[] {
  return [scale, base, message, call, tools.base, tools.scale];
}

function withNumbers(template: PromptTemplate, numbers: readonly number[]): PromptTemplate {
  const [scale = 1, base = 0, message = 0, call = 0, toolsBase = 0, toolsScale = 1] = numbers;
  return {
    ...template,
    scale,
    base,
    message,
    call,
    tools: { ...template.tools, base: toolsBase, scale: toolsScale },
  };
}

export function tokensBy(numbers: readonly number[], { amounts, rest }: TextLayout): number {
  const read = amounts.reduce((sum, amount, at) => sum + amount * (numbers[at] ?? 0), rest);
  return Math.max(1, Math.round(read));
}
