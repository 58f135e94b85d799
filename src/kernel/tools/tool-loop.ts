import { isJsonObject } from '../../lib/json.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { GatewayError, isRejection } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { Answer, Block, ChatRequest, ReplyEvent, ToolUseBlock, Usage } from '../message.ts';
import type { Handler, Kit } from '../module.ts';
import { AnswerBuilder } from '../reply/answer-events.ts';
import { addUsage } from './add-usage.ts';
import { CallFolder, type FoldedCalls } from './call-folder.ts';
import type { ToolAnswer, ToolsByName } from './gateway-tool.ts';
import { awaitedCallIdOf, type HiddenBlocks, type ToolRound, turnKey } from './turn-history.ts';
import { VisibleTurnWriter } from './visible-turn-writer.ts';

interface ToolLoopParts {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly kit: Pick<Kit<unknown>, 'decisions' | 'note' | 'toolAnswers'>;
  readonly tools: ToolsByName;
  readonly roundsMax: number;
  readonly hidden?: HiddenBlocks | undefined;
  readonly isFoldable?: ((tool: string) => boolean) | undefined;
}

/** One turn of the model, with as many rounds as needed until it answers the client. */
export class ToolLoop {
  readonly #parts: ToolLoopParts;
  readonly #writer: VisibleTurnWriter;
  readonly #rounds: ToolRound[] = [];
  #request: ChatRequest;
  #usage: Usage = {};
  #toolCallCount = 0;
  /** The repeated calls of the latest round, which the client doesn't see. */
  #folded: FoldedCalls | undefined;

