import type { JsonObject } from '../../kernel/json.ts';
import type { Usage } from '../../kernel/message.ts';
import { defined, isCost, numberOf, objectOf, stringOf } from '../read.ts';

interface Told {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly read: number | undefined;
  readonly written: number | undefined;
  readonly thought: number | undefined;
  readonly heard?: number | undefined;
  /** Of sound in the prompt. */
  readonly seconds?: number | undefined;
  readonly spoken?: number | undefined;
}

/** The prompt's count includes what was read from a cache or written to it; in the canonical shape it doesn't. */
export function usageFromCounts(told: Told): Usage {
  const counts = withSound(withCached(told));
  const { prompt, read, heard = 0, spoken = 0 } = counts;
  const written = writtenWithin(counts);
  const thought = thoughtOf(counts);
  return defined({
    input_tokens: prompt === undefined ? undefined : Math.max(0, prompt - (read ?? 0) - (written ?? 0)),
    output_tokens: outputOf(counts),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens_details: thought === undefined ? undefined : { thinking_tokens: thought },
    input_audio_tokens: heard > 0 ? heard : undefined,
    output_audio_tokens: spoken > 0 ? spoken : undefined,
  });
}

/** More can't be read from a cache than there is: it came on top of the prompt, or, where the total has no room for it, not at all. */
function withCached(told: Told): Told {
  const { prompt, read = 0, total } = told;
  if (prompt === undefined || read <= prompt) return told;
  const hasRoom = total === undefined || told.completion === undefined || untold(told) >= read;
  return hasRoom ? { ...told, prompt: prompt + read } : { ...told, read: 0 };
}

/** Mistral counts sound beside the prompt. */
function withSound(told: Told): Told {
  const { prompt, heard = 0, seconds = 0 } = told;
  if (prompt === undefined || (heard === 0 && seconds === 0)) return told;
  const left = untold(told);
  const beside = seconds > 0 && heard === 0 ? left : heard > prompt || left >= heard ? heard : 0;
  return { ...told, prompt: prompt + beside, heard: Math.max(heard, beside) };
}

/** What else decides about the bill; `answer` is where the usage was found. */
export function billingOf(usage: JsonObject, answer: JsonObject): Pick<Usage, 'service_tier' | 'cost'> {
  const tier = stringOf(usage.service_tier) ?? stringOf(answer.service_tier) ?? '';
  return defined({ service_tier: usualTiers.has(tier) ? undefined : tier, cost: costOf(usage) });
}

/** The tier that one has without asking has many names. */
const usualTiers: ReadonlySet<string> = new Set(['', 'auto', 'default', 'standard', 'on_demand']);

/** Routers bill their share alone where the caller's own key at the vendor pays for the rest; xAI counts in ticks. */
function costOf(usage: JsonObject): number | undefined {
  const ticks = numberOf(usage.cost_in_usd_ticks);
  const cost = numberOf(usage.cost) ?? (ticks === undefined ? undefined : ticks / 1e10);
  if (cost === undefined || usage.is_byok !== true) return believable(cost);
  return believable(cost + (numberOf(objectOf(usage.cost_details)?.upstream_inference_cost) ?? 0));
}

function believable(cost: number | undefined): number | undefined {
  return isCost(cost) ? cost : undefined;
}

/** Some count the same token as read and as written; it was still sent once. */
function writtenWithin({ written, prompt, read = 0 }: Told): number | undefined {
  if (written === undefined || prompt === undefined) return written;
  return Math.max(0, Math.min(written, prompt - read));
}

/** The completion's count includes reasoning; where a provider leaves it out, the total gives it away. */
function outputOf(counts: Told): number | undefined {
  const { completion } = counts;
  return completion === undefined ? undefined : completion + untold(counts);
}

function thoughtOf(counts: Told): number | undefined {
  const { thought } = counts;
  const left = untold(counts);
  return thought === undefined && left > 0 ? left : thought;
}

/** Tokens that are in the total and in neither of its parts. */
function untold({ prompt, completion, total }: Told): number {
  if (prompt === undefined || completion === undefined || total === undefined) return 0;
  return Math.max(0, total - prompt - completion);
}
