import type { paths } from '../../api/schema.ts';
import { addUnsent, type ModelSums, mergeUnsent } from '../../parts/model-sums.ts';

type Catalog = paths['/v1/catalog']['get']['responses'][200]['content']['application/json'];
type CatalogModel = Catalog['models'][number];

/** A model of the catalogue, or one that was called without being in it, with the calls of the period. */
export interface KnownModel {
  readonly provider: string | null;
  readonly id: string;
  readonly listed: CatalogModel | undefined;
  readonly hasKey: boolean;
  readonly sums: ModelSums | undefined;
}

interface Sources {
  readonly listed: readonly CatalogModel[];
  readonly sums: readonly ModelSums[];
  /** Names of providers. */
  readonly withKey: ReadonlySet<string>;
}

/** The ones that were called first, by cost. */
export function knownModels({ listed, sums, withKey }: Sources): readonly KnownModel[] {
  const own = new Map<string, ModelSums>();
  for (const one of mergeUnsent(sums)) {
    // Calls that reached no provider count for the model of the catalogue that they named.
    const named =
      one.provider === null
        ? listed.find(({ id, provider }) => id === one.model || nameOf(provider, id) === one.model)
        : undefined;
    const name = nameOf(named?.provider ?? one.provider, named?.id ?? one.model);
    const sent = own.get(name);
    own.set(name, sent === undefined ? one : addUnsent(sent, one));
  }
  const known: KnownModel[] = listed.map((model) => {
    const { provider, id } = model;
    return {
      provider,
      id,
      listed: model,
      hasKey: withKey.has(provider),
      sums: own.get(nameOf(provider, id)),
    };
  });
  const names = new Set(listed.map(({ provider, id }) => nameOf(provider, id)));
  for (const [name, one] of own) {
    if (names.has(name) || one.model === '') continue;
    const { provider, model: id } = one;
    const hasKey = provider !== null && withKey.has(provider);
    known.push({ provider, id, listed: undefined, hasKey, sums: one });
  }
  return known.toSorted(
    (one, other) =>
      costOf(other) - costOf(one) ||
      callsOf(other) - callsOf(one) ||
      Number(other.hasKey) - Number(one.hasKey),
  );
}

/** As calls can name it. */
export function nameOf(provider: string | null, id: string): string {
  return provider === null ? id : `${provider}/${id}`;
}

/** The models of these names, with or without a provider; without one, the first that has the name. None is there twice. */
export function findModels(
  known: readonly KnownModel[],
  names: readonly string[],
): { readonly found: readonly KnownModel[]; readonly missing: readonly string[] } {
  const found = new Set<KnownModel>();
  const missing: string[] = [];
  for (const name of names) {
    const model =
      known.find(({ provider, id }) => nameOf(provider, id) === name) ?? known.find(({ id }) => id === name);
    if (model === undefined) missing.push(name);
    else found.add(model);
  }
  return { found: [...found], missing };
}

interface ModelFilter {
  readonly q?: string | undefined;
  readonly provider?: string | undefined;
  readonly ability?: string | undefined;
  /** Only those that can be called, or were. */
  readonly show?: 'key' | 'used' | undefined;
}

export function matches(model: KnownModel, { q = '', provider, ability, show }: ModelFilter): boolean {
  const words = q.toLowerCase().split(/\s+/);
  const name = nameOf(model.provider, model.id).toLowerCase();
  return (
    words.every((word) => name.includes(word)) &&
    (provider === undefined || model.provider === provider) &&
    (ability === undefined || model.listed?.features?.includes(ability) === true) &&
    (show !== 'key' || model.hasKey) &&
    (show !== 'used' || model.sums !== undefined)
  );
}

/** All abilities that the catalogue knows of, by name. */
export function abilitiesOf(listed: readonly CatalogModel[]): readonly string[] {
  return [...new Set(listed.flatMap(({ features }) => features ?? []))].sort();
}

function costOf({ sums }: KnownModel): number {
  return Number(sums?.cost_usd ?? 0);
}

function callsOf({ sums }: KnownModel): number {
  return sums?.requests ?? 0;
}
