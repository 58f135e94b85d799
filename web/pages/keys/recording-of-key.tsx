import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { recordingSettings } from '../../api/queries.ts';
import { Field, Select } from '../../parts/controls.tsx';
import { percent } from '../../parts/format.ts';
import { Failure } from '../../parts/states.tsx';

type Mode = 'off' | 'sample' | 'all' | null;

/** Which calls of a key are recorded. Takes effect at once. */
export function RecordingOfKey({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const queryKey = ['key-recording', id];
  const path = { params: { path: { id } } };
  const { data } = useQuery({ queryKey, queryFn: () => told(api.GET('/v1/keys/{id}/recording', path)) });
  const { data: settings } = useQuery(recordingSettings);
  const setting = useMutation({
    mutationFn: (record: Mode) => told(api.PUT('/v1/keys/{id}/recording', { ...path, body: { record } })),
    onSuccess: (set) => client.setQueryData(queryKey, set),
  });
  const days = settings?.retention_days ?? 0;
  const names = {
    off: 'No calls',
    sample: `A sample (${percent(settings?.sample_rate ?? 0, 1)})`,
    all: 'All calls',
  } as const;
  return (
    <div className="flex max-w-sm flex-col gap-2">
      <Field
        label="Record prompts and answers"
        hint={
          settings === undefined
            ? ' '
            : days === 0
              ? 'The operator has switched recordings off.'
              : `Encrypted, for everyone who can log in to this account, deleted after ${days} ${days === 1 ? 'day' : 'days'}.${settings.in_traces ? ' The operator also exports it to a tracing system.' : ''}`
        }
      >
        {(field) => (
          <Select
            {...field}
            disabled={data === undefined || setting.isPending || days === 0}
            value={data?.record ?? ''}
            onChange={({ target: { value } }) => setting.mutate(value === '' ? null : (value as Mode))}
          >
            <option value="">
              {settings === undefined ? 'Default' : `Default (${names[settings.record].toLowerCase()})`}
            </option>
            {Object.entries(names).map(([mode, name]) => (
              <option key={mode} value={mode}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {setting.error !== null && <Failure error={setting.error} />}
    </div>
  );
}
