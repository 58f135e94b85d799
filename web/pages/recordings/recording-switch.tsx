import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, told } from '../../api/client.ts';
import { type RecordingSettings, recordingSettings } from '../../api/queries.ts';
import { Choice } from '../../parts/controls.tsx';
import { percent } from '../../parts/format.ts';
import { Failure, Loaded, Skeleton } from '../../parts/states.tsx';

type Mode = RecordingSettings['record'];

const names: Readonly<Record<Mode, string>> = { off: 'Off', sample: 'Sample', all: 'All calls' };

/** What is recorded, for how long, and who decided it. */
export function RecordingSwitch({ isLocal }: { readonly isLocal: boolean }) {
  const client = useQueryClient();
  const settings = useQuery(recordingSettings);
  const setting = useMutation({
    mutationFn: (record: Mode) => told(api.PUT('/v1/recordings/settings', { body: { record } })),
    onSuccess: (set) => client.setQueryData(recordingSettings.queryKey, set),
  });
  return (
    <Loaded of={settings} loading={<Skeleton className="h-16" />}>
      {({ record, source, retention_days: days, sample_rate: rate, in_traces: isInTraces }) => {
        const isFixed = source === 'environment' || days === 0;
        return (
          <section
            aria-label="What is recorded"
            className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4"
          >
            {isLocal && !isFixed && <p className="text-sm font-medium">Record calls</p>}
            {isLocal && !isFixed ? (
              <Choice
                label="Record"
                value={setting.isPending ? setting.variables : record}
                options={(['off', 'sample', 'all'] as const).map((mode) => [mode, names[mode]])}
                onChange={(mode) => setting.mutate(mode)}
              />
            ) : (
              <p className="text-sm font-medium">
                {days === 0
                  ? 'Recordings are switched off'
                  : isLocal
                    ? `Recording: ${names[record].toLowerCase()}`
                    : `Keys without a setting of their own: ${names[record].toLowerCase()}`}
              </p>
            )}
            <p className="max-w-prose text-sm text-muted">
              {days > 0 &&
                `Recordings are deleted after ${days} ${days === 1 ? 'day' : 'days'} (WEIR_RECORD_DAYS). `}
              {isInTraces &&
                days > 0 &&
                'The operator also exports what is recorded to a tracing system, which keeps it for a time of its own. '}
              {record === 'sample' && days > 0 && `A sample is ${percent(rate, 1)} of the calls. `}
              {days === 0
                ? 'WEIR_RECORD_DAYS=0 is set in the environment of the gateway.'
                : source === 'environment'
                  ? 'WEIR_RECORD is set in the environment of the gateway, which decides.'
                  : isLocal && 'The change counts from the next call on and survives a restart.'}{' '}
              {!isLocal && days > 0 && (
                <>
                  Each key has its own switch on the page{' '}
                  <Link to="/keys" className="text-accent underline">
                    Keys
                  </Link>
                  .
                </>
              )}
            </p>
            {setting.error !== null && <Failure error={setting.error} />}
          </section>
        );
      }}
    </Loaded>
  );
}
