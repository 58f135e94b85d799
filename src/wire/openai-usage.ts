import type { Usage } from '../kernel/message.ts';
import { defined } from './read.ts';

interface Counts {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly read: number | undefined;
  readonly written: number | undefined;
  readonly thought: number | undefined;
}

/** The prompt's count includes what was read from a cache or written to it; in the canonical shape it doesn't. */
export function usageFromCounts(counts: Counts): Usage {
  const { prompt, read, thought } = counts;
  const written = writtenWithin(counts);
  return defined({
    input_tokens: prompt === undefined ? undefined : Math.max(0, prompt - (read ?? 0) - (written ?? 0)),
    output_tokens: outputOf(counts),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens_details: thought === undefined ? undefined : { thinking_tokens: thought },
  });
}

/** Some count the same token as read and as written; it was still sent once. */
function writtenWithin({ written, prompt, read = 0 }: Counts): number | undefined {
  if (written === undefined || prompt === undefined) return written;
  return Math.max(0, Math.min(written, prompt - read));
}

/** The completion's count includes reasoning; where a provider leaves it out, the total gives it away. */
function outputOf({ completion, prompt, thought, total }: Counts): number | undefined {
  if (completion === undefined || prompt === undefined || thought === undefined || thought === 0)
    return completion;
  return total === prompt + completion + thought ? completion + thought : completion;
}
