import { storableFigure } from '../kernel/storable.ts';
import { noTags, tagOf } from '../kernel/tags.ts';
import type { EndedCall } from './ended-call.ts';
import { limits } from './limits.ts';
import { type Counter, CounterFamily } from './series.ts';

/** The counters of one value of a tag. */
interface TagSeries {
  readonly requests: Counter;
  readonly input: Counter;
  readonly output: Counter;
  readonly cost: Counter;
}

const labels = ['tag', 'value'];

/** Calls, tokens and cost by the tags that the operator lists. Clients choose the values, but not how many there are. */
export class TagMetrics {
  readonly #tags: ReadonlyMap<string, Map<string, TagSeries>>;
  readonly #requests = new CounterFamily('weir_tag_requests_total', 'Calls by tag', labels);
  readonly #tokens = new CounterFamily('weir_tag_tokens_total', 'Tokens by tag', [...labels, 'kind']);
  readonly #cost = new CounterFamily('weir_tag_cost_usd_total', 'Cost by tag in US dollars', labels);

  constructor(tags: readonly string[]) {
    this.#tags = new Map(tags.map((tag) => [tag, new Map()]));
  }

  record({ tags = noTags, usage, costNanoUsd }: EndedCall): void {
    for (const [tag, values] of this.#tags) {
      const series = this.#seriesOf(tag, values, tagOf(tags, tag) ?? '');
      series.requests.value++;
      series.input.value += storableFigure(usage.input_tokens) ?? 0;
      series.output.value += storableFigure(usage.output_tokens) ?? 0;
      series.cost.value += (storableFigure(costNanoUsd) ?? 0) / 1e9;
    }
  }

  render(): string {
    if (this.#tags.size === 0) return '';
    return [this.#requests, this.#tokens, this.#cost].map((family) => family.render()).join('');
  }

  #seriesOf(tag: string, values: Map<string, TagSeries>, value: string): TagSeries {
    const label = values.has(value) || values.size < limits.metricTagValuesMax ? value : 'other';
    const series = values.get(label) ?? {
      requests: this.#requests.with(tag, label),
      input: this.#tokens.with(tag, label, 'input'),
      output: this.#tokens.with(tag, label, 'output'),
      cost: this.#cost.with(tag, label),
    };
    values.set(label, series);
    return series;
  }
}
