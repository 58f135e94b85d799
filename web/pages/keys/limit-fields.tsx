import { useQuery } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { Field, Input } from '../../parts/controls.tsx';

/** The limits that were edited; an empty text clears one. */
export type EditedLimits = { readonly [Name in LimitName]?: string };

const names = ['requests_per_minute', 'tokens_per_minute', 'concurrent'] as const;
type LimitName = (typeof names)[number];

const labels: Readonly<Record<LimitName, string>> = {
  requests_per_minute: 'Requests per minute',
  tokens_per_minute: 'Tokens per minute',
  concurrent: 'Calls at the same time',
};

/** Rate limits of a key, one field each. */
export function LimitFields({
  id,
  edited,
  onChange,
}: {
  readonly id: string;
  readonly edited: EditedLimits;
  readonly onChange: (edited: EditedLimits) => void;
}) {
  const { data } = useQuery({
    queryKey: ['key-limits', id],
    queryFn: () => told(api.GET('/v1/keys/{id}/limits', { params: { path: { id } } })),
  });
  return (
    <fieldset className="flex flex-col gap-2" disabled={data === undefined}>
      <legend className="mb-2 text-sm font-medium">Rate limits</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {names.map((name) => (
          <Field key={name} label={labels[name]}>
            {(field) => (
              <Input
                {...field}
                type="number"
                min={1}
                max={1_000_000_000}
                placeholder="none"
                value={edited[name] ?? data?.[name] ?? ''}
                onChange={(event) => onChange({ ...edited, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <p className="text-xs text-muted">
        They hold on all replicas from the next call on. Where the gateway has a lower limit, that one holds.
      </p>
    </fieldset>
  );
}

export async function saveLimits(id: string, edited: EditedLimits): Promise<void> {
  const chosen = Object.entries(edited).map(([name, text]) => [name, text === '' ? null : Number(text)]);
  if (chosen.length === 0) return;
  const body = Object.fromEntries(chosen);
  await told(api.PUT('/v1/keys/{id}/limits', { params: { path: { id } }, body }));
}
