import { stagesOf, textOf } from '../../parts/pipeline/pipeline-text.ts';

/** The pipeline with one ceiling changed; an empty amount removes it, and cost-guard with the last of its options. */
export function withCeiling(pipeline: string, name: string, amount: string): string {
  const stages = stagesOf(pipeline);
  const guard = stages.find((stage) => stage.name === 'cost-guard') ?? { name: 'cost-guard', options: {} };
  const { [name]: _, ...rest } = guard.options;
  const options = amount === '' ? rest : { ...rest, [name]: amount };
  const changed = { ...guard, options };
  const isEmpty = Object.keys(options).length === 0 && changed.configuration === undefined;
  const others = stages.filter((stage) => stage.name !== 'cost-guard');
  if (isEmpty) return textOf(others);
  return textOf(
    stages.length === others.length
      ? [...stages, changed]
      : stages.map((stage) => (stage.name === 'cost-guard' ? changed : stage)),
  );
}
