import { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import { mergeUsage } from '../../kernel/reply/answer.ts';
import type { Ending, Reply } from '../../kernel/reply/reply.ts';
import { deltaChars, tokensOfPiece } from '../../kernel/token-estimate.ts';
import type { WorstCase } from './worst-case.ts';

interface Watched {
  readonly exchange: Exchange;
  readonly worst: WorstCase;
  readonly prices: Prices;
}

/** Follows a call to its end, and then knows what it cost. */
export class Watch {
  readonly #watched: Watched;
  #usage: Usage = {};
  #answered: string | undefined;
  /** What a stream says of its output at its start is provisional. */
  #hasToldOutput = false;
  #shownTokens = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Calls `then` with the cost, once, however the answer ends. */
  follow(reply: Reply, then: (cost: NanoUsd) => void): Reply {
    return reply
      .tap((event) => this.#look(event), 'milestones')
      .onEnd((ending) => then(this.#cost(ending, reply.unread.tokens)));
  }

  /** A provider that refused bills nothing. One that was working when its client left, or for too long, bills what it read. */
  costOfFailure(failure: unknown): NanoUsd {
    const { exchange } = this.#watched;
    const mayBill = GatewayError.is(failure) && stillWorking.has(failure.code);
    return mayBill && exchange.trace.answeredBy !== undefined ? this.#costWith(0) : 0;
  }

  #look(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#answered = event.message.model;
        this.#usage = mergeUsage(this.#usage, event.message.usage);
        return;
      case 'message_delta':
        this.#usage = mergeUsage(this.#usage, event.usage);
        if (event.usage?.output_tokens !== undefined) this.#hasToldOutput = true;
        return;
      case 'content_block_delta':
        this.#shownTokens += tokensOfPiece(deltaChars(event.delta));
        return;
      default:
        return;
    }
  }

  /** What nobody was asked for costs nothing; where an answer was cut off, what was seen of it counts. */
  #cost({ how }: Ending, unreadTokens: number): NanoUsd {
    const { exchange, prices } = this.#watched;
    const { answeredBy } = exchange.trace;
    if (answeredBy === undefined) return 0;
    const told =
      how === 'complete' && this.#isTold ? prices.cost(answeredBy, this.#usage, this.#answered) : undefined;
    return told ?? this.#costWith(Math.ceil(this.#shownTokens + unreadTokens));
  }

  get #isTold(): boolean {
    const { input_tokens, cost } = this.#usage;
    return cost !== undefined || (input_tokens !== undefined && this.#hasToldOutput);
  }

  /** By what the provider told until then, and for the rest by what was sent and seen. */
  #costWith(seenTokens: number): NanoUsd {
    const { exchange, worst, prices } = this.#watched;
    const { input_tokens = worst.sentTokens, output_tokens = 0 } = this.#usage;
    const usage = { ...this.#usage, input_tokens, output_tokens: Math.max(output_tokens, seenTokens) };
    return prices.cost(exchange.target, usage, this.#answered) ?? worst.cost;
  }
}

const stillWorking: ReadonlySet<string> = new Set(['client_gone', 'upstream_timeout']);
