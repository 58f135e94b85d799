import type { Fields } from '../../kernel/outline.ts';
import type { UsageQuestion } from '../../kernel/wire-format.ts';
import { objectOf } from '../read.ts';
import { UnaskedUsage } from './unasked-usage.ts';

export const usageQuestion: UsageQuestion = {
  asking(fields) {
    const options = fields.get('stream_options') ?? {};
    // What is no object is for the provider to refuse.
    if (isAsking(options) || objectOf(options) === undefined) return undefined;
    return { stream_options: { ...options, include_usage: true } };
  },
  unasked: () => new UnaskedUsage(),
};

export function asksUsage(fields: Fields): boolean {
  return isAsking(fields.get('stream_options'));
}

function isAsking(options: unknown): boolean {
  return objectOf(options)?.include_usage === true;
}
