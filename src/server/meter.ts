import { mergeUsage } from '../kernel/answer.ts';
import type { ReplyEvent, Usage } from '../kernel/message.ts';

/** Reads what an answer says about itself while it passes. */
export class Meter {
  usage: Usage = {};
  stopReason: string | undefined;
  /** When the first content was there, on the performance clock. */
  firstContentAtMs: number | undefined;

  look(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.usage = mergeUsage(this.usage, event.message.usage);
        return;
      case 'content_block_start':
      case 'content_block_delta':
        this.firstContentAtMs ??= performance.now();
        return;
      case 'message_delta':
        this.usage = mergeUsage(this.usage, event.usage);
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        return;
      default:
        return;
    }
  }
}
