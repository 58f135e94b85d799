import type { Alias, CatalogModel } from '../../api/queries.ts';
import { usd } from '../../parts/format.ts';

/** A model of an alias. */
export interface ListedModel {
  readonly name: string;
  readonly weight: string;
}

/** Splits `gpt-5-mini:3`; a version such as `-v1:0` belongs to the name. */
export function splitWeight(text: string): ListedModel {
  const [, name, weight = ''] = /^(.+):([1-9]\d{0,3})$/.exec(text) ?? [];
  return name === undefined || /-v\d$/.test(name) ? { name: text, weight: '' } : { name, weight };
}

export function withWeight({ name, weight }: ListedModel): string {
  return weight === '' ? name : `${name}:${weight}`;
}

export interface KnownPrices {
  readonly models: readonly CatalogModel[];
  readonly aliases: readonly Alias[];
}

/** The prices of a million tokens of input and of output. */
export function priceOf(name: string, { models, aliases }: KnownPrices): string {
  const model = models.find(({ id, provider }) => id === name || `${provider}/${id}` === name);
  if (model === undefined) return aliases.some((alias) => alias.name === name) ? 'alias' : 'no price known';
  const { input, output } = model.price_usd_per_million_tokens;
  return `${usd(input)} / ${usd(output)}`;
}

export const priceHint = 'Prices are dollars for a million tokens of input / output.';
