import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApiKey, budgets, keyAccess, keyOwners, keys, usageIn } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { ago, utc } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Together } from '../../parts/together.tsx';
import { KeyExpiry } from './access-fields.tsx';
import { EditKey } from './edit-key.tsx';
import { KeyCalls, KeySpend } from './key-spend.tsx';
import { NewKey } from './new-key.tsx';
import { RevokeKey } from './revoke-key.tsx';

const route = getRouteApi('/keys');

export function nameOf({ name, prefix }: Pick<ApiKey, 'name' | 'prefix'>): string {
  return name === '' ? prefix : name;
}

export function Keys() {
  const list = useQuery(keys);
  const owners = useQuery(keyOwners);
  const ownerOf = (id: string) => owners.data?.keys.find((key) => key.id === id)?.owner ?? '';
  const figures = [
    owners,
    useQuery(usageIn('day')),
    useQuery(usageIn('month')),
    useQuery(budgets),
    useQuery(keyAccess),
  ];
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const [revoking, setRevoking] = useState<ApiKey>();
  const mayChange = useRights()('keys:write');
  const show = (id: string | undefined) =>
    void navigate({ search: id === undefined ? {} : { open: id }, resetScroll: false });
  const opened = list.data?.keys.find(({ id, revokedAt }) => mayChange && id === open && revokedAt === null);
  return (
    <Page
      title="Keys"
      lead="API keys for your apps. Each can have its own budget, limits, access rules and modules. Days and months are those of UTC."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => show('new')}>
            New key
          </Button>
        )
      }
    >
      <Together of={[list, ...figures]} loading={<Rows count={4} />}>
        <Loaded of={list} loading={<Rows count={4} />}>
          {({ keys: all }) => {
            const active = all.filter(({ revokedAt }) => revokedAt === null);
            const revoked = all.filter(({ revokedAt }) => revokedAt !== null);
            return (
              <>
                {active.length === 0 ? (
                  <Empty title="No keys yet.">Create one, and use it in place of a provider key.</Empty>
                ) : (
                  <Table
                    rows={active}
                    rowKey={({ id }) => id}
                    empty=""
                    columns={[
                      {
                        title: 'Name',
                        long: true,
                        cell: (key) =>
                          mayChange ? (
                            <button
                              type="button"
                              className="max-w-full truncate align-middle font-medium text-accent hover:underline"
                              title={nameOf(key)}
                              onClick={() => show(key.id)}
                            >
                              <bdi>{nameOf(key)}</bdi>
                            </button>
                          ) : (
                            <bdi title={nameOf(key)}>{nameOf(key)}</bdi>
                          ),
                      },
                      {
                        title: 'Owner',
                        wide: 'xl',
                        cell: ({ id }) => (
                          <span className="block max-w-40 truncate" title={ownerOf(id)}>
                            <bdi>{ownerOf(id) === '' ? '–' : ownerOf(id)}</bdi>
                          </span>
                        ),
                      },
                      {
                        title: 'Begins with',
                        wide: 'xl',
                        cell: ({ prefix }) => <code className="font-mono text-xs">{prefix}…</code>,
                      },
                      {
                        title: 'Today',
                        end: true,
                        wide: true,
                        cell: ({ id }) => <KeySpend id={id} window="day" />,
                      },
                      {
                        title: 'This month',
                        end: true,
                        cell: ({ id }) => <KeySpend id={id} window="month" />,
                      },
                      {
                        title: 'Calls this month',
                        end: true,
                        wide: 'xl',
                        cell: ({ id }) => <KeyCalls id={id} />,
                      },
                      {
                        title: 'Expires',
                        end: true,
                        wide: 'lg',
                        cell: ({ id }) => <KeyExpiry id={id} />,
                      },
                      {
                        title: 'Last used',
                        end: true,
                        wide: true,
                        cell: ({ lastUsedAt: at }) => (
                          <span title={at === null ? undefined : utc(at)}>{ago(at)}</span>
                        ),
                      },
                      {
                        title: 'Revoke',
                        end: true,
                        plain: true,
                        cell: (key) =>
                          mayChange && (
                            <Button
                              look="quiet"
                              onClick={() => setRevoking(key)}
                              aria-label={`Revoke ${nameOf(key)}`}
                            >
                              Revoke
                            </Button>
                          ),
                      },
                    ]}
                  />
                )}
                {revoked.length > 0 && (
                  <details className="text-sm">
                    <summary className="cursor-pointer text-muted">{revoked.length} revoked</summary>
                    <ul className="mt-2 flex flex-col gap-1 text-muted">
                      {revoked.map((key) => (
                        <li key={key.id} className="break-words">
                          <bdi>{nameOf(key)}</bdi> <code className="font-mono text-xs">{key.prefix}…</code>{' '}
                          {ago(key.revokedAt)}
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </>
            );
          }}
        </Loaded>
      </Together>
      {open === 'new' && mayChange && <NewKey onClose={() => show(undefined)} />}
      {opened !== undefined && (
        <EditKey key={opened.id} apiKey={opened} owner={ownerOf(opened.id)} onClose={() => show(undefined)} />
      )}
      {revoking !== undefined && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}
