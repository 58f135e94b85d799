import { mergeUsage } from '../kernel/answer.ts';
import type { ReplyEvent, Usage } from '../kernel/message.ts';

/** Reads what an answer says about itself while it passes. */
export class Meter {
  usage: Usage = {};
  #latest: Usage | undefined;
  stopReason: string | undefined;
  /** When the first content was there, on the performance clock. */
  firstContentAtMs: number | undefined;

  look(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#add(event.message.usage);
        return;
      case 'content_block_start':
      case 'content_block_delta':
        this.firstContentAtMs ??= performance.now();
        return;
      case 'message_delta':
        this.#add(event.usage);
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        return;
      case 'message_stop':
        // An answer that came in one piece may show no more than its end.
        this.firstContentAtMs ??= performance.now();
        return;
      default:
        return;
    }
  }

  /** An unstreamed answer says the same thing at its start and at its end. */
  #add(usage: Usage | undefined): void {
    if (usage === this.#latest) return;
    this.#latest = usage;
    this.usage = mergeUsage(this.usage, usage);
  }
}
