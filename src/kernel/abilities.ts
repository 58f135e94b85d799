import { isJsonObject } from '../lib/json.ts';
import type { Block, ChatRequest, MediaSource, Message } from './message.ts';

/** Something that not every model can do. */
export type Ability =
  | 'tools'
  /** A tool that the model has to use. */
  | 'forcedTool'
  /** The same while it thinks within a budget. */
  | 'forcedToolWithThinking'
  /** Several tool uses in one answer. */
  | 'parallelTools'
  /** Answers that follow a JSON schema. */
  | 'structuredOutput'
  | 'images'
  /** PDFs and other files. */
  | 'documents'
  | 'audio'
  | 'video'
  /** Settings of its thinking. */
  | 'reasoning'
  /** Tools that the provider defines, such as its web search. */
  | 'serverTools'
  /** Web search by a field of the request, in place of a tool. */
  | 'searchOptions'
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
  forcedToolWithThinking: 'unknown',
  parallelTools: 'unknown',
  structuredOutput: 'unknown',
  images: 'unknown',
  documents: 'unknown',
  audio: 'unknown',
  video: 'unknown',
  reasoning: 'unknown',
  serverTools: 'unknown',
  searchOptions: 'unknown',
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
  if (thinking?.type === 'adaptive') needed.add('reasoning');
  if (typeof effort === 'string' && effort !== 'none') needed.add('reasoning');
  if (stops !== undefined && stops.length > 0) needed.add('stopSequences');
  if (request.stream === true) needed.add('streaming');
  for (const message of request.messages) addAbilitiesOfMessage(message, needed);
  const extensions = Object.values(request.extensions ?? {});
  for (const fields of extensions) addAbilitiesOfFields(fields, needed);
  const hasBudget = thinking?.type === 'enabled' || extensions.some(enablesThinking);
  if (hasBudget) needed.add('reasoning');
  if (hasBudget && needed.has('forcedTool')) needed.add('forcedToolWithThinking');
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
  if (block.type === 'document' && block.source.type !== 'text') needed.add(mediaAbility(block.source));
  if (block.type === 'tool_use' || block.type === 'tool_result') needed.add('tools');
  if (block.type === 'tool_result' && Array.isArray(block.content))
    for (const part of block.content) addAbilitiesOfBlock(part, needed);
}

/** Clients send sound and films as files, too. */
function mediaAbility(source: MediaSource): Ability {
  const name = source.type === 'base64' ? source.media_type : source.type === 'url' ? source.url : '';
  if (/^audio\/|^[^?#]*\.(?:mp3|wav|m4a|flac|ogg|aac)(?:[?#]|$)/i.test(name)) return 'audio';
  return /^video\/|^[^?#]*\.(?:mp4|mov|webm|mpeg|mkv)(?:[?#]|$)/i.test(name) ? 'video' : 'documents';
}

/** The field of compatible providers that has Anthropic's form. */
function enablesThinking({ thinking }: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(thinking) && thinking.type === 'enabled';
}

/** Fields of single formats, named by their paths. */
function addAbilitiesOfFields(fields: Readonly<Record<string, unknown>>, needed: Set<Ability>): void {
  for (const [path, value] of Object.entries(fields)) {
    if (path.includes('logprobs') || path.includes('Logprobs')) {
      if (value !== false && value !== 0) needed.add('logProbabilities');
    } else if ((path === 'n' || path.endsWith('candidateCount')) && value !== 1) needed.add('severalAnswers');
    else if (path.endsWith('audio')) needed.add('audio');
    else if (path.endsWith('video') || path.endsWith('video_url')) needed.add('video');
    else if (path === 'web_search_options') needed.add('searchOptions');
  }
}
