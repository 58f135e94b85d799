import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccountSort, type OperatorAccount, operatorAccounts } from '../../api/queries.ts';
import { Button, Choice } from '../../parts/controls.tsx';
import { count, dateOf, exactUsd, percent, short, usd } from '../../parts/format.ts';
import { Badge, Loaded, Rows, Section } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';

const columns: readonly Column<OperatorAccount>[] = [
  {
    title: 'Account',
    long: true,
    cell: ({ email, name, id, disabled_at: disabledAt }) => (
      <span title={id}>
        <bdi>{name ?? email ?? id}</bdi> {name !== null && <bdi className="text-muted">{email}</bdi>}{' '}
        {disabledAt !== null && <Badge tone="refused">disabled</Badge>}
      </span>
    ),
  },
  { title: 'Plan', wide: true, cell: ({ tier }) => tier ?? '–' },
  { title: 'Since', wide: true, cell: ({ created_at: at }) => (at === null ? '–' : dateOf(at)) },
  { title: 'Calls', end: true, cell: ({ requests }) => count(requests) },
  { title: 'Failed', end: true, wide: true, cell: ({ failed, requests }) => percent(failed, requests) },
  { title: 'Tokens', end: true, wide: true, cell: ({ tokens }) => short(tokens) },
  {
    title: 'Cost',
    end: true,
    cell: ({ cost_usd: cost }) => <span title={exactUsd(cost)}>{usd(cost)}</span>,
  },
];

/** Accounts with their usage in this month. */
export function Accounts() {
  const [sort, setSort] = useState<AccountSort>('cost');
  const [after, setAfter] = useState<OperatorAccount>();
  const list = useQuery(operatorAccounts(sort, after));
  const shown = list.data;
  const last = shown?.accounts.at(-1);
  return (
    <Section
      title="Accounts"
      aside={
        <Choice
          label="Order"
          value={sort}
          options={[
            ['cost', 'Cost'],
            ['calls', 'Calls'],
            ['email', 'Address'],
          ]}
          onChange={(next) => {
            setSort(next);
            setAfter(undefined);
          }}
        />
      }
    >
      <Loaded of={list} loading={<Rows count={6} />}>
        {({ accounts, total, month }) => (
          <>
            <p className="text-sm text-muted">
              {`${month} (UTC): ${count(total.requests)} calls of ${total.accounts === 1 ? '1 account' : `${count(total.accounts)} accounts`}, ${count(total.failed)} failed, ${usd(total.cost_usd)}.`}
            </p>
            <Table
              rows={accounts}
              rowKey={({ id }) => id}
              empty={sort === 'email' ? 'No accounts.' : 'No account had calls this month.'}
              columns={columns}
            />
            {sort === 'email' && (
              <div className="flex gap-2">
                {after !== undefined && <Button onClick={() => setAfter(undefined)}>First page</Button>}
                {accounts.length === 100 && last !== undefined && (
                  <Button onClick={() => setAfter(last)}>Next page</Button>
                )}
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
