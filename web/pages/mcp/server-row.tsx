import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import type { McpServer, McpServerTest } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { count, timeOf } from '../../parts/format.ts';
import { Badge, Failure } from '../../parts/states.tsx';
import { AuthorizeButton } from './authorize-button.tsx';
import { useServersChanged } from './use-servers-changed.ts';

interface ServerRowProps {
  readonly server: McpServer;
  readonly mayChange: boolean;
  /** Whether the person sees no tools before authorizing the gateway there. */
  readonly isClosed: boolean;
  readonly onTools: () => void;
  readonly onEdit: () => void;
  readonly onAccess: () => void;
  readonly onRemove: () => void;
}

/** A server with what the gateway knows of its health. */
export function ServerRow({
  server,
  mayChange,
  isClosed,
  onTools,
  onEdit,
  onAccess,
  onRemove,
}: ServerRowProps) {
  const { name, kind, operator, enabled, health } = server;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm font-medium wrap-anywhere">{name}</code>
            <Badge tone="accent">{kindTexts[kind]}</Badge>
            {operator && <Badge>of the operator</Badge>}
            <State enabled={enabled} status={health.status} />
          </span>
          {addressOf(server) !== '' && (
            <span className="font-mono text-xs text-muted wrap-anywhere">{addressOf(server)}</span>
          )}
          <span className="text-xs text-muted wrap-anywhere">{factsOf(server).join(' · ')}</span>
          {health.last_error !== null && (
            <span className="text-xs wrap-anywhere text-failed">
              {timeOf(health.last_error.at)}: {health.last_error.message}
            </span>
          )}
          {health.left_out.length > 0 && (
            <span className="text-xs wrap-anywhere text-muted">
              Not offered: {health.left_out.slice(0, namesShown).join(', ')}
              {health.left_out.length > namesShown &&
                ` and ${count(health.left_out.length - namesShown)} more`}
            </span>
          )}
        </div>
        <span className="flex flex-wrap justify-end gap-1 max-sm:-ml-3">
          {mayChange && (
            <>
              <Button look="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
                Remove
              </Button>
              <Button look="quiet" onClick={onAccess} aria-label={`Access to ${name}`}>
                Access
              </Button>
              <Button look="quiet" onClick={onEdit} aria-label={`Edit ${name}`}>
                Edit
              </Button>
            </>
          )}
          {enabled && !isClosed && (
            <Button onClick={onTools} aria-label={`Tools of ${name}`}>
              Tools
            </Button>
          )}
        </span>
      </div>
      {isClosed && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-refused-soft px-3 py-2 text-sm text-refused">
          <span className="min-w-0 grow">
            You see none of its tools yet: authorize the gateway at this server first.
          </span>
          <AuthorizeButton server={name} label={`Authorize the gateway at ${name}`} />
        </div>
      )}
      {mayChange && enabled && <TestServer name={name} />}
    </li>
  );
}

const namesShown = 3;

const kindTexts = { http: 'HTTP', program: 'program', openapi: 'OpenAPI' } as const;

function addressOf({ url, command, args = [], openapi }: McpServer): string {
  if (command !== undefined) return [command, ...args].join(' ');
  return url ?? openapi?.base_url ?? '';
}

function factsOf({ health, access = [], projects = [], authorization }: McpServer): readonly string[] {
  const { tools, protocol_version: version, server_name: title, server_version: release } = health;
  const facts = [
    tools !== null && `${count(tools)} ${tools === 1 ? 'tool' : 'tools'}`,
    version !== null && `MCP ${version} (${version >= statelessSince ? 'stateless' : 'with sessions'})`,
    title !== null && `${title} ${release ?? ''}`.trim(),
    health.list_changed_at !== null && `tools changed ${timeOf(health.list_changed_at)}`,
    authorization === 'person' && 'each person authorizes the gateway',
    access.length > 0 && `${count(access.length)} access ${access.length === 1 ? 'rule' : 'rules'}`,
    projects.length > 0 && `${count(projects.length)} ${projects.length === 1 ? 'project' : 'projects'}`,
  ].filter((fact) => fact !== false);
  return facts.length === 0 && health.status === 'unknown' ? ['Not used yet'] : facts;
}

/** The first revision of MCP without sessions. */
const statelessSince = '2026-07-28';

interface StateProps {
  readonly enabled: boolean;
  readonly status: McpServer['health']['status'];
}

function State({ enabled, status }: StateProps) {
  if (!enabled) return <Badge tone="refused">disabled</Badge>;
  if (status === 'unknown') return null;
  return <Badge tone={status === 'ok' ? 'saved' : 'failed'}>{status === 'ok' ? 'works' : 'fails'}</Badge>;
}

type ApiInfo = NonNullable<McpServerTest['api']>;

/** What of an API did not become a tool, and how it wants to know who makes a request. */
function ApiFacts({
  api: { left_out: leftOut, left_out_count: all, ignored_servers: ignored, credentials },
}: {
  readonly api: ApiInfo;
}) {
  return (
    <div className="flex w-full flex-col gap-1 text-xs text-muted">
      {credentials.length > 0 && (
        <span className="wrap-anywhere">
          Keys go to: {credentials.map(({ scheme, place }) => `${scheme} (${place})`).join(', ')}
        </span>
      )}
      {ignored.length > 0 && (
        <span className="wrap-anywhere">Servers that are never called: {ignored.join(', ')}</span>
      )}
      {all > 0 && (
        <details>
          <summary className="w-fit cursor-pointer hover:text-ink">
            {count(all)} {all === 1 ? 'operation is' : 'operations are'} no tool
          </summary>
          <ul className="mt-1 flex flex-col gap-0.5">
            {leftOut.map(({ operation, reason }) => (
              <li key={operation} className="wrap-anywhere">
                <code className="font-mono">{operation}</code>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function TestServer({ name }: { readonly name: string }) {
  const changed = useServersChanged();
  const testing = useMutation({
    mutationFn: () => told(api.POST('/v1/mcp/servers/{name}/test', { params: { path: { name } } })),
    onSettled: () => changed(),
  });
  const { data, error } = testing;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        look="quiet"
        className="-ml-3"
        busy={testing.isPending}
        onClick={() => testing.mutate()}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
      {data !== undefined && (
        <span role="status" className={`text-xs wrap-anywhere ${data.ok ? 'text-saved' : 'text-failed'}`}>
          {data.detail}
        </span>
      )}
      {error !== null && <Failure error={error} />}
      {data?.api !== undefined && <ApiFacts api={data.api} />}
    </div>
  );
}
