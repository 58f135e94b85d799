import { randomUUID } from 'node:crypto';
import {
  blocksOf,
  type ChatRequest,
  type DecisionLog,
  isJsonObject,
  type Message,
  parseExact,
  resultText,
  type ToolAnswer,
  type ToolResultBlock,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import type { ListedTool } from './listed-tool.ts';
import type { ResultContent } from './result-content.ts';

/** The tool call with which a client is asked; its result is the client's answer. */
const approvalTool = 'approve_tool_call';

/** Runs a tool that the client has approved, if it is still the one that it was asked about. */
export type RunApproved = (asked: ApprovalRequest) => Promise<ResultContent>;

export interface ApprovalRequest {
  readonly tool: string;
  /** Of the definition. */
  readonly digest: string;
  readonly input: unknown;
}

/** Calls that a client has to approve: it is asked with a tool call of the gateway, and answers `yes` or `no`. */
export class ClientApprovals {
  readonly #decisions: DecisionLog;
  readonly #run: RunApproved;

  constructor(decisions: DecisionLog, run: RunApproved) {
    this.#decisions = decisions;
    this.#run = run;
  }

  /** Hands the call over to the client, as a question. */
  async ask(id: string, { gatewayName, digest }: ListedTool, input: unknown): Promise<ToolAnswer> {
    const request: ApprovalRequest = { tool: gatewayName, digest, input };
    await this.#decisions.decideOnce(requestName(id), () => request);
    return { handOver: { name: approvalTool, input: { tool: gatewayName, arguments: input } } };
  }

  /** The request with results in place of the client's answers. A call that it approved runs once, at the first request with the answer. */
  async resolve(request: ChatRequest, shown: readonly Message[]): Promise<ChatRequest> {
    const ids = shown.flatMap((message) =>
      blocksOf(message).flatMap((block) =>
        block.type === 'tool_use' && block.name === approvalTool ? [block.id] : [],
      ),
    );
    if (ids.length === 0) return request;
    const asked = await this.#decisions.getAll(ids.map(requestName));
    const outcomes = new Map<ToolResultBlock, ResultContent>();
    const answers = request.messages.flatMap(blocksOf).filter((block) => block.type === 'tool_result');
    await Promise.all(
      answers.map(async (answer) => {
        const approval = parseRequest(asked.get(requestName(answer.tool_use_id)));
        if (approval !== undefined) outcomes.set(answer, await this.#outcomeOf(answer, approval));
      }),
    );
    if (outcomes.size === 0) return request;
    return { ...request, messages: request.messages.map((message) => withOutcomes(message, outcomes)) };
  }

  async #outcomeOf(answer: ToolResultBlock, asked: ApprovalRequest): Promise<ResultContent> {
    const { tool_use_id: id } = answer;
    const decided = await this.#decisions.decideOnce(`outcome ${id}`, () =>
      isApproval(answer) ? this.#runOnce(id, asked) : refusal(answer),
    );
    return isResultContent(decided) ? decided : unknownOutcome;
  }

  /** A call that a killed process had begun is not made again. */
  async #runOnce(id: string, asked: ApprovalRequest): Promise<ResultContent> {
    const own = randomUUID();
    const first = await this.#decisions.decideOnce(`begun ${id}`, () => own);
    return first === own ? this.#run(asked) : unknownOutcome;
  }
}

const unknownOutcome: ResultContent = {
  content:
    'It is not known whether this call was made: the gateway was interrupted. Check before you repeat it.',
  isError: true,
};

function requestName(id: string): string {
  return `asked ${id}`;
}

function parseRequest(stored: unknown): ApprovalRequest | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { tool, digest, input } = stored;
  return typeof tool === 'string' && typeof digest === 'string' ? { tool, digest, input } : undefined;
}

function isResultContent(stored: unknown): stored is ResultContent {
  return isJsonObject(stored) && 'content' in stored;
}

/** `yes`, `approve` and `approved`, or JSON with `approve` or `approved`, or with such a word as its `result` or `output`; everything else is a no. */
function isApproval(answer: ToolResultBlock): boolean {
  const text = resultText(answer.content).trim().slice(0, limits.decisionCharactersMax);
  if (answer.is_error === true) return false;
  if (isYes(text)) return true;
  try {
    const json = parseExact(text);
    if (!isJsonObject(json)) return false;
    // Programs with Google's SDK put what a function returns into one of these.
    return json.approve === true || json.approved === true || isYes(json.result) || isYes(json.output);
  } catch {
    return false;
  }
}

function isYes(text: unknown): boolean {
  return typeof text === 'string' && /^"?(?:yes|approved?)"?[.!]?$/i.test(text.trim());
}

function refusal(answer: ToolResultBlock): ResultContent {
  const reason = resultText(answer.content).trim().slice(0, limits.decisionCharactersMax);
  return {
    content: `The call was not made: the user did not agree to it.${reason === '' ? '' : ` The answer was: ${reason}`}`,
    isError: true,
  };
}

function withOutcomes(message: Message, outcomes: ReadonlyMap<ToolResultBlock, ResultContent>): Message {
  const blocks = blocksOf(message);
  if (!blocks.some((block) => block.type === 'tool_result' && outcomes.has(block))) return message;
  const content = blocks.map((block) => {
    const outcome = block.type === 'tool_result' ? outcomes.get(block) : undefined;
    if (block.type !== 'tool_result' || outcome === undefined) return block;
    const { cache_control: marker, tool_use_id: id } = block;
    return {
      type: 'tool_result' as const,
      tool_use_id: id,
      content: outcome.content,
      ...(outcome.isError && { is_error: true }),
      ...(marker !== undefined && { cache_control: marker }),
    };
  });
  return { ...message, content };
}
