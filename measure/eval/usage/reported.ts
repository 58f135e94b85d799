import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { framesIn } from '../wire/facts.ts';
import type { Recording } from '../wire/recordings.ts';
import type { Counts } from './counts.ts';

/** What a provider itself said about a call. */
export interface ReportedUsage {
  readonly counts: Counts;
  /** In dollars, where it says so. */
  readonly cost: number | undefined;
  /** Who answered. */
  readonly model: string;
  readonly atMs: number | undefined;
}

/** The provider's own usage, read a second time by the plainest code there is; undefined where it gave none. */
export function reportedIn(recording: Recording): ReportedUsage | undefined {
  const objects = recording.kind === 'sse' ? framesIn(recording.bytes) : wholeOf(recording);
  const answers = objects.flatMap((object) => [
    object,
    ...['message', 'response', 'x_groq'].map((name) => object[name]).filter(isJsonObject),
  ]);
  const usages = answers.map(({ usage, usageMetadata }) => usage ?? usageMetadata).filter(isJsonObject);
  if (usages.length === 0) return undefined;
  const usage = latest(usages);
  const read = readers[recording.format.api];
  const model = answers
    .map((answer) => answer.model ?? answer.modelVersion)
    .find((name) => typeof name === 'string');
  const created = answers.map((answer) => amount(answer.created ?? answer.created_at)).find((at) => at > 0);
  return {
    counts: read === undefined ? none : read(usage, recording.provider),
    cost: costIn(usage),
    model: String(model ?? ''),
    atMs: created === undefined ? undefined : created * 1000,
  };
}

function wholeOf({ bytes }: Recording): readonly JsonObject[] {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(body) ? [body] : [];
  } catch {
    return [];
  }
}

/** Later frames of a stream say more: a field that is there replaces what was said before. */
function latest(usages: readonly JsonObject[]): JsonObject {
  const fields = usages.flatMap((usage) => Object.entries(usage).filter(([, value]) => value !== null));
  return Object.fromEntries(fields);
}

const none: Counts = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0, thinking: 0 };

const readers: Readonly<Record<string, (usage: JsonObject, provider: string) => Counts>> = {
  // The cache stands beside the input.
  'anthropic.messages': (usage) => ({
    input: amount(usage.input_tokens),
    cacheRead: amount(usage.cache_read_input_tokens),
    cacheWrite: amount(usage.cache_creation_input_tokens),
    cacheWriteHour: amount(within(usage.cache_creation).ephemeral_1h_input_tokens),
    output: amount(usage.output_tokens),
    thinking: amount(within(usage.output_tokens_details).thinking_tokens),
  }),
  // The cache is part of the input.
  'openai.responses': (usage) => {
    const details = within(usage.input_tokens_details);
    const cacheRead = amount(details.cached_tokens);
    const cacheWrite = amount(details.cache_write_tokens);
    return {
      ...none,
      input: amount(usage.input_tokens) - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output: amount(usage.output_tokens),
      thinking: amount(within(usage.output_tokens_details).reasoning_tokens),
    };
  },
  // What the provider's tools brought in and what was thought stand beside the others.
  'gemini.generateContent': (usage) => {
    const cacheRead = amount(usage.cachedContentTokenCount);
    const thinking = amount(usage.thoughtsTokenCount);
    return {
      ...none,
      input: amount(usage.promptTokenCount) - cacheRead + amount(usage.toolUsePromptTokenCount),
      cacheRead,
      output: amount(usage.candidatesTokenCount) + thinking,
      thinking,
    };
  },
  'openai.chat': (usage, provider) => ({
    ...none,
    ...promptOf(usage, provider),
    ...completionOf(usage, provider),
  }),
};

function promptOf(usage: JsonObject, provider: string) {
  const prompt = amount(usage.prompt_tokens);
  const details = within(usage.prompt_tokens_details);
  switch (provider) {
    // Hits and misses, which add up to the prompt.
    case 'deepseek':
      return {
        input: amount(usage.prompt_cache_miss_tokens),
        cacheRead: amount(usage.prompt_cache_hit_tokens),
      };
    case 'mistral': {
      const cacheRead = amount(usage.num_cached_tokens ?? details.cached_tokens);
      return { input: prompt - cacheRead, cacheRead };
    }
    case 'huggingface':
    case 'together': {
      const cacheRead = amount(usage.cached_tokens);
      return { input: prompt - cacheRead, cacheRead };
    }
    default: {
      const cacheRead = amount(details.cached_tokens ?? usage.cache_read_input_tokens);
      const cacheWrite = amount(details.cache_write_tokens ?? usage.cache_creation_input_tokens);
      return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite };
    }
  }
}

/** Gemini leaves what it thought out of the completion, and doesn't name it: only the total has it. */
function completionOf(usage: JsonObject, provider: string) {
  const completion = amount(usage.completion_tokens);
  if (provider !== 'gemini') {
    const told = within(usage.completion_tokens_details).reasoning_tokens ?? usage.reasoning_tokens;
    return { output: completion, thinking: amount(told) };
  }
  const output = amount(usage.total_tokens) - amount(usage.prompt_tokens);
  return { output, thinking: output - completion };
}

function costIn(usage: JsonObject): number | undefined {
  if (typeof usage.cost_in_usd_ticks === 'number') return usage.cost_in_usd_ticks / 1e10;
  return typeof usage.cost === 'number' ? usage.cost : undefined;
}

function within(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
