import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type McpAuthorization, type McpServer, mcpAuthorizations } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';
import { timeOf } from '../../parts/format.ts';
import { Badge, Loaded, Rows, Section } from '../../parts/states.tsx';
import { AuthorizeButton } from './authorize-button.tsx';
import { useServersChanged } from './use-servers-changed.ts';

/** What the person has authorized the gateway to do at servers, and where it asks for that. */
export function Authorizations({ servers }: { readonly servers: readonly McpServer[] }) {
  const list = useQuery(mcpAuthorizations);
  const [revoking, setRevoking] = useState<string>();
  const asking = servers.filter(({ authorization, enabled }) => authorization === 'person' && enabled);
  if (asking.length === 0 && (list.data?.authorizations.length ?? 0) === 0) return null;
  return (
    <Section title="Your authorizations">
      <Loaded of={list} loading={<Rows count={1} />}>
        {({ authorizations }) => (
          <ul aria-label="Your authorizations" className="flex flex-col">
            {authorizations.map((one) => (
              <Row
                key={one.server}
                server={one.server}
                granted={one}
                onRevoke={() => setRevoking(one.server)}
              />
            ))}
            {asking
              .filter(({ name }) => !authorizations.some(({ server }) => server === name))
              .map(({ name }) => (
                <Row key={name} server={name} />
              ))}
          </ul>
        )}
      </Loaded>
      {revoking !== undefined && <Revoke server={revoking} onClose={() => setRevoking(undefined)} />}
    </Section>
  );
}

interface RowProps {
  readonly server: string;
  readonly granted?: McpAuthorization;
  readonly onRevoke?: () => void;
}

function Row({ server, granted, onRevoke }: RowProps) {
  return (
    <li className="flex flex-col gap-2 border-b border-line py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm font-medium wrap-anywhere">{server}</code>
            <State state={granted?.state} />
          </span>
          {granted !== undefined && (
            <span className="text-xs wrap-anywhere text-muted">
              {[
                `by ${granted.issuer}`,
                ...(granted.scopes.length > 0 ? [`scopes: ${granted.scopes.join(', ')}`] : []),
                `since ${timeOf(granted.created_at)}`,
              ].join(' · ')}
            </span>
          )}
        </div>
        <span className="ml-auto flex flex-wrap justify-end gap-1">
          {onRevoke !== undefined && (
            <Button look="quiet" onClick={onRevoke} aria-label={`Revoke ${server}`}>
              Revoke
            </Button>
          )}
          {granted?.state !== 'active' && (
            <AuthorizeButton
              server={server}
              text={granted === undefined ? 'Authorize' : 'Authorize again'}
              label={`Authorize at ${server}`}
            />
          )}
        </span>
      </div>
    </li>
  );
}

function State({ state }: { readonly state: McpAuthorization['state'] | undefined }) {
  if (state === undefined) return <Badge>not authorized</Badge>;
  if (state === 'active') return <Badge tone="saved">authorized</Badge>;
  return <Badge tone="refused">{state === 'ended' ? 'ended' : 'asks for more'}</Badge>;
}

function Revoke({ server, onClose }: { readonly server: string; readonly onClose: () => void }) {
  const revoking = useMutation({
    mutationFn: () =>
      told(api.DELETE('/v1/mcp/servers/{name}/authorization', { params: { path: { name: server } } })),
    onSuccess: useServersChanged(onClose),
  });
  return (
    <ConfirmDialog
      title={`Revoke the authorization at ${server}?`}
      lead="The gateway deletes its tokens, and your calls of its tools fail until you authorize it again."
      action="Revoke"
      mutation={revoking}
      onClose={onClose}
    />
  );
}
