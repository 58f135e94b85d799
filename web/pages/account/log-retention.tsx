import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { logSettings } from '../../api/queries.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Failure, Loaded, Section, Skeleton } from '../../parts/states.tsx';

/** How long calls stay in the log. */
export function LogRetention() {
  const settings = useQuery(logSettings);
  return (
    <Section title="Request log" className="max-w-md">
      <Loaded of={settings} loading={<Skeleton className="h-24" />}>
        {({ own_retention_days: own, max_retention_days: most }) =>
          most === 0 ? (
            <p className="text-sm text-muted">This gateway stores no calls.</p>
          ) : (
            <RetentionForm own={own} most={most} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface FormProps {
  readonly own: number | null;
  readonly most: number;
}

function RetentionForm({ own, most }: FormProps) {
  const client = useQueryClient();
  const [days, setDays] = useState(String(own ?? ''));
  const saving = useMutation({
    mutationFn: () =>
      told(api.PUT('/v1/requests/settings', { body: { retention_days: days === '' ? null : Number(days) } })),
    onSuccess: (saved) => client.setQueryData(logSettings.queryKey, saved),
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Field
        label="Keep calls for (days)"
        hint={`Empty for ${most} days, as long as this gateway keeps calls. Older calls and their recordings are deleted; sums stay.`}
      >
        {(field) => (
          <Input
            {...field}
            type="number"
            min={1}
            max={most}
            step={1}
            placeholder={String(most)}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        )}
      </Field>
      {saving.error !== null && <Failure error={saving.error} />}
      {saving.isSuccess && (
        <p role="status" className="text-sm text-saved">
          Saved. Older calls are deleted within an hour.
        </p>
      )}
      <Button type="submit" className="self-start" busy={saving.isPending}>
        Save
      </Button>
    </form>
  );
}
