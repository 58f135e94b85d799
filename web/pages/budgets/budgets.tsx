import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys, projectChoices, type StoredBudget, storedBudgets } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { percent, timeOf, usd } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Empty, Gauge, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { type BudgetNames, consumerText, periodText, subjectOf } from './budget-texts.ts';
import { DeleteBudget } from './delete-budget.tsx';
import { EditBudget } from './edit-budget.tsx';

/** Who approaches which limit, and the limits themselves. */
export function Budgets() {
  const list = useInfiniteQuery(storedBudgets);
  const may = useRights();
  const ownKeys = useQuery({ ...keys, enabled: may('keys:read') });
  const projects = useQuery(projectChoices);
  const [edited, setEdited] = useState<StoredBudget | 'new'>();
  const [deleting, setDeleting] = useState<StoredBudget>();
  const mayChange = may('usage:write');
  const names: BudgetNames = {
    keys: new Map(ownKeys.data?.keys.map(({ id, name, prefix }) => [id, name === '' ? prefix : name])),
    projects: new Map(projects.data?.projects.map(({ id, name }) => [id, name])),
  };
  return (
    <Page
      title="Budgets"
      lead="What calls may cost, and who is near a limit. Days and months are those of UTC."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setEdited('new')}>
            New budget
          </Button>
        )
      }
    >
      <Together
        of={may('keys:read') ? [list, ownKeys, projects] : [list, projects]}
        loading={<Rows count={4} />}
      >
        <Loaded of={list} loading={<Rows count={4} />}>
          {({ pages }) => {
            const all = pages.flatMap((page) => page.budgets);
            return all.length === 0 ? (
              <Empty title="No budgets yet.">
                A budget limits what all calls, a project, a key, end users or a tag may cost.
              </Empty>
            ) : (
              <ul aria-label="Budgets" className="flex flex-col">
                {all.map((budget) => (
                  <BudgetRow
                    key={budget.id}
                    budget={budget}
                    names={names}
                    {...(mayChange && {
                      onEdit: () => setEdited(budget),
                      onDelete: () => setDeleting(budget),
                    })}
                  />
                ))}
              </ul>
            );
          }}
        </Loaded>
      </Together>
      {list.hasNextPage && (
        <Button
          className="self-start"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {edited !== undefined && (
        <EditBudget
          {...(edited !== 'new' && { budget: edited })}
          names={names}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleting !== undefined && <DeleteBudget budget={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

interface BudgetRowProps {
  readonly budget: StoredBudget;
  readonly names: BudgetNames;
  readonly onEdit?: () => void;
  readonly onDelete?: () => void;
}

function BudgetRow({ budget, names, onEdit, onDelete }: BudgetRowProps) {
  const { name, mode, limit_usd: limit, period, uses, each } = budget;
  return (
    <li className="flex flex-col gap-3 border-b border-line py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <span className="text-sm font-medium wrap-anywhere">
              <bdi>{name}</bdi>
            </span>
            {mode === 'warning' && <Badge>warns only</Badge>}
          </span>
          <span className="text-xs text-muted wrap-anywhere">
            <bdi>{subjectOf(budget, names)}</bdi> · {usd(limit)} {periodText(period)}
          </span>
        </div>
        {onEdit !== undefined && (
          <span className="flex flex-wrap gap-2">
            <Button look="quiet" onClick={onDelete} aria-label={`Delete ${name}`}>
              Delete
            </Button>
            <Button onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </span>
        )}
      </div>
      {uses.length === 0 ? (
        <p className="text-xs text-muted">Nothing is spent of it.</p>
      ) : (
        uses.map((use) => (
          <BudgetUse
            key={use.value ?? ''}
            budget={budget}
            use={use}
            label={each && use.value !== null ? consumerText(budget, use.value) : 'Spent'}
          />
        ))
      )}
    </li>
  );
}

interface BudgetUseProps {
  readonly budget: StoredBudget;
  readonly use: StoredBudget['uses'][number];
  readonly label: string;
}

function BudgetUse({ budget: { limit_usd: limit }, use, label }: BudgetUseProps) {
  const [spent, held, max] = [Number(use.spent_usd), Number(use.held_usd), Number(limit)];
  return (
    <div className="flex flex-col gap-1">
      <Gauge
        label={label}
        value={spent}
        extra={held}
        max={max}
        text={`${usd(spent)} of ${usd(max)} · ${percent(spent, max)}`}
        tone={use.share >= 0.9 ? 'refused' : 'accent'}
      />
      {(spent > 0 || held > 0) && (
        <p className="text-xs text-muted">
          {held > 0 && `${usd(held)} held for calls in flight. `}
          Renews {timeOf(use.renews_at)}.
        </p>
      )}
    </div>
  );
}
