import type { ClientRequest } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Block, ReplyEvent, Usage } from '../kernel/message.ts';
import { type Target, wiresOf } from '../kernel/provider.ts';
import { mergeUsage } from '../kernel/reply/answer-events.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import { deltaChars, estimateChunkTokens } from '../kernel/token-estimate.ts';
import type { UnreadContent } from '../kernel/wire-format.ts';
import { estimateInputTokens, estimateOutputTokens, measureContent } from './estimate-usage.ts';

/** Reads what an answer says about itself while it passes, and estimates what it left unsaid. */
export class Meter {
  usage: Usage = {};
  /** Whether a part of the usage is an estimate. */
  estimated = false;
  /** Who answered, where the answer says so. */
  model: string | undefined;
  stopReason: string | undefined;
  /** Whether the answer has said all that it says. */
  isComplete = false;
  /** When the first content was there, on the performance clock. */
  firstContentAtMs: number | undefined;
  /** Whether a part of the answer itself was seen, and not only its beginning or its end. */
  hasContent = false;
  #lastUsage: Usage | undefined;
  /** What a stream says of its output at its start is provisional. */
  #hasOutputCount = false;
  #wholeContent: readonly Block[] = [];
  #tokens = 0;
  #calls = 0;

  observe(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#add(event.message.usage);
        this.model = event.message.model;
        this.#wholeContent = event.message.content;
        if (this.#wholeContent.some(isNonEmptyBlock)) this.hasContent = true;
        return;
      case 'content_block_start':
        this.firstContentAtMs ??= performance.now();
        if (isNonEmptyBlock(event.content_block)) this.hasContent = true;
        if (event.content_block.type === 'tool_use') this.#calls++;
        return;
      case 'content_block_delta':
        this.firstContentAtMs ??= performance.now();
        this.hasContent = true;
        this.#tokens += estimateChunkTokens(deltaChars(event.delta));
        return;
      case 'message_delta':
        this.#add(event.usage);
        if (event.usage?.output_tokens != null) this.#hasOutputCount = true;
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        return;
      case 'message_stop':
        // An answer that came in one piece may show no more than its end.
        this.firstContentAtMs ??= performance.now();
        this.isComplete = true;
        return;
      case 'error':
        this.#add(event.usage);
        return;
      default:
        return;
    }
  }

  /**
   * Fills in what its provider didn't say; what it said stays. One that refused, or broke off an answer before it
   * began, bills nothing beyond what it counted; one that was working when it was left, or for too long, bills what it read.
   */
  close({ ending, clientRequest, target, unread: unreadContent }: AttemptOutcome): void {
    if (ending.how === 'failed' && GatewayError.is(ending.error)) this.#add(ending.error.details.usage);
    const hasContent = ending.how === 'complete' || this.firstContentAtMs !== undefined;
    if (!hasContent && !wasWorking(ending)) return;
    const { input_tokens, output_tokens = 0 } = this.usage;
    if (input_tokens === undefined) this.#estimate({ input_tokens: estimateInputTokens(clientRequest) });
    if (!hasContent || this.#hasOutputCount) return;
    const [wire = clientRequest.wire] = wiresOf(target);
    const expected =
      this.#wholeContent.length > 0 ? measureContent(this.#wholeContent) : this.#totalContent(unreadContent);
    this.#estimate({ output_tokens: Math.max(output_tokens, estimateOutputTokens(expected, wire)) });
  }

  #totalContent({ tokens, calls }: UnreadContent): UnreadContent {
    return { tokens: this.#tokens + tokens, calls: this.#calls + calls };
  }

  #estimate(part: Usage): void {
    this.estimated = true;
    this.usage = { ...this.usage, ...part };
  }

  /** An unstreamed answer says the same thing at its start and at its end. */
  #add(usage: Usage | undefined): void {
    if (usage === this.#lastUsage) return;
    this.#lastUsage = usage;
    this.usage = mergeUsage(this.usage, usage);
  }
}

/** A text that begins is empty. */
function isNonEmptyBlock(block: Block): boolean {
  return block.type === 'text' ? block.text !== '' : block.type !== 'thinking' || block.thinking !== '';
}

function wasWorking(ending: Ending): boolean {
  if (ending.how !== 'failed') return true;
  return GatewayError.is(ending.error) && ending.error.code === 'upstream_timeout';
}

interface AttemptOutcome {
  readonly ending: Ending;
  readonly clientRequest: ClientRequest;
  /** Who answered. */
  readonly target: Target;
  /** What passed without a look. */
  readonly unread: UnreadContent;
}
