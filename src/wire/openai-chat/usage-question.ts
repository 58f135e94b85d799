import type { JsonObject } from '../../kernel/json.ts';
import type { UsageQuestion } from '../../kernel/wire-format.ts';
import { objectOf } from '../read.ts';
import { UnaskedUsage } from './unasked-usage.ts';

export const usageQuestion: UsageQuestion = {
  asking(body) {
    const options = body.stream_options ?? {};
    // What is no object is for the provider to refuse.
    if (asksUsage(body) || objectOf(options) === undefined) return undefined;
    return { stream_options: { ...options, include_usage: true } };
  },
  unasked: () => new UnaskedUsage(),
};

export function asksUsage({ stream_options }: JsonObject): boolean {
  return objectOf(stream_options)?.include_usage === true;
}
