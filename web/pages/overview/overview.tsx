import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  capabilities,
  type RangeName,
  type Summary,
  summary,
  summaryBefore,
  usage,
} from '../../api/queries.ts';
import { count, percent, utc, utcDateOf } from '../../parts/format.ts';
import { PeriodChoice } from '../../parts/period-choice.tsx';
import { Failure, Gauge, Loaded, Page, Section, Skeleton, Waiting } from '../../parts/states.tsx';
import { CacheChart } from './cache-chart.tsx';
import { Ceilings, useCeilingsKnown } from './ceilings.tsx';
import { CostChart } from './cost-chart.tsx';
import { Errors } from './errors.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ByKey, ByModel, ByModule, ByProvider } from './tables.tsx';

const route = getRouteApi('/');

/** Does it work, what does it cost, what did it save, what went wrong. */
export function Overview() {
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const used = useQuery(usage(30));
  const isNew = used.data?.total.requests === 0;
  const sums = useQuery({ ...summary(range), enabled: !isNew });
  // The quota is above the ceilings.
  const isKnown = useCeilingsKnown() && !used.isPending;
  if (isNew) return <FirstSteps />;
  return (
    <Page
      title="Overview"
      actions={
        <PeriodChoice
          value={range}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, range: next }), replace: true })
          }
        />
      }
    >
      {sums.error !== null && sums.data !== undefined && (
        <Failure error={sums.error} onRetry={() => void sums.refetch()} />
      )}
      <Loaded of={sums} loading={<WaitingOverview />}>
        {(data) => (isKnown ? <Report data={data} range={range} /> : <WaitingOverview />)}
      </Loaded>
    </Page>
  );
}

function Report({ data, range }: { readonly data: Summary; readonly range: RangeName }) {
  const { data: about } = useQuery(capabilities);
  const { data: before } = useQuery(summaryBefore(range));
  return (
    <>
      <Figures data={data} before={before?.total} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-8">
          <CostChart data={data} range={range} before={before} />
          <CacheChart data={data} />
          <ByModule modules={data.modules} range={range} />
        </div>
        <div className="flex flex-col gap-6">
          <Quota />
          <Ceilings />
          <Errors errors={data.errors} range={range} />
        </div>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 xl:grid-cols-2">
        <ByModel models={data.models} range={range} />
        <ByProvider providers={data.providers} range={range} />
        {about?.mode === 'cloud' && <ByKey sums={data.keys} range={range} />}
      </div>
    </>
  );
}

/** Of accounts; a local gateway has none. */
function Quota() {
  const { data } = useQuery(usage(30));
  const quota = data?.quota;
  if (quota === undefined) return null;
  const { used, limit, period_end: end } = quota;
  return (
    <Section title="Quota" aside={<span title={utc(end)}>until {utcDateOf(end)} UTC</span>}>
      <Gauge
        label="Requests"
        value={used}
        max={limit}
        text={`${count(used)} of ${count(limit)} · ${percent(used, limit)}`}
        tone={used >= limit * 0.9 ? 'refused' : 'accent'}
      />
    </Section>
  );
}

function WaitingOverview() {
  return (
    <Waiting className="flex flex-col gap-8">
      <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        {['spent', 'saved', 'requests', 'latency'].map((name) => (
          <Skeleton key={name} className="h-[5.5rem]" />
        ))}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Skeleton className="h-72" />
        <Skeleton className="h-72" />
      </div>
    </Waiting>
  );
}
