import { useQuery } from '@tanstack/react-query';
import { gatewayPipeline } from '../../api/queries.ts';
import { Field, Input } from '../../parts/controls.tsx';
import { stagesOf } from '../../parts/pipeline/pipeline-text.ts';
import { withCeiling } from './ceiling.ts';

const fields = [
  ['request', 'Dollars per call'],
  ['day', 'Dollars per day (UTC)'],
  ['month', 'Dollars per month (UTC)'],
] as const;

interface BudgetFieldsProps {
  /** Null for the gateway's own. */
  readonly pipeline: string | null;
  /** Whether the key had one of its own before. */
  readonly isOwn: boolean;
  readonly onChange: (pipeline: string | null) => void;
}

/** The ceilings of cost-guard in the pipeline of a key. */
export function BudgetFields({ pipeline, isOwn, onChange }: BudgetFieldsProps) {
  const usual = useQuery(gatewayPipeline).data?.pipeline;
  const guard = stagesOf(pipeline ?? '').find(({ name }) => name === 'cost-guard');
  const set = (name: string, amount: string) => {
    const next = withCeiling(pipeline ?? usual ?? '', name, amount);
    // An amount that was typed and removed again leaves the key as it was.
    onChange(!isOwn && next === withCeiling(usual ?? '', name, '') ? null : next);
  };
  return (
    <fieldset className="flex flex-col gap-2" disabled={pipeline === null && usual === undefined}>
      <legend className="mb-2 text-sm font-medium">Budget</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {fields.map(([name, label]) => (
          <Field key={name} label={label}>
            {(field) => (
              <Input
                {...field}
                inputMode="decimal"
                pattern="[0-9]{1,7}(\.[0-9]{1,9})?"
                title="An amount in dollars, such as 0.50"
                placeholder="none"
                value={guard?.options[name] ?? ''}
                onChange={({ target }) => set(name, target.value.trim())}
              />
            )}
          </Field>
        ))}
      </div>
      <p className="text-xs text-muted">
        {guard?.configuration !== undefined
          ? 'The key uses a stored configuration of cost-guard; amounts here replace those of the configuration.'
          : pipeline === null
            ? 'A budget gives the key a pipeline of its own: the modules of the gateway, and cost-guard. Where the gateway has a lower ceiling, that one holds.'
            : 'Calls that could cost more than is left are rejected. Where the gateway has a lower ceiling, that one holds.'}
      </p>
    </fieldset>
  );
}
