import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { capabilities, endUsers, keys, type UsageReport, usageBetween } from '../../api/queries.ts';
import { Choice, Select } from '../../parts/controls.tsx';
import { type DayRange, dayRangeNames, daysOf } from '../../parts/day-ranges.ts';
import { useRights } from '../../parts/rights.tsx';
import { Loaded, Page, Rows } from '../../parts/states.tsx';
import { ByTag } from './by-tag.tsx';
import type { UsageRow } from './figure-columns.tsx';
import { type UsageGroup, usageGroups } from './search.ts';
import { SpendChart } from './spend-chart.tsx';
import { UsageTable } from './usage-table.tsx';

const route = getRouteApi('/usage');
const groupTitles: Readonly<Record<UsageGroup, string>> = {
  key: 'Key',
  model: 'Model',
  end_user: 'End user',
  tag: 'Tag',
  day: 'Day',
};

/** What was used and spent, by whom and for what. */
export function Usage() {
  const { data: about } = useQuery(capabilities);
  const isCloud = about?.mode === 'cloud';
  const { by = isCloud ? 'key' : 'model', period = 'month', tag } = route.useSearch();
  const navigate = route.useNavigate();
  const days = daysOf(period);
  const groups = usageGroups.filter((name) => isCloud || name !== 'key');
  return (
    <Page
      title="Usage"
      lead="Calls that reached a provider or a cache, by days of UTC. Rejected calls are in the request log."
      actions={
        <>
          <a
            href={csvOf(by, { ...days, ...(by === 'tag' && tag !== undefined && { tag }) })}
            download
            className="text-sm text-accent hover:underline"
          >
            Export CSV
          </a>
          <Select
            aria-label="Period"
            className="w-auto!"
            value={period}
            onChange={({ target }) =>
              void navigate({
                search: (before) => ({ ...before, period: target.value as DayRange }),
                replace: true,
              })
            }
          >
            {Object.entries(dayRangeNames).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <Choice
        label="By"
        value={by}
        options={groups.map((name) => [name, groupTitles[name]])}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, by: next }), replace: true })}
      />
      {by === 'end_user' ? (
        <ByEndUser period={period} />
      ) : by === 'tag' ? (
        <ByTag period={period} />
      ) : (
        <ByGroup by={by} period={period} />
      )}
    </Page>
  );
}

function csvOf(by: UsageGroup, query: Readonly<Record<string, string>>): string {
  const path = by === 'end_user' ? 'end-users' : by === 'tag' ? 'tags' : 'export';
  const list = path === 'export' ? {} : { format: 'csv', limit: '10000' };
  return `/v1/usage/${path}?${new URLSearchParams({ ...query, ...list })}`;
}

function ByGroup({
  by,
  period,
}: {
  readonly by: Exclude<UsageGroup, 'end_user' | 'tag'>;
  readonly period: DayRange;
}) {
  const days = daysOf(period);
  const report = useQuery(usageBetween(days));
  const may = useRights();
  const { data: about } = useQuery(capabilities);
  const { data: own } = useQuery({ ...keys, enabled: about?.mode === 'cloud' && may('keys:read') });
  const nameOf = (id: string) => {
    const key = own?.keys.find((one) => one.id === id);
    return key === undefined ? id : key.name || key.prefix;
  };
  return (
    <Loaded of={report} loading={<Rows count={8} />}>
      {(data) => (
        <>
          <SpendChart report={data} days={days} />
          <UsageTable title={groupTitles[by]} rows={rowsOf(data, by, nameOf)} />
        </>
      )}
    </Loaded>
  );
}

function ByEndUser({ period }: { readonly period: DayRange }) {
  const list = useQuery(endUsers(daysOf(period)));
  return (
    <Loaded of={list} loading={<Rows count={8} />}>
      {({ end_users: all }) => (
        <>
          <UsageTable
            title="End user"
            rows={all.map(({ end_user: user, ...figures }) => ({
              ...figures,
              name: user,
              label: (
                <Link to="/requests" search={{ end_user: user }} className="hover:underline">
                  <bdi className="font-mono text-xs">{user}</bdi>
                </Link>
              ),
            }))}
          />
          <p className="text-xs text-muted">
            End users by their pseudonyms{all.length < 200 ? '' : ', the 200 with the highest cost'}. Calls
            that name none are left out; rejected calls count.
          </p>
        </>
      )}
    </Loaded>
  );
}

function rowsOf(
  report: UsageReport,
  by: Exclude<UsageGroup, 'end_user' | 'tag'>,
  nameOf: (id: string) => string,
): readonly UsageRow[] {
  const link = (search: Readonly<Record<string, string>>, text: ReactNode) => (
    <Link to="/requests" search={search} className="hover:underline">
      {text}
    </Link>
  );
  switch (by) {
    case 'key':
      return byCost(report.keys).map(({ key_id: id, ...figures }) => ({
        ...figures,
        name: id ?? '',
        label: id === null ? 'Without a key' : link({ key: id }, <bdi>{nameOf(id)}</bdi>),
      }));
    case 'model':
      return byCost(report.models).map(({ provider, model, ...figures }) => ({
        ...figures,
        name: `${provider}/${model}`,
        label: link(
          { model },
          <>
            <bdi className="font-mono text-xs">{model}</bdi>
            <span className="ml-2 text-xs text-muted">{provider}</span>
          </>,
        ),
      }));
    case 'day':
      return report.days
        .filter(({ requests }) => requests > 0)
        .map(({ day, models: _, modules: __, ...figures }) => ({
          ...figures,
          name: day,
          label: link({ from: `${day}T00:00:00.000Z`, to: `${day}T23:59:59.999Z` }, day),
        }))
        .toReversed();
  }
}

function byCost<Row extends { readonly cost_usd: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => Number(other.cost_usd) - Number(one.cost_usd));
}
