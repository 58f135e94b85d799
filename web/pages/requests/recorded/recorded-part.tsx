import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LoggedCall } from '../../../api/queries.ts';
import { Loaded, Rows } from '../../../parts/states.tsx';

/** The content of a call, where it is recorded. */
export function RecordedPart({ call }: { readonly call: LoggedCall }) {
  const isRecorded = call.changes.some(({ what, name }) => what === 'header' && name === 'x-weir-recorded');
  const part = useQuery({
    queryKey: ['part', 'recorded'],
    queryFn: () => import('./recorded.tsx'),
    enabled: isRecorded,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isRecorded)
    return (
      <p className="text-xs text-muted">
        This call was not recorded.{' '}
        <Link to="/recordings" className="text-accent underline">
          Recordings
        </Link>
      </p>
    );
  return (
    <Loaded of={part} loading={<Rows count={4} />}>
      {({ Recorded }) => <Recorded key={call.id} id={call.id} />}
    </Loaded>
  );
}
