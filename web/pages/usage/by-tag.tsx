import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { tagUsage } from '../../api/queries.ts';
import { Select } from '../../parts/controls.tsx';
import { type DayRange, daysOf } from '../../parts/day-ranges.ts';
import { Loaded, Rows } from '../../parts/states.tsx';
import { UsageTable } from './usage-table.tsx';

const route = getRouteApi('/usage');

/** The values of one tag. */
export function ByTag({ period }: { readonly period: DayRange }) {
  const list = useQuery(tagUsage(daysOf(period)));
  const { tag: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Loaded of={list} loading={<Rows count={8} />}>
      {({ tags }) => {
        const names = [...new Set(tags.map(({ tag }) => tag))].sort();
        const tag = chosen ?? names[0];
        const rows = tags.filter((row) => row.tag === tag);
        if (tag === undefined)
          return (
            <p className="text-sm text-muted">
              No call of this period has a tag. Clients send them in the header{' '}
              <code>x-weir-tags: team=search,env=prod</code>.
            </p>
          );
        return (
          <>
            <Select
              aria-label="Tag"
              className="w-auto! self-start"
              value={tag}
              onChange={({ target }) =>
                void navigate({ search: (before) => ({ ...before, tag: target.value }), replace: true })
              }
            >
              {(names.includes(tag) ? names : [tag, ...names]).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
            <UsageTable
              title={tag}
              rows={rows.map(({ value, tag: _, ...figures }) => ({
                ...figures,
                name: value ?? '',
                label:
                  value === null ? (
                    <span className="text-muted">other</span>
                  ) : (
                    <Link to="/requests" search={{ tag: `${tag}:${value}` }} className="hover:underline">
                      <bdi>{value}</bdi>
                    </Link>
                  ),
              }))}
            />
            <p className="text-xs text-muted">
              Calls without this tag are left out. Of each day, the first hundred values have a sum of their
              own; the rest is “other”.
            </p>
          </>
        );
      }}
    </Loaded>
  );
}
