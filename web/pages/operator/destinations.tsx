import { useQuery } from '@tanstack/react-query';
import { type Destination, destinations } from '../../api/queries.ts';
import { count } from '../../parts/format.ts';
import { Loaded, Rows, Section } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';

const figure = (value: number | null) => (value === null ? '–' : count(value));

const columns: readonly Column<Destination>[] = [
  { title: 'Purpose', cell: ({ purpose }) => purpose },
  {
    title: 'Server',
    long: true,
    cell: ({ host, port }) => <bdi>{port === 0 ? host || '–' : `${host}:${port}`}</bdi>,
  },
  { title: 'Requests', end: true, wide: true, cell: ({ requests }) => figure(requests) },
  { title: 'Connections', end: true, cell: ({ connections }) => figure(connections) },
  { title: 'Failed', end: true, wide: true, cell: ({ failures }) => figure(failures) },
  { title: 'Refused', end: true, cell: ({ refused }) => figure(refused) },
];

/** Where this process connects to. */
export function Destinations() {
  const list = useQuery(destinations);
  return (
    <Section title="Connections" aside={list.data?.airgap === true ? 'airgap' : 'since the start'}>
      <Loaded of={list} loading={<Rows count={3} />}>
        {(data) => (
          <>
            <p className="text-sm text-muted">{explain(data.airgap, data.permission_model)}</p>
            <DestinationTable rows={data.destinations.filter(isUsed)} />
            <Unused rows={data.destinations.filter((one) => !isUsed(one))} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Null is a figure that is not counted. */
function isUsed({ requests, connections, failures, refused }: Destination): boolean {
  return [requests, connections, failures, refused].some((value) => value !== 0);
}

function DestinationTable({ rows }: { readonly rows: readonly Destination[] }) {
  return (
    <Table
      rows={rows}
      rowKey={({ purpose, host, port }) => `${purpose} ${host} ${port}`}
      empty="This process has connected to nothing."
      most={20}
      columns={columns}
    />
  );
}

/** Known servers that nothing connected to. */
function Unused({ rows }: { readonly rows: readonly Destination[] }) {
  if (rows.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-muted">
        {count(rows.length)} allowed {rows.length === 1 ? 'server' : 'servers'} without a connection
      </summary>
      <DestinationTable rows={rows} />
    </details>
  );
}

function explain(isAirgapped: boolean, isConfined: boolean): string {
  if (!isAirgapped) return 'WEIR_AIRGAP is off.';
  return isConfined
    ? 'WEIR_AIRGAP is on: only configured providers are connected to, and Node.js keeps everything in this process from the network.'
    : 'WEIR_AIRGAP is on: only configured providers are connected to. Code of packages is not kept from the network here.';
}
