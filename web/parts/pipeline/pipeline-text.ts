/** One module of a pipeline, with those of its options that are not left to it. */
export interface Stage {
  readonly name: string;
  /** The name of its stored configuration. */
  readonly configuration?: string | undefined;
  readonly options: Readonly<Record<string, string>>;
}

/** Reads `exact-cache?ttl=1h,cost-guard:team?day=5`. What is wrong in it, the gateway says. */
export function stagesOf(text: string): readonly Stage[] {
  const plain = text.replaceAll(/\s/g, '');
  if (plain === '' || plain === 'none') return [];
  return plain
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [head = '', ...query] = entry.split('?');
      const [name = '', configuration] = head.split(/:(.*)/);
      return { name, configuration, options: Object.fromEntries(new URLSearchParams(query.join('?'))) };
    });
}

export function textOf(stages: readonly Stage[]): string {
  return stages
    .map(({ name, configuration, options }) => {
      const head = configuration === undefined ? name : `${name}:${configuration}`;
      const query = readable(new URLSearchParams(options).toString());
      return query === '' ? head : `${head}?${query}`;
    })
    .join(',');
}

/** Characters that separate nothing in a pipeline need no escape. */
function readable(query: string): string {
  return query.replaceAll('%7C', '|').replaceAll('%3A', ':').replaceAll('%2F', '/');
}

/** What modules say of where they do best. */
interface ModuleOrder {
  readonly name: string;
  readonly order: number | null;
}

/** Undefined where the order is as modules do best; else the same stages in that order. Those that don't say stay where they are. */
export function betterOrder(
  stages: readonly Stage[],
  modules: readonly ModuleOrder[],
): readonly Stage[] | undefined {
  const place = ({ name }: Stage) => modules.find((module) => module.name === name)?.order ?? null;
  const known = stages
    .filter((stage) => place(stage) !== null)
    .toSorted((one, other) => (place(one) ?? 0) - (place(other) ?? 0));
  const sorted = stages.map((stage) => (place(stage) === null ? stage : (known.shift() ?? stage)));
  return textOf(sorted) === textOf(stages) ? undefined : sorted;
}
