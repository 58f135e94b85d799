/** The tokens that a family's prompt template adds to the text of a conversation. */
export interface PromptTemplate {
  /** Matches lower-case model names of the family. */
  readonly models: RegExp;
  /** The API with this template, if another one differs. */
  readonly wire?: string;
  /** Tokens of this family per OpenAI token, in conversation text. */
  readonly scale: number;
  /** Per call: the tokens before the first message and at the start of the reply. */
  readonly base: number;
  /** Per message and tool result: the role and the end marker. */
  readonly message: number;
  /** Per tool call, besides its name and arguments. */
  readonly call: number;
  readonly tools: ToolLayout;
  /** Whether the model sees the schema of a structured output. */
  readonly readsSchema: boolean;
}

interface ToolLayout {
  /** Format of the tool definitions. */
  readonly as: 'declarations' | 'json';
  /** Once, if there are tools: the instructions for calling them. */
  readonly base: number;
  readonly scale: number;
}

const declarationLayout = (base: number): ToolLayout => ({ as: 'declarations', base, scale: 1 });
const openai = { scale: 1, message: 4, readsSchema: true };
const openModel = { scale: 1, message: 4, readsSchema: false };

/**
 * By family, since many providers serve the same open models. All numbers are fitted to usage that providers reported
 * (docs/decisions/0010-token-counts.md). The first matching family applies.
 */
const templates: readonly PromptTemplate[] = [
  { models: /gpt-oss/, ...openai, base: 66, call: 0, tools: declarationLayout(23) },
  {
    models: /^(?:gpt-[5-9]|o\d|codex)/,
    wire: 'openai-chat',
    ...openai,
    base: 2,
    call: 12,
    tools: declarationLayout(90),
  },
  { models: /gpt-[5-9]|codex|(?:^|\/)o\d/, ...openai, base: 2, call: 20, tools: declarationLayout(8) },
  { models: /gpt/, ...openai, base: 3, call: 9, tools: declarationLayout(6) },
  {
    models: /claude/,
    ...openModel,
    scale: 1.12,
    base: 3,
    call: 45,
    tools: { as: 'json', base: 495, scale: 1.4 },
    readsSchema: true,
  },
  {
    models: /gemini/,
    ...openModel,
    base: 0,
    message: 0,
    call: 15,
    tools: { as: 'json', base: 0, scale: 1.3 },
  },
  {
    models: /llama-?4/,
    ...openModel,
    base: 5,
    message: 5,
    call: 29,
    tools: { as: 'json', base: 650, scale: 1.2 },
  },
  { models: /llama-?3/, ...openModel, base: 31, call: 9, tools: { as: 'json', base: 116, scale: 1.25 } },
  {
    models: /qwen-?3[.-](?:[5-9]|coder)/,
    ...openModel,
    base: 6,
    call: 31,
    tools: { as: 'json', base: 200, scale: 1.5 },
  },
  {
    models: /qwen/,
    ...openModel,
    base: 4,
    message: 4.5,
    call: 21,
    tools: { as: 'json', base: 82, scale: 1.45 },
  },
  {
    models: /deepseek/,
    ...openModel,
    scale: 1.05,
    base: 1,
    message: 3,
    call: 44,
    tools: { as: 'json', base: 209, scale: 1.45 },
  },
  {
    models: /mistral-small/,
    ...openModel,
    base: 12,
    message: 3,
    call: 2,
    tools: { as: 'json', base: 8, scale: 1.45 },
  },
  {
    models: /(?:mi(?:ni)?|magi|pix|dev|code)stral/,
    ...openModel,
    base: 1,
    message: 2.5,
    call: 3,
    tools: { as: 'json', base: 20, scale: 1.2 },
  },
  {
    models: /grok-3/,
    ...openModel,
    base: 190,
    message: 0,
    call: 60,
    tools: { as: 'json', base: 0, scale: 1.2 },
  },
  {
    models: /grok/,
    ...openModel,
    base: 105,
    message: 5,
    call: 5,
    tools: { as: 'json', base: 75, scale: 1.15 },
  },
  { models: /glm-?[5-9]/, ...openModel, base: 8, call: 10, tools: { as: 'json', base: 93, scale: 1.35 } },
  { models: /glm/, ...openModel, base: 1, call: 10, tools: { as: 'json', base: 93, scale: 1.35 } },
  {
    models: /sonar/,
    ...openModel,
    base: 0,
    message: 0.5,
    call: 10,
    tools: { as: 'json', base: 100, scale: 1.4 },
  },
];

/** A middle value of the known families. */
const unknownFamily: PromptTemplate = {
  models: /^/,
  ...openModel,
  base: 4,
  call: 15,
  tools: { as: 'json', base: 90, scale: 1.4 },
};

export function templateFor(model: string, wire: string | undefined): PromptTemplate {
  const name = model.toLowerCase();
  const fits = (template: PromptTemplate) =>
    template.models.test(name) && (template.wire === undefined || template.wire === wire);
  return templates.find(fits) ?? unknownFamily;
}
