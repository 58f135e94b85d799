import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import type { UsageOptIn } from '../../kernel/wire-format.ts';
import { objectOf } from '../json-values.ts';
import { UnrequestedUsageFilter } from './unrequested-usage-filter.ts';

export const includeUsageOption: UsageOptIn = {
  optInFields(fieldReader) {
    const options = fieldReader.get('stream_options') ?? {};
    // The provider rejects what isn't an object.
    if (includesUsage(options) || objectOf(options) === undefined) return undefined;
    return { stream_options: { ...options, include_usage: true } };
  },
  stripUsage: () => new UnrequestedUsageFilter(),
};

export function wantsUsage(fieldReader: FieldReader): boolean {
  return includesUsage(fieldReader.get('stream_options'));
}

function includesUsage(options: unknown): boolean {
  return objectOf(options)?.include_usage === true;
}