  constructor(parts: ToolLoopParts, request: ChatRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#writer = new VisibleTurnWriter(
      (block) =>
        (block.type === 'tool_use' && parts.tools.has(block.name)) || parts.hidden?.isHidden(block) === true,
    );
  }

  /** The events of the single answer for the client. */
  async *run(first: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent> {
    for (let events = first; ; ) {
      const answer = yield* this.#writeRound(events);
      if (answer === undefined) return;
      this.#usage = addUsage(this.#usage, usageOf(answer));
      const { calls, rest } = this.#splitContent(answer);
      if (calls.length === 0 || !isComplete(answer)) {
        yield* this.#end(answer, this.#round(rest, []));
        return;
      }
      const { results, handedOver } = await this.#answerCalls(calls);
      for (const call of handedOver) yield* this.#writer.writeToolCall(call);
      let toolRound = this.#round(answer.content, results);
      if (handedOver.length > 0 || rest.some((block) => awaitedCallIdOf(block) !== undefined)) {
        yield* this.#end({ stop_reason: 'tool_use', stop_sequence: null }, toolRound);
        return;
      }
      let nextRound = await this.#requestNextRound(toolRound);
      if (!('events' in nextRound) && nextRound.reason === 'blocked_by_module') {
        toolRound = this.#withhold(toolRound, nextRound.why);
        nextRound = await this.#requestNextRound(toolRound);
      }
      if (!('events' in nextRound)) {
        yield* this.#endEarly(toolRound, nextRound);
        return;
      }
      this.#rounds.push(toolRound);
      events = nextRound.events;
    }
  }

  /** Undefined if it ended with an error, which the client has seen. */
  async *#writeRound(events: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent, Answer | undefined> {
    const { isFoldable } = this.#parts;
    const answerBuilder = new AnswerBuilder();
    const folder = isFoldable === undefined ? undefined : new CallFolder(isFoldable);
    for await (const event of events) {
      answerBuilder.push(event);
      for (const passed of folder?.write(event) ?? [event]) yield* this.#writer.write(passed);
      if (event.type === 'error') return undefined;
    }
    this.#folded = folder?.folded;
    const answer = answerBuilder.answer();
    if (answer !== undefined) return answer;
    throw new GatewayError('upstream_broken', "the provider's response contains no message");
  }

  #round(content: readonly Block[], results: readonly Block[]): ToolRound {
    const folded = this.#folded;
    return { content: content.map(withValidInput), results, ...(folded !== undefined && { folded }) };
  }

  /** Without the results, in which a module has found what must not reach the model. Later calls don't have them either. */
  #withhold(toolRound: ToolRound, why: string | undefined): ToolRound {
    this.#parts.kit.note({ withheld: toolRound.results.length });
    const results = toolRound.results.map(
      (result): Block =>
        result.type === 'tool_result'
          ? { ...result, content: `The result was withheld: ${why}`, is_error: true }
          : result,
    );
    return { ...toolRound, results };
  }

  /** Ends the answer early, with the reason. */
  async *#endEarly(toolRound: ToolRound, { reason, why }: EarlyEnd): AsyncGenerator<ReplyEvent> {
    this.#parts.kit.note({ stopped: reason });
    const stop_reason = reason === 'max_tokens' ? reason : 'end_turn';
    const stopFields: StopFields = { stop_reason, stop_sequence: null };
    if (why === undefined) {
      yield* this.#end(stopFields, toolRound);
      return;
    }
    const message = `[The answer ends here: ${why}]`;
    this.#rounds.push(toolRound);
    yield* this.#writer.writeText(message);
    yield* this.#end(stopFields, { content: [{ type: 'text', text: message }], results: [] });
  }

  /** Separates calls of gateway tools from everything else. */
  #splitContent({ content }: Answer): {
    readonly calls: readonly ToolUseBlock[];
    readonly rest: readonly Block[];
  } {
    const { tools } = this.#parts;
    const calls = content.filter((block) => block.type === 'tool_use').filter(({ name }) => tools.has(name));
    const ours: ReadonlySet<Block> = new Set(calls);
    return { calls, rest: content.filter((block) => !ours.has(block)) };
  }

  async #answerCalls(calls: readonly ToolUseBlock[]): Promise<CallResults> {
    this.#toolCallCount += calls.length;
    this.#parts.kit.note({ tool_calls: this.#toolCallCount });
    const results: Block[] = [];
    const handedOver: ToolUseBlock[] = [];
    const answers = await Promise.all(calls.map((call) => this.#answerCall(call)));
    for (const [at, call] of calls.entries()) {
      const answer = answers[at] ?? '';
      if (typeof answer !== 'string' && 'handOver' in answer)
        handedOver.push({ ...call, ...answer.handOver });
      else results.push(resultOf(call, answer));
    }
    return { results, handedOver };
  }

  async #answerCall({ id, name, input }: ToolUseBlock): Promise<ToolAnswer> {
    const { exchange, tools, kit } = this.#parts;
    const { signal } = exchange;
    const tool = tools.get(name);
    if (tool === undefined) return '';
    const answering = () =>
      kit.toolAnswers
        .find({ tool, input, exchange }, async () => tool.answer(input, { id, exchange, signal }))
        .finally(() =>
          kit.toolAnswers
            .invalidate(tool.tool.name, tools)
            .catch(() => kit.note({ tool_cache: 'not-invalidated' })),
        );
    try {
      const { timeoutMs = limits.toolAnswerMs } = tool;
      return await withTimeout(answering(), timeoutMs, () => new Error('the tool timed out'));
    } catch (fault) {
      if (signal.aborted)
        throw new GatewayError('client_gone', 'the client closed the connection', { cause: fault });
      kit.note({ tool_failed: name });
      return { content: 'This tool failed. Go on without it.', isError: true };
    }
  }

  /** Sends the results to the model, or returns why not. */
  async #requestNextRound(toolRound: ToolRound): Promise<NextRound> {
    const { exchange, next, roundsMax } = this.#parts;
    const limit = this.#remainingTokens();
    if (limit === 0) return { reason: 'max_tokens' };
    if (this.#rounds.length + 1 >= roundsMax)
      return { reason: 'rounds', why: `tools were called ${roundsMax} times in a row` };
    const request: ChatRequest = {
      ...this.#request,
      messages: [
        ...this.#request.messages,
        { role: 'assistant', content: toolRound.content },
        { role: 'user', content: toolRound.results },
      ],
      ...(limit !== undefined && { max_tokens: limit }),
      ...this.#nextToolChoice(),
    };
    try {
      const reply = await next(exchange.with({ request }));
      this.#request = request;
      return { events: reply.events() };
    } catch (failure) {
      if (!isRejection(failure) || failure.code === 'client_gone') throw failure;
      return { reason: failure.code, why: failure.message };
    }
  }

  /**
   * The remaining output tokens of the client's limit; 0 if none. A thinking budget must still fit although part of
   * it was used: changing it would invalidate the provider's cache.
   */
  #remainingTokens(): number | undefined {
    const { max_tokens, thinking } = this.#parts.exchange.request;
    if (typeof max_tokens !== 'number') return undefined;
    const left = max_tokens - (this.#usage.output_tokens ?? 0);
    if (left < limits.toolRoundTokensMin) return 0;
    const budget = thinking?.type === 'enabled' ? thinking.budget_tokens + limits.toolRoundTokensMin : 0;
    return Math.min(max_tokens, Math.max(left, budget));
  }

  /** A forced call of a gateway tool is required only once. */
  #nextToolChoice(): Pick<ChatRequest, 'tool_choice'> {
    const { tool_choice } = this.#request;
    const isMet = tool_choice?.type === 'tool' && this.#parts.tools.has(tool_choice.name);
    return isMet ? { tool_choice: { type: 'auto' } } : {};
  }

  /** Stores the turn before the client sees its end and may continue. */
  async *#end(stopFields: StopFields, last: ToolRound): AsyncGenerator<ReplyEvent> {
    const { exchange, kit } = this.#parts;
    this.#rounds.push(last);
    if (last.folded !== undefined) kit.note({ folded: Object.keys(last.folded).length });
    if (this.#toolCallCount > 0 || this.#writer.hasHidden || last.folded !== undefined) {
      const place = turnKey(exchange.conversation.digestAt(), this.#writer);
      await kit.decisions.decideOnce(place, () => this.#rounds).catch(() => kit.note({ turn: 'not-kept' }));
    }
    const { stop_reason, stop_sequence, stop_details } = stopFields;
    const delta = { stop_reason, stop_sequence, ...(stop_details != null && { stop_details }) };
    yield { type: 'message_delta', delta, usage: this.#usage };
    yield { type: 'message_stop' };
  }
}

type StopFields = Pick<Answer, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

interface CallResults {
  readonly results: readonly Block[];
  /** Calls that the client must make instead. */
  readonly handedOver: readonly ToolUseBlock[];
}

type NextRound = { readonly events: AsyncIterable<ReplyEvent> } | EarlyEnd;

interface EarlyEnd {
  readonly reason: string;
  /** For the client; undefined if the stop reason says it all. */
  readonly why?: string;
}

/** Whether the answer is complete: one that was cut off may end with half a call. */
function isComplete({ stop_reason }: Answer): boolean {
  return stop_reason === 'tool_use' || stop_reason === 'end_turn';
}

/** Replaces invalid tool input, which providers would reject. */
function withValidInput(block: Block): Block {
  return block.type === 'tool_use' && !isJsonObject(block.input) ? { ...block, input: {} } : block;
}

function resultOf({ id }: ToolUseBlock, answer: Exclude<ToolAnswer, { readonly handOver: unknown }>): Block {
  const { content, isError = false } = typeof answer === 'string' ? { content: answer } : answer;
  return { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) };
}

/** Estimates the output if the provider reports no count. */
function usageOf({ usage, content }: Answer): Usage {
  if (usage.output_tokens !== undefined) return usage;
  return { ...usage, output_tokens: Math.ceil(JSON.stringify(content).length / limits.charsPerToken) };
}
