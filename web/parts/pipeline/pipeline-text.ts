/** One module of a pipeline, with those of its options that are not left to it. */
export interface Stage {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Reads `exact-cache?ttl=1h,cost-guard?day=5`. What is wrong in it, the gateway says. */
export function stagesOf(text: string): readonly Stage[] {
  const plain = text.replaceAll(/\s/g, '');
  if (plain === '' || plain === 'none') return [];
  return plain
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', ...query] = entry.split('?');
      return { name, options: Object.fromEntries(new URLSearchParams(query.join('?'))) };
    });
}

export function textOf(stages: readonly Stage[]): string {
  return stages
    .map(({ name, options }) => {
      const query = new URLSearchParams(options).toString();
      return query === '' ? name : `${name}?${query}`;
    })
    .join(',');
}

/** Memory before what edits, and what edits before what guards the money, next to the provider. */
const recommended = ['exact-cache', 'semantic-cache', 'patterns', 'mcp-optimizer', 'ipc', 'cost-guard'];

/** Undefined where the order is as it should be; else the same stages in that order. */
export function betterOrder(stages: readonly Stage[]): readonly Stage[] | undefined {
  const place = ({ name }: Stage) => recommended.indexOf(name);
  const known = stages
    .filter((stage) => place(stage) >= 0)
    .toSorted((one, other) => place(one) - place(other));
  const sorted = stages.map((stage) => (place(stage) < 0 ? stage : (known.shift() ?? stage)));
  return textOf(sorted) === textOf(stages) ? undefined : sorted;
}
