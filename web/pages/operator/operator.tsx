import { useQuery } from '@tanstack/react-query';
import {
  capabilities,
  type Diagnostics,
  destinations,
  diagnostics,
  operatorAccounts,
} from '../../api/queries.ts';
import { ago, count, utc } from '../../parts/format.ts';
import { Badge, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Together } from '../../parts/together.tsx';
import { Accounts } from './accounts.tsx';
import { Checks } from './checks.tsx';
import { Destinations } from './destinations.tsx';
import { statuses } from './statuses.ts';
import { Storage } from './storage.tsx';

/** For whoever runs the gateway: whether it works, and in cloud mode who uses it. */
export function Operator() {
  const { data: about } = useQuery(capabilities);
  const state = useQuery(diagnostics);
  const hasAccounts = about?.mode === 'cloud';
  const connections = useQuery(destinations);
  const accounts = useQuery({ ...operatorAccounts('cost', undefined), enabled: hasAccounts });
  return (
    <Page
      title="Status"
      lead="What this gateway depends on, and whether it works."
      actions={
        state.data !== undefined && (
          <span role="status">
            <Badge tone={statuses[state.data.status].tone}>{statuses[state.data.status].title}</Badge>
          </span>
        )
      }
    >
      <Loaded of={state} loading={<Rows count={10} />}>
        {(data) => (
          <>
            <Section title="This process">
              <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm sm:grid-cols-3 lg:grid-cols-6">
                <Fact name="Version" value={data.version} />
                <Fact name="Build" value={data.revision} />
                <Fact name="Mode" value={data.mode} />
                <Fact name="Started" value={ago(data.started_at)} title={utc(data.started_at)} />
                <Fact name="Open calls" value={count(data.open_calls)} />
                <Fact name="Memory" value={`${count(data.memory_mib)} MiB`} />
              </dl>
            </Section>
            <Checks checks={data.checks} />
            {data.processes.length > 1 && <Processes processes={data.processes} />}
            <Storage />
            <Together of={hasAccounts ? [connections, accounts] : [connections]} loading={<Rows count={8} />}>
              {hasAccounts && <Accounts />}
              <Destinations />
            </Together>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type GatewayProcess = Diagnostics['processes'][number];

/** Those of all replicas. */
function Processes({ processes }: { readonly processes: readonly GatewayProcess[] }) {
  return (
    <Section title="Processes" aside={count(processes.length)}>
      <Table
        rows={processes}
        rowKey={({ host, process_id: id, started_at: startedAt }) => `${host} ${id} ${startedAt}`}
        empty=""
        most={10}
        columns={[
          { title: 'Machine', long: true, cell: ({ host }) => <bdi>{host}</bdi> },
          { title: 'Process', end: true, wide: true, cell: ({ process_id: id }) => id },
          { title: 'Version', cell: ({ version, revision }) => `${version} (${revision})` },
          {
            title: 'Started',
            end: true,
            cell: ({ started_at: at }) => <span title={utc(at)}>{ago(at)}</span>,
          },
        ]}
      />
    </Section>
  );
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
}

function Fact({ name, value, title }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="truncate" title={title ?? value}>
        {value}
      </dd>
    </div>
  );
}
