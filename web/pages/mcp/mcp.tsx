import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  capabilities,
  localSession,
  type McpServer,
  mcpAuthorizations,
  mcpServers,
} from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { useRights } from '../../parts/rights.tsx';
import { Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { Authorizations } from './authorizations.tsx';
import { ConnectClient } from './connect-client.tsx';
import { EditAccess } from './edit-access.tsx';
import { EditServer } from './edit-server.tsx';
import { ImportServer } from './import-server.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ServerRow } from './server-row.tsx';
import { ServerTools } from './server-tools.tsx';

const route = getRouteApi('/mcp-servers');

type Editing = 'definition' | 'access' | 'removal';

/** The MCP servers that the account can use, who may use them, and how clients do. */
export function McpServers() {
  const list = useQuery(mcpServers);
  const isCloud = useSuspenseQuery(capabilities).data.mode === 'cloud';
  const mayChange = useRights()('settings:write');
  const session = useQuery({ ...localSession, enabled: !isCloud });
  const authorizations = useQuery(mcpAuthorizations);
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState<'form' | 'registry'>();
  const [editing, setEditing] = useState<{ readonly server: McpServer; readonly what: Editing }>();
  const opened = list.data?.servers.find(({ name }) => name === open);
  const isClosed = ({ name, enabled, authorization }: McpServer) => {
    if (!enabled || authorization !== 'person' || authorizations.data === undefined) return false;
    const granted = authorizations.data.authorizations.find(({ server }) => server === name);
    return granted === undefined || granted.state === 'ended';
  };
  const show = (name: string | undefined) =>
    void navigate({ search: name === undefined ? {} : { open: name }, resetScroll: false });
  const close = () => setEditing(undefined);
  return (
    <Page
      title="MCP servers"
      lead={
        <>
          {'Their tools are behind one address of the gateway, and each '}
          <Link to="/requests" search={{ wire_format: 'mcp' }} className="text-accent underline">
            call of a tool
          </Link>
          {' is in the request log.'}
        </>
      }
      actions={
        mayChange && (
          <>
            <Button onClick={() => setAdding('registry')}>From the registry</Button>
            <Button look="primary" onClick={() => setAdding('form')}>
              Add a server
            </Button>
          </>
        )
      }
    >
      <Together
        of={isCloud ? [list, authorizations] : [list, authorizations, session]}
        loading={<Rows count={3} />}
      >
        <Loaded of={list} loading={<Rows count={3} />}>
          {({ servers }) =>
            servers.length === 0 ? (
              <Empty title="No MCP servers yet.">
                A server at an address, a program on the machine of a local gateway, or an HTTP API that
                OpenAPI describes.
              </Empty>
            ) : (
              <ul aria-label="MCP servers" className="flex flex-col">
                {servers.map((server) => (
                  <ServerRow
                    key={server.name}
                    server={server}
                    mayChange={mayChange && !server.operator}
                    isClosed={isClosed(server)}
                    onTools={() => show(server.name)}
                    onEdit={() => setEditing({ server, what: 'definition' })}
                    onAccess={() => setEditing({ server, what: 'access' })}
                    onRemove={() => setEditing({ server, what: 'removal' })}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
        {list.data !== undefined && <Authorizations servers={list.data.servers} />}
        <ConnectClient isCloud={isCloud} />
      </Together>
      {adding === 'form' && <EditServer isCloud={isCloud} onClose={() => setAdding(undefined)} />}
      {adding === 'registry' && <ImportServer onClose={() => setAdding(undefined)} />}
      {editing?.what === 'definition' && (
        <EditServer isCloud={isCloud} server={editing.server} onClose={close} />
      )}
      {editing?.what === 'access' && <EditAccess isCloud={isCloud} server={editing.server} onClose={close} />}
      {editing?.what === 'removal' && <RemoveServer name={editing.server.name} onClose={close} />}
      {opened !== undefined && !isClosed(opened) && (
        <ServerTools
          server={opened}
          mayChange={mayChange && !opened.operator}
          onClose={() => show(undefined)}
        />
      )}
    </Page>
  );
}
