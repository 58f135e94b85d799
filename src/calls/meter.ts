import type { ClientRequest } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Block, ReplyEvent, StopDetails, Usage } from '../kernel/message.ts';
import type { Refusal } from '../kernel/ports/prices.ts';
import { type Target, wiresOf } from '../kernel/provider.ts';
import { isEstimable, type RelayRequest } from '../kernel/relay.ts';
import { mergeUsage } from '../kernel/reply/answer-events.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import { deltaChars, estimateChunkTokens } from '../kernel/token-estimate.ts';
import type { UnreadContent } from '../kernel/wire-format.ts';
import { estimateInputTokens, estimateOutputTokens, measureContent } from './estimate-usage.ts';

/** Reads usage and timing from a passing answer, and estimates what the answer does not report. */
export class Meter {
  usage: Usage = {};
  /** Whether part of the usage is estimated. */
  estimated = false;
  /** The model that answered, if reported. */
  model: string | undefined;
  /** The id of the answer at the provider. */
  answerId: string | undefined;
  stopReason: string | undefined;
  #stopDetails: StopDetails | undefined;
  /** Whether the provider worked on a call without messages. */
  wasServed = false;
  /** Whether the answer has reported everything. */
  isComplete = false;
  /** When the first content arrived, on the performance clock. */
  firstContentAtMs: number | undefined;
  /** Whether any content was seen, and not only the start or the end. */
  hasContent = false;
  #lastUsage: Usage | undefined;
  /** Output counts at the start of a stream are provisional. */
  #hasOutputCount = false;
  #wholeContent: readonly Block[] = [];
  #tokens = 0;
  /** The names of called tools. */
  readonly #calls: string[] = [];

  /** Whether the provider has reported the size of the whole answer. */
  get hasOutputCount(): boolean {
    return this.#hasOutputCount;
  }

  /** A refusal before any output, for which some providers charge nothing; final once the meter is closed. */
  get refusal(): Refusal | undefined {
    if (this.stopReason !== 'refusal' || this.hasContent) return undefined;
    return { category: this.#stopDetails === undefined ? undefined : (this.#stopDetails.category ?? null) };
  }

  /** The names of the tools that the answer calls, as far as they were read. */
  get calledTools(): readonly string[] {
    return this.#wholeContent.length === 0
      ? this.#calls
      : this.#wholeContent.flatMap((block) => (block.type === 'tool_use' ? block.name : []));
  }

  observe(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#add(event.message.usage);
        this.model = event.message.model;
        this.answerId = event.message.id;
        this.#wholeContent = event.message.content;
        if (this.#wholeContent.some(isNonEmptyBlock)) this.hasContent = true;
        return;
      case 'content_block_start':
        this.firstContentAtMs ??= performance.now();
        if (isNonEmptyBlock(event.content_block)) this.hasContent = true;
        if (event.content_block.type === 'tool_use') this.#calls.push(event.content_block.name);
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
        this.#stopDetails = event.delta.stop_details ?? this.#stopDetails;
        return;
      case 'message_stop':
        // An unstreamed answer may show only its end.
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
   * Estimates what the provider didn't report. A provider that rejected the call, or failed before the answer began,
   * bills only what it reported; one that was still working when aborted or timed out bills the input.
   */
  close({ ending, clientRequest, relay, target, unread: unreadContent }: AttemptOutcome): void {
    if (unreadContent.tokens + unreadContent.calls > 0) this.hasContent = true;
    if (ending.how === 'failed' && GatewayError.is(ending.error)) this.#add(ending.error.details.usage);
    const hasContent = ending.how === 'complete' || this.firstContentAtMs !== undefined;
    if (!hasContent && !wasWorking(ending)) return;
    if (relay !== undefined && !isEstimable(relay.route)) {
      this.#addUnits(relay, ending);
      return;
    }
    const { input_tokens, output_tokens = 0 } = this.usage;
    if (input_tokens === undefined)
      this.estimate({
        input_tokens: Math.ceil(estimateInputTokens(clientRequest) * shareOf(clientRequest, relay)),
      });
    if (!hasContent || this.#hasOutputCount) return;
    const [wire = clientRequest.wire] = wiresOf(target);
    const expected =
      this.#wholeContent.length > 0 ? measureContent(this.#wholeContent) : this.#totalContent(unreadContent);
    this.estimate({ output_tokens: Math.max(output_tokens, estimateOutputTokens(expected, wire)) });
  }

  /** Of a call without messages. One that broke off may be billed in full. */
  #addUnits(relay: RelayRequest, ending: Ending): void {
    const { route } = relay;
    const units = { ...route.unitsOf?.(relay), ...this.usage.units };
    if (Object.keys(units).length > 0) this.usage = { ...this.usage, units };
    this.wasServed = true;
    if (ending.how !== 'complete' && this.usage.input_tokens === undefined) this.estimated = true;
  }

  #totalContent({ tokens, calls }: UnreadContent): UnreadContent {
    return { tokens: this.#tokens + tokens, calls: this.#calls.length + calls };
  }

  /** Adds what the answer does not report. */
  estimate(part: Usage): void {
    this.estimated = true;
    this.usage = { ...this.usage, ...part };
  }

  /** An unstreamed answer reports the same at its start and at its end. */
  #add(usage: Usage | undefined): void {
    if (usage === this.#lastUsage) return;
    this.#lastUsage = usage;
    this.usage = mergeUsage(this.usage, usage);
  }
}

/** Text blocks start empty. */
function isNonEmptyBlock(block: Block): boolean {
  return block.type === 'text' ? block.text !== '' : block.type !== 'thinking' || block.thinking !== '';
}

/** The share of the client's body in a relay with fewer inputs. */
function shareOf({ fields }: ClientRequest, relay: RelayRequest | undefined): number {
  if (relay?.changes === undefined) return 1;
  return Math.min(1, (relay.bodyBytes ?? 0) / fields.bytes.byteLength);
}

function wasWorking(ending: Ending): boolean {
  if (ending.how !== 'failed') return true;
  return GatewayError.is(ending.error) && ending.error.code === 'upstream_timeout';
}

interface AttemptOutcome {
  readonly ending: Ending;
  readonly clientRequest: ClientRequest;
  readonly relay?: RelayRequest | undefined;
  /** The model that answered. */
  readonly target: Target;
  /** Content that passed without being decoded. */
  readonly unread: UnreadContent;
}
