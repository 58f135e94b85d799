import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keys, type RangeName, rangeStart, type Summary } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, short, usd } from '../../parts/format.ts';
import { mergeUnsent } from '../../parts/model-sums.ts';
import { Section } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';

const rowsMax = 10;

const requestsColumn: Column<{ readonly requests: number }> = {
  title: 'Requests',
  end: true,
  cell: ({ requests }) => count(requests),
};

const firstTokenColumn: Column<Pick<Summary['providers'][number], 'first_content_ms'>> = {
  title: 'First token',
  end: true,
  wide: true,
  cell: ({ first_content_ms: { p50, p95 } }) => (
    <span title={`95 % within ${duration(p95)}`}>{duration(p50)}</span>
  ),
};

const costColumn: Column<{ readonly cost_usd: string }> = {
  title: 'Cost',
  end: true,
  cell: ({ cost_usd: cost }) => <span title={exactUsd(cost)}>{usd(cost)}</span>,
};

export function ByModel({
  models,
  range,
}: {
  readonly models: Summary['models'];
  readonly range: RangeName;
}) {
  return (
    <Section
      title="By model"
      aside={
        <Link to="/models" search={{ range, show: 'used' }} className="hover:underline">
          Models
        </Link>
      }
    >
      <Table
        rows={mergeUnsent(models)}
        most={rowsMax}
        rowKey={({ provider, model }) => `${provider} ${model}`}
        columns={[
          {
            title: 'Model',
            long: true,
            cell: ({ provider, model }) => (
              <Link
                to="/requests"
                search={{
                  ...(model === '' ? { provider: 'none' } : { model }),
                  from: rangeStart(range).toISOString(),
                }}
                title={provider === null ? model : `${model}, ${provider}`}
                className="hover:underline"
              >
                {model === '' ? 'No model' : <bdi className="font-mono text-xs">{model}</bdi>}
                {provider !== null && (
                  <span className="ml-2 hidden text-xs text-muted sm:inline xl:max-2xl:hidden">
                    {provider}
                  </span>
                )}
              </Link>
            ),
          },
          requestsColumn,
          {
            title: 'Tokens',
            end: true,
            wide: true,
            cell: ({ input_tokens, output_tokens }) => short(input_tokens + output_tokens),
          },
          {
            title: 'Cached',
            end: true,
            wide: true,
            cell: ({ input_tokens: input, cache_read_tokens: read, cache_miss_usd: cost }) => (
              <span
                title={`${count(read)} of ${count(input)} input tokens were read from the provider’s cache; the others cost ≈ ${usd(cost)} more than a cache read`}
              >
                {percent(read, input)}
              </span>
            ),
          },
          firstTokenColumn,
          costColumn,
        ]}
        empty="No calls in this period."
      />
    </Section>
  );
}

export function ByProvider({
  providers,
  range,
}: {
  readonly providers: Summary['providers'];
  readonly range: RangeName;
}) {
  return (
    <Section title="By provider">
      <Table
        rows={providers}
        most={rowsMax}
        rowKey={({ provider }) => provider ?? ''}
        columns={[
          {
            title: 'Provider',
            long: true,
            cell: ({ provider }) => (
              <Link
                to="/requests"
                search={{ provider: provider ?? 'none', from: rangeStart(range).toISOString() }}
                className="hover:underline"
              >
                {provider ?? 'Not sent'}
              </Link>
            ),
          },
          requestsColumn,
          {
            title: 'Failed',
            end: true,
            wide: true,
            cell: ({ failed, requests }) => percent(failed, requests),
          },
          firstTokenColumn,
          costColumn,
        ]}
        empty="No calls in this period."
      />
    </Section>
  );
}

/** What each module was seen to do. */
export function ByModule({
  modules,
  range,
}: {
  readonly modules: Summary['modules'];
  readonly range: RangeName;
}) {
  return (
    <Section title="What each module did">
      <Table
        rows={modules}
        most={rowsMax}
        rowKey={({ name }) => name}
        columns={[
          {
            title: 'Module',
            long: true,
            cell: ({ name }) => (
              <Link to="/modules" search={{ open: name }} className="font-mono text-xs hover:underline">
                {name}
              </Link>
            ),
          },
          { title: 'Calls', end: true, cell: ({ calls }) => count(calls) },
          {
            title: 'Changed',
            end: true,
            cell: ({ name, calls, effects }) => (
              <Link
                to="/requests"
                search={{ module: name, from: rangeStart(range).toISOString() }}
                className="hover:underline"
              >
                {percent(calls - (effects.passed ?? 0), calls)}
              </Link>
            ),
          },
          {
            title: 'Time added (median)',
            end: true,
            wide: true,
            cell: ({ own_ms: own }) => (
              <span title={`95 % within ${duration(own.p95)}`}>{duration(own.p50)}</span>
            ),
          },
          {
            title: 'Saved',
            end: true,
            cell: ({ saved_usd }) => (
              <span title={exactUsd(saved_usd)} className={Number(saved_usd) > 0 ? 'text-saved' : ''}>
                {usd(saved_usd)}
              </span>
            ),
          },
        ]}
        empty="No module acted on calls in this period."
      />
    </Section>
  );
}

/** Of accounts; a local gateway has no keys. */
export function ByKey({ sums, range }: { readonly sums: Summary['keys']; readonly range: RangeName }) {
  const { data } = useQuery(keys);
  const nameOf = (id: string | null) => {
    const key = data?.keys.find((one) => one.id === id);
    return key === undefined ? (id ?? 'without a key') : key.name === '' ? key.prefix : key.name;
  };
  return (
    <Section title="By key">
      <Table
        rows={sums}
        most={rowsMax}
        rowKey={({ key_id: id }) => id ?? ''}
        columns={[
          {
            title: 'Key',
            long: true,
            cell: ({ key_id: id }) =>
              id === null ? (
                nameOf(id)
              ) : (
                <Link
                  to="/requests"
                  search={{ key: id, from: rangeStart(range).toISOString() }}
                  title={nameOf(id)}
                  className="hover:underline"
                >
                  <bdi>{nameOf(id)}</bdi>
                </Link>
              ),
          },
          requestsColumn,
          { title: 'Failed', end: true, wide: true, cell: ({ failed }) => count(failed) },
          {
            title: 'Saved',
            end: true,
            wide: true,
            cell: ({ saved_usd: saved }) => <span title={exactUsd(saved)}>{usd(saved)}</span>,
          },
          costColumn,
        ]}
        empty="No calls in this period."
      />
    </Section>
  );
}
