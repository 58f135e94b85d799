import { blocksOf, type ChatRequest, type Exchange, isJsonObject, type Message } from '../../module-api.ts';
import { parseQuotedConversation } from './quoted-conversation.ts';

/** How a request for a summary was recognized. */
export type SummaryRequestKind = 'declared' | 'provider' | 'instruction' | 'quotation';

/** Recognizes a request in which a client has its conversation summarized, to continue from the summary. */
export function recognizeSummaryRequest(exchange: Exchange): SummaryRequestKind | undefined {
  const { clientRequest, request } = exchange;
  if (isDeclared(exchange)) return 'declared';
  if (compactsAtProvider(request)) return 'provider';
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const text = lastTextOf(last);
  if (text === '' || clientRequest.relay !== undefined) return undefined;
  const hasTools = (request.tools ?? []).length > 0;
  if (
    !hasTools &&
    request.messages.length <= quotingMessagesMax &&
    parseQuotedConversation(text.slice(0, quotationStartChars)) !== undefined
  )
    return 'quotation';
  if (request.messages.length < conversationMessagesMin) return undefined;
  // The instructions of agents may be about summaries, too; requests for summaries that have tools keep them for the cache.
  const score = hasTools
    ? scoreInstruction(text)
    : 1 + Math.max(scoreInstruction(text), scoreInstruction(systemTextOf(request)));
  return score >= instructionScoreMin ? 'instruction' : undefined;
}

/** A user may ask for a summary in other words than these, and with these: that costs an entry in the store, and no more. */
const instructionScoreMin = 4;
/** What is read of an instruction: its beginning and its end, since it may contain the conversation. */
const instructionChars = 6000;
/** The beginning of a text shows whether it quotes a conversation. */
const quotationStartChars = 40_000;
/** A request that quotes a conversation has few messages. */
const quotingMessagesMax = 3;
/** A conversation of fewer messages is not summarized. */
const conversationMessagesMin = 3;

/** Words for a summary, in the languages that clients are written in. */
const summaryWords: readonly string[] = [
  ...[
    'summar',
    'compaction',
    'compacting',
    'checkpoint',
    'handoff',
    'hand-off',
    'snapshot',
    'distil',
    'condens',
  ],
  ...[
    'zusammenfass',
    'résum',
    'resumen',
    'resumir',
    'riassun',
    'сводк',
    'резюме',
    '要約',
    '总结',
    '總結',
    '摘要',
    '요약',
  ],
];

/** Other traits of instructions to summarize: the conversation, its continuation, tags for the answer, no tools. */
const traits: readonly (readonly string[])[] = [
  [
    ...[
      'conversation',
      'session',
      'transcript',
      'context',
      'history',
      'messages above',
      'gespräch',
      'unterhaltung',
      'sitzung',
    ],
    ...['conversación', 'sesión', 'conversazione', 'диалог', 'сесси', '会話', '对话', '會話', '대화'],
  ],
  [
    ...[
      'continu',
      'resume ',
      'resuming',
      'another model',
      'another language model',
      'another agent',
      'another llm',
    ],
    ...[
      'another assistant',
      'will be used',
      'will replace',
      'will become',
      'only memory',
      'so far',
      'next agent',
      'next session',
    ],
    ...['fortsetz', 'weiterarbeit', 'bisher', 'hasta ahora', "jusqu'", 'пока', '引き継', '继续', '이어'],
  ],
  ['<summary', '<state_snapshot', '<analysis', '<context', '<snapshot', '<scratchpad'],
  [
    ...[
      'call any tools',
      'call tools',
      'use any tools',
      'use tools',
      'calling tools',
      'using tools',
      'no tool calls',
    ],
    ...['text only', 'only output', 'only respond with', 'only answer with', 'keine werkzeuge'],
  ],
];

function scoreInstruction(text: string): number {
  const read =
    text.length <= 2 * instructionChars
      ? text
      : `${text.slice(0, instructionChars)}\n${text.slice(-instructionChars)}`;
  const lower = read.toLowerCase();
  const has = (words: readonly string[]) => words.some((word) => lower.includes(word));
  if (!has(summaryWords)) return 0;
  const found = traits.filter(has).length;
  return 2 + found + (countListed(read) >= listedMin ? 1 : 0);
}

/** Sections that the answer is to have. */
const listedMin = 3;

function countListed(text: string): number {
  return text.split('\n').filter((line) => /^\s{0,8}(?:#{1,4}|\d{1,2}[.)]|[-*]) \S/.test(line.slice(0, 20)))
    .length;
}

/** What agents declare in headers and fields. */
function isDeclared({ clientRequest }: Exchange): boolean {
  if (clientRequest.header('x-claude-code-request-class') === 'compaction') return true;
  const { compaction } = clientRequest.wire;
  if (compaction?.mayConcern(clientRequest) === true && compaction.isRequested(clientRequest)) return true;
  const metadata = clientRequest.header('x-codex-turn-metadata') ?? turnMetadataIn(clientRequest);
  return metadata !== undefined && /"request_kind"\s*:\s*"compaction"/.test(metadata);
}

function turnMetadataIn({ fields }: Exchange['clientRequest']): string | undefined {
  const metadata = fields.get('client_metadata');
  const turn = isJsonObject(metadata) ? metadata['x-codex-turn-metadata'] : undefined;
  return typeof turn === 'string' ? turn : undefined;
}

/** Whether the provider may summarize the conversation while it answers. */
function compactsAtProvider(request: ChatRequest): boolean {
  const asked = 'compaction' in request ? request.compaction : undefined;
  const management: unknown = request.context_management ?? openaiManagementOf(request);
  return asked !== undefined || (management !== undefined && JSON.stringify(management).includes('compact'));
}

function openaiManagementOf({ extensions }: ChatRequest): unknown {
  return Object.values(extensions ?? {}).find(({ context_management }) => context_management !== undefined)
    ?.context_management;
}

/** The last text of a message; clients append their instruction. */
export function lastTextOf(message: Message): string {
  return blocksOf(message).reduce((last, block) => (block.type === 'text' ? block.text : last), '');
}

function systemTextOf({ system = '' }: ChatRequest): string {
  return typeof system === 'string' ? system : system.map(({ text }) => text).join('\n');
}
