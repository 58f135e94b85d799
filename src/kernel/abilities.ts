import type { Block, ChatRequest, Message } from './message.ts';

/** Something that not every model can do. */
export type Ability =
  | 'tools'
  /** A tool that the model has to use. */
  | 'forcedTool'
  /** Several tool uses in one answer. */
  | 'parallelTools'
  /** Answers that follow a JSON schema. */
  | 'structuredOutput'
  | 'images'
  /** PDFs and other files. */
  | 'documents'
  | 'audio'
  /** Settings of its thinking. */
  | 'reasoning'
  /** Tools that the provider defines, such as its web search. */
  | 'serverTools'
  | 'stopSequences'
  /** Several answers to one request. */
  | 'severalAnswers'
  | 'logProbabilities'
  | 'streaming';

/** What a model at a provider can do. */
export type Abilities = Readonly<Record<Ability, boolean | 'unknown'>>;

export const unknownAbilities: Abilities = {
  tools: 'unknown',
  forcedTool: 'unknown',
  parallelTools: 'unknown',
  structuredOutput: 'unknown',
  images: 'unknown',
  documents: 'unknown',
  audio: 'unknown',
  reasoning: 'unknown',
  serverTools: 'unknown',
  stopSequences: 'unknown',
  severalAnswers: 'unknown',
  logProbabilities: 'unknown',
  streaming: 'unknown',
};

/** The abilities that a request needs. */
export function abilitiesNeededBy(request: ChatRequest): ReadonlySet<Ability> {
  const { tools = [], tool_choice: choice, thinking, output_config: output, stop_sequences: stops } = request;
  const needed = new Set<Ability>();
  const isClientTool = ({ type }: { readonly type?: string }) => type === undefined || type === 'custom';
  if (tools.some(isClientTool)) needed.add('tools');
  if (tools.some((tool) => !isClientTool(tool))) needed.add('serverTools');
  if (choice?.type === 'any' || choice?.type === 'tool') needed.add('forcedTool');
  if (output?.format?.schema !== undefined) needed.add('structuredOutput');
  const { effort } = output ?? {};
  if (thinking?.type === 'enabled' || thinking?.type === 'adaptive') needed.add('reasoning');
  if (typeof effort === 'string' && effort !== 'none') needed.add('reasoning');
  if (stops !== undefined && stops.length > 0) needed.add('stopSequences');
  if (request.stream === true) needed.add('streaming');
  for (const message of request.messages) addAbilitiesOfMessage(message, needed);
  for (const fields of Object.values(request.extensions ?? {})) addAbilitiesOfFields(fields, needed);
  return needed;
}

function addAbilitiesOfMessage({ content }: Message, needed: Set<Ability>): void {
  if (typeof content === 'string') return;
  if (content.filter(({ type }) => type === 'tool_use').length > 1) needed.add('parallelTools');
  for (const block of content) addAbilitiesOfBlock(block, needed);
}

function addAbilitiesOfBlock(block: Block, needed: Set<Ability>): void {
  if (block.type === 'image') needed.add('images');
  // A document that is text becomes text in other formats.
  if (block.type === 'document' && block.source.type !== 'text') needed.add('documents');
  if (block.type === 'tool_use' || block.type === 'tool_result') needed.add('tools');
  if (block.type === 'tool_result' && Array.isArray(block.content))
    for (const part of block.content) addAbilitiesOfBlock(part, needed);
}

/** Fields of single formats, named by their paths. */
function addAbilitiesOfFields(fields: Readonly<Record<string, unknown>>, needed: Set<Ability>): void {
  for (const [path, value] of Object.entries(fields)) {
    if (path.includes('logprobs') || path.includes('Logprobs')) {
      if (value !== false && value !== 0) needed.add('logProbabilities');
    } else if ((path === 'n' || path.endsWith('candidateCount')) && value !== 1) needed.add('severalAnswers');
    else if (path.endsWith('audio')) needed.add('audio');
    else if (path === 'web_search_options') needed.add('serverTools');
  }
}
