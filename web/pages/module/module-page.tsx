import { useInfiniteQuery, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { capabilities, type ModulePageInfo } from '../../api/queries.ts';
import { NotFound } from '../../app/not-found.tsx';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { ActionForm } from './action-form.tsx';
import { formatField, type Row, requestPath, sendRequest } from './rows.ts';

type Action = NonNullable<ModulePageInfo['create']>;

const route = getRouteApi('/modules/$name');

/** The page of a module, from its description. */
export function ModulePage() {
  const { name } = route.useParams();
  const { data } = useSuspenseQuery(capabilities);
  const page = data.modules.find((module) => module.name === name)?.page;
  return page === null || page === undefined ? (
    <NotFound />
  ) : (
    <Described key={name} name={name} page={page} />
  );
}

/** What the dialog is about. */
interface OpenDialog {
  readonly action?: Action;
  readonly row: Row;
}

function Described({ name, page }: { readonly name: string; readonly page: ModulePageInfo }) {
  const { list, detail, create, actions = [] } = page;
  const [opened, setOpened] = useState<OpenDialog>();
  const rows = useInfiniteQuery({
    queryKey: ['module page', name],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      sendRequest('GET', `${list.path}${pageParam === '' ? '' : `?after=${encodeURIComponent(pageParam)}`}`),
    getNextPageParam: ({ next }) => (typeof next === 'string' ? next : undefined),
  });
  const columns: Column<Row>[] = list.columns.map((column, at) => ({
    title: column.title,
    long: at === 0,
    end: column.format === 'number',
    cell: (row) => formatField(row, column),
  }));
  if (actions.length > 0 || detail !== undefined)
    columns.push({
      title: 'Actions',
      plain: true,
      end: true,
      cell: (row) => (
        <span className="flex justify-end gap-2">
          {detail !== undefined && <Button onClick={() => setOpened({ row })}>Details</Button>}
          {actions.map((action) => (
            <Button key={action.title} onClick={() => setOpened({ action, row })}>
              {action.title}
            </Button>
          ))}
        </span>
      ),
    });
  return (
    <Page
      title={page.title}
      lead={page.description}
      actions={
        create && <Button onClick={() => setOpened({ action: create, row: {} })}>{create.title}</Button>
      }
    >
      <Loaded of={rows} loading={<Rows count={4} />}>
        {({ pages }) => (
          <Section title={page.title}>
            <Table
              rows={pages.flatMap((answer) => (answer[list.rows] ?? []) as readonly Row[])}
              rowKey={(row) => String(row[list.key])}
              columns={columns}
              empty={list.empty}
            />
          </Section>
        )}
      </Loaded>
      {rows.hasNextPage && (
        <Button
          className="self-center"
          busy={rows.isFetchingNextPage}
          onClick={() => void rows.fetchNextPage()}
        >
          More
        </Button>
      )}
      {opened !== undefined && (
        <OpenedDialog
          opened={opened}
          page={page}
          queryKey={['module page', name]}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Page>
  );
}

interface OpenedDialogProps {
  readonly opened: OpenDialog;
  readonly page: ModulePageInfo;
  readonly queryKey: readonly string[];
  readonly onClose: () => void;
}

function OpenedDialog({ opened: { action, row }, page, queryKey, onClose }: OpenedDialogProps) {
  const client = useQueryClient();
  const sending = useMutation({
    mutationFn: ({ method, path }: Action & { readonly body?: object }) =>
      sendRequest(method, requestPath(path, row)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  if (action === undefined)
    return (
      <Dialog open onClose={onClose} title="Details">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
          {[...page.list.columns, ...(page.detail ?? [])].map((column) => (
            <div key={column.field} className="contents">
              <dt className="text-muted">{column.title}</dt>
              <dd className="wrap-anywhere">{formatField(row, column)}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    );
  if (action.schema !== undefined)
    return (
      <ActionForm
        action={{ ...action, schema: action.schema }}
        row={row}
        onClose={onClose}
        onDone={() => client.invalidateQueries({ queryKey })}
      />
    );
  return (
    <Dialog open onClose={onClose} title={action.title} lead={action.confirm}>
      {sending.error !== null && <Failure error={sending.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={sending.isPending} onClick={() => sending.mutate(action)}>
          {action.title}
        </Button>
      </div>
    </Dialog>
  );
}
