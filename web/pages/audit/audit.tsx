import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type AuditEntry, type AuditFilter, auditEntries, capabilities, members } from '../../api/queries.ts';
import { Button, Select } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { timeOf, utc } from '../../parts/format.ts';
import { Badge, Empty, Failure, Page, Rows } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { EntryFields } from './entry-fields.tsx';
import { auditSubjects, isSubject, textOf } from './events.ts';

const route = getRouteApi('/audit');

/** Who changed what in the account. */
export function Audit() {
  const { subject, open } = route.useSearch();
  const navigate = route.useNavigate();
  const filter: AuditFilter =
    subject === undefined ? {} : { event: Object.keys(auditSubjects[subject]).join() };
  const list = useInfiniteQuery(auditEntries(filter));
  const { mode } = useSuspenseQuery(capabilities).data;
  const known = useInfiniteQuery({ ...members(''), enabled: mode === 'cloud' });
  const people = known.data?.pages.flatMap((page) => page.members) ?? [];
  const emails = new Map(people.map(({ id, email }) => [`user:${id}`, email]));
  const nameOf = (actor = '') => emails.get(actor) ?? actor;
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const opened = entries.find(({ number }) => String(number) === open);
  return (
    <Page
      title="Audit log"
      lead="Who changed what, and from where. Each entry has the hash of the one before it."
      actions={<Exports />}
    >
      <Select
        aria-label="Subject"
        className="sm:max-w-xs"
        value={subject ?? ''}
        onChange={({ target: { value } }) =>
          void navigate({ search: isSubject(value) ? { subject: value } : {}, replace: true })
        }
      >
        <option value="">All entries</option>
        {Object.keys(auditSubjects).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending ? (
        <Rows count={8} />
      ) : entries.length === 0 ? (
        list.error === null && <Empty title="No such entries." />
      ) : (
        <Table
          rows={entries}
          rowKey={({ number }) => String(number)}
          empty=""
          columns={[
            {
              title: 'What',
              long: true,
              cell: (entry) => (
                <button
                  type="button"
                  className="max-w-full truncate text-accent hover:underline"
                  onClick={() =>
                    void navigate({
                      search: (before) => ({ ...before, open: String(entry.number) }),
                      resetScroll: false,
                    })
                  }
                >
                  {textOf(entry)}
                </button>
              ),
            },
            { title: 'Result', plain: true, cell: Result },
            {
              title: 'Who',
              wide: true,
              cell: ({ actor }) => (
                <bdi className="inline-block max-w-56 truncate align-bottom" title={actor}>
                  {nameOf(actor)}
                </bdi>
              ),
            },
            { title: 'From', wide: true, cell: ({ personal }) => personal.address ?? '–' },
            { title: 'When', end: true, cell: ({ at }) => <span title={utc(at)}>{timeOf(at)}</span> },
          ]}
        />
      )}
      {list.hasNextPage && (
        <Button
          className="self-center"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          More
        </Button>
      )}
      {opened !== undefined && (
        <Dialog
          open
          wide
          title={textOf(opened)}
          onClose={() => void navigate({ search: ({ open: _, ...rest }) => rest, resetScroll: false })}
        >
          <EntryFields entry={opened} who={nameOf(opened.actor)} />
        </Dialog>
      )}
    </Page>
  );
}

function Result({ attempt, reason }: AuditEntry) {
  return attempt === undefined && reason === undefined ? null : <Badge tone="refused">refused</Badge>;
}

function Exports() {
  const look =
    'inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-edge';
  return (
    <>
      <a href="/v1/audit/export" download="weir-audit.jsonl" className={look}>
        Export
      </a>
      <a href="/v1/audit/export?format=syslog" download="weir-audit.log" className={look}>
        Export for syslog
      </a>
    </>
  );
}
