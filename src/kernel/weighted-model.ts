/** An entry of a list of models. */
export interface WeightedModel {
  /** A name of a model, or an alias. */
  readonly model: string;
  /** Its share of the calls, from 1 to 1,000; undefined if the list doesn't say. */
  readonly weight: number | undefined;
}

const weightMax = 1000;

/** Parses `gpt-5-mini:3`. Versions of Bedrock, as in `amazon.nova-pro-v1:0`, are no weights. */
export function parseWeightedModel(text: string): WeightedModel {
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  const isWeight = colon > 0 && /^[1-9]\d{0,3}$/.test(digits) && Number(digits) <= weightMax;
  if (!isWeight || /-v\d$/.test(text.slice(colon - 3, colon))) return { model: text, weight: undefined };
  return { model: text.slice(0, colon), weight: Number(digits) };
}

/** Writes a list with weights of any size, as whole numbers up to the maximum. */
export function formatWeightedModels(listed: readonly WeightedModel[]): readonly string[] {
  const weights = listed.flatMap(({ weight }) => weight ?? []);
  const areWhole = weights.every((weight) => Number.isInteger(weight) && weight <= weightMax);
  const factor = areWhole ? 1 : weightMax / Math.max(1, ...weights);
  const shown = (weight: number) => Math.max(1, Math.round(weight * factor));
  return areWhole
    ? listed.map(({ model, weight }) => (weight === undefined ? model : `${model}:${weight}`))
    : listed.map(({ model, weight = 1 }) => `${model}:${shown(weight)}`);
}
