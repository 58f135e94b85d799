import { GatewayError, isRefusal } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { isJsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Answer, Block, ChatRequest, ReplyEvent, ToolUseBlock, Usage } from '../message.ts';
import type { Handler, Kit } from '../module.ts';
import { Folding } from '../reply/answer.ts';
import { within } from '../within.ts';
import type { NamedTools, ToolAnswer } from './answered-tool.ts';
import { awaitedIn, type HiddenBlocks, placeOf, type Round } from './kept-turn.ts';
import { ShownEvents } from './shown-events.ts';
import { summedUsage } from './summed-usage.ts';

interface RoundsParts {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly kit: Pick<Kit<unknown>, 'ledger' | 'note'>;
  readonly tools: NamedTools;
  readonly roundsMax: number;
  readonly hidden?: HiddenBlocks | undefined;
}

/** One turn of the model, in as many rounds as it takes until it speaks to the client. */
export class ToolRounds {
  readonly #parts: RoundsParts;
  readonly #shown: ShownEvents;
  readonly #rounds: Round[] = [];
  #asked: ChatRequest;
  #usage: Usage = {};
  #called = 0;

  constructor(parts: RoundsParts, asked: ChatRequest) {
    this.#parts = parts;
    this.#asked = asked;
    this.#shown = new ShownEvents(
      (block) =>
        (block.type === 'tool_use' && parts.tools.has(block.name)) || parts.hidden?.is(block) === true,
    );
  }

  /** The events of the one answer that the client gets. */
  async *of(first: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent> {
    for (let events = first; ; ) {
      const answer = yield* this.#shownOf(events);
      if (answer === undefined) return;
      this.#usage = summedUsage(this.#usage, usedBy(answer));
      const { calls, rest } = this.#divided(answer);
      if (calls.length === 0 || !isDone(answer)) {
        yield* this.#end(answer, { content: rest, results: [] });
        return;
      }
      const { results, handedOver } = await this.#answered(calls);
      for (const call of handedOver) yield* this.#shown.call(call);
      const round: Round = { content: answer.content.map(sound), results };
      if (handedOver.length > 0 || rest.some((block) => awaitedIn(block) !== undefined)) {
        yield* this.#end({ stop_reason: 'tool_use', stop_sequence: null }, round);
        return;
      }
      const further = await this.#furtherAnswer(round);
      if (!('events' in further)) {
        yield* this.#cutShort(round, further);
        return;
      }
      this.#rounds.push(round);
      events = further.events;
    }
  }

  /** Undefined where an error ended it, which the client has seen. */
  async *#shownOf(events: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent, Answer | undefined> {
    const folding = new Folding();
    for await (const event of events) {
      folding.push(event);
      yield* this.#shown.of(event);
      if (event.type === 'error') return undefined;
    }
    const answer = folding.answer();
    if (answer !== undefined) return answer;
    throw new GatewayError('upstream_broken', 'the provider sent an answer that has no message in it');
  }

  /** The client gets what there is, with the reason. */
  async *#cutShort(round: Round, { why, words }: CutShort): AsyncGenerator<ReplyEvent> {
    this.#parts.kit.note({ stopped: why });
    const stop_reason = why === 'max_tokens' ? why : 'end_turn';
    const said: Ended = { stop_reason, stop_sequence: null };
    if (words === undefined) {
      yield* this.#end(said, round);
      return;
    }
    this.#rounds.push(round);
    yield* this.#shown.words(words);
    yield* this.#end(said, { content: [{ type: 'text', text: words }], results: [] });
  }

  /** Calls of our tools, and everything else. */
  #divided({ content }: Answer): {
    readonly calls: readonly ToolUseBlock[];
    readonly rest: readonly Block[];
  } {
    const { tools } = this.#parts;
    const calls = content.filter((block) => block.type === 'tool_use').filter(({ name }) => tools.has(name));
    const ours: ReadonlySet<Block> = new Set(calls);
    return { calls, rest: content.filter((block) => !ours.has(block)) };
  }

  async #answered(calls: readonly ToolUseBlock[]): Promise<Answered> {
    this.#called += calls.length;
    this.#parts.kit.note({ tool_calls: this.#called });
    const results: Block[] = [];
    const handedOver: ToolUseBlock[] = [];
    const answers = await Promise.all(calls.map((call) => this.#answer(call)));
    for (const [at, call] of calls.entries()) {
      const answer = answers[at] ?? '';
      if (typeof answer !== 'string' && 'handOver' in answer)
        handedOver.push({ ...call, ...answer.handOver });
      else results.push(resultOf(call, answer));
    }
    return { results, handedOver };
  }

  async #answer({ name, input }: ToolUseBlock): Promise<ToolAnswer> {
    const { exchange, tools, kit } = this.#parts;
    const { signal } = exchange;
    try {
      const answering = async () => tools.get(name)?.answer(input, { exchange, signal }) ?? '';
      return await within(answering(), limits.toolAnswerMs, () => new Error('it took too long'));
    } catch (fault) {
      if (signal.aborted)
        throw new GatewayError('client_gone', 'the client closed the connection', { cause: fault });
      kit.note({ tool_failed: name });
      return { content: 'This tool failed. Go on without it.', isError: true };
    }
  }

  /** Asks on with the results, or says why not. */
  async #furtherAnswer(round: Round): Promise<Further> {
    const { exchange, next, roundsMax } = this.#parts;
    const limit = this.#limit();
    if (limit === 0) return { why: 'max_tokens' };
    if (this.#rounds.length + 1 >= roundsMax)
      return { why: 'rounds', words: endedBy(`tools were called ${roundsMax} times in a row`) };
    const request: ChatRequest = {
      ...this.#asked,
      messages: [
        ...this.#asked.messages,
        { role: 'assistant', content: round.content },
        { role: 'user', content: round.results },
      ],
      ...(limit !== undefined && { max_tokens: limit }),
      ...this.#choice(),
    };
    try {
      const reply = await next(exchange.with({ request }));
      this.#asked = request;
      return { events: reply.events() };
    } catch (failure) {
      if (!isRefusal(failure) || failure.code === 'client_gone') throw failure;
      return { why: failure.code, words: endedBy(failure.message) };
    }
  }

  /**
   * What is left of the tokens that the client allowed for the whole of its answer; 0 where that is nothing. A budget
   * for thinking must fit in though it was in part used up: to change it would cost more, since providers read
   * everything anew then.
   */
  #limit(): number | undefined {
    const { max_tokens, thinking } = this.#parts.exchange.request;
    if (typeof max_tokens !== 'number') return undefined;
    const left = max_tokens - (this.#usage.output_tokens ?? 0);
    if (left < limits.toolRoundTokensMin) return 0;
    const budget = thinking?.type === 'enabled' ? thinking.budget_tokens + limits.toolRoundTokensMin : 0;
    return Math.min(max_tokens, Math.max(left, budget));
  }

  /** Who had to call one of ours has done so. */
  #choice(): Pick<ChatRequest, 'tool_choice'> {
    const { tool_choice } = this.#asked;
    const isMet = tool_choice?.type === 'tool' && this.#parts.tools.has(tool_choice.name);
    return isMet ? { tool_choice: { type: 'auto' } } : {};
  }

  /** What the turn was is kept before the client knows of its end, and may go on from it. */
  async *#end(said: Ended, last: Round): AsyncGenerator<ReplyEvent> {
    const { exchange, kit } = this.#parts;
    this.#rounds.push(last);
    if (this.#called > 0 || this.#shown.hasHidden) {
      const place = placeOf(exchange.conversation.at(), this.#shown);
      await kit.ledger.once(place, () => this.#rounds).catch(() => kit.note({ turn: 'not-kept' }));
    }
    const { stop_reason, stop_sequence, stop_details } = said;
    const delta = { stop_reason, stop_sequence, ...(stop_details != null && { stop_details }) };
    yield { type: 'message_delta', delta, usage: this.#usage };
    yield { type: 'message_stop' };
  }
}

type Ended = Pick<Answer, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

interface Answered {
  readonly results: readonly Block[];
  /** Calls that the client is to make instead. */
  readonly handedOver: readonly ToolUseBlock[];
}

type Further = { readonly events: AsyncIterable<ReplyEvent> } | CutShort;

interface CutShort {
  readonly why: string;
  readonly words?: string;
}

/** Whether it said all that it had to say: what was cut off may be half a call. */
function isDone({ stop_reason }: Answer): boolean {
  return stop_reason === 'tool_use' || stop_reason === 'end_turn';
}

/** What a model said in a call may be no JSON; providers take nothing else back. */
function sound(block: Block): Block {
  return block.type === 'tool_use' && !isJsonObject(block.input) ? { ...block, input: {} } : block;
}

function resultOf({ id }: ToolUseBlock, answer: Exclude<ToolAnswer, { readonly handOver: unknown }>): Block {
  const { content, isError = false } = typeof answer === 'string' ? { content: answer } : answer;
  return { type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) };
}

function endedBy(why: string): string {
  return `[The answer ends here: ${why}]`;
}

/** With a count where the provider told none. */
function usedBy({ usage, content }: Answer): Usage {
  if (usage.output_tokens !== undefined) return usage;
  return { ...usage, output_tokens: Math.ceil(JSON.stringify(content).length / limits.charsPerToken) };
}
