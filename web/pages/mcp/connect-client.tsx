import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { localSession } from '../../api/queries.ts';
import { Choice, Code } from '../../parts/controls.tsx';
import { Section } from '../../parts/states.tsx';
import { clientNames, type McpClient, setupFor } from './client-setups.ts';

/** What to paste so that a client uses the tools. */
export function ConnectClient({ isCloud }: { readonly isCloud: boolean }) {
  const [client, setClient] = useState<McpClient>('claude');
  const { data: session } = useQuery({ ...localSession, enabled: !isCloud });
  const secret = isCloud ? 'WEIR_KEY' : session?.required === true ? 'WEIR_LOCAL_TOKEN' : undefined;
  return (
    <Section title="Use them in a client">
      <Choice label="Client" value={client} options={clientNames} onChange={setClient} />
      <Code label="Set-up" text={setupFor(client, { url: `${location.origin}/mcp`, secret })} />
      {isCloud && (
        <p className="text-xs text-muted">
          $WEIR_KEY is one of your API keys. At /mcp/ with the id of a project, clients see what that project
          does.
        </p>
      )}
    </Section>
  );
}
