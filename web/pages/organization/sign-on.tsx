import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { type SignOn, scim, signOn, signOnDomains } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';
import { Badge, Failure, Loaded, Rows, Section } from '../../parts/states.tsx';
import { NamedCode } from './named-code.tsx';
import { ScimTokens } from './scim-tokens.tsx';
import { SetUpSignOn } from './set-up-sign-on.tsx';
import { SignOnDomains } from './sign-on-domains.tsx';

/** How members log in at an identity provider, and the domains of their addresses. */
export function SingleSignOn({ rights }: { readonly rights: readonly string[] }) {
  const stored = useQuery(signOn);
  const [open, setOpen] = useState<'set-up' | 'remove'>();
  const mayWrite = rights.includes('sign-on:write');
  return (
    <Section
      title="Single sign-on"
      aside={
        mayWrite && (
          <Button onClick={() => setOpen('set-up')}>{stored.data == null ? 'Set up' : 'Change'}</Button>
        )
      }
    >
      <Loaded of={stored} loading={<Rows count={2} />}>
        {(shown) =>
          shown === null ? (
            <p className="max-w-prose py-2 text-sm text-muted">
              {'Members can log in at the identity provider of your company. '}
              <a href="/docs/guides/single-sign-on" className="text-accent underline">
                How to set it up
              </a>
            </p>
          ) : (
            <Stored shown={shown} mayWrite={mayWrite} onRemove={() => setOpen('remove')} />
          )
        }
      </Loaded>
      <Loaded of={useQuery(signOnDomains)} loading={<Rows count={1} />}>
        {({ domains }) => <SignOnDomains domains={domains} mayWrite={mayWrite} />}
      </Loaded>
      <Loaded of={useQuery(scim)} loading={<Rows count={1} />}>
        {(state) => <ScimTokens state={state} mayWrite={mayWrite} />}
      </Loaded>
      {open === 'set-up' && (
        <SetUpSignOn stored={stored.data ?? undefined} onClose={() => setOpen(undefined)} />
      )}
      {open === 'remove' && <RemoveSignOn onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

interface StoredProps {
  readonly shown: SignOn;
  readonly mayWrite: boolean;
  readonly onRemove: () => void;
}

function Stored({ shown, mayWrite, onRemove }: StoredProps) {
  const testing = useMutation({
    mutationFn: () => told(api.POST('/v1/organization/sign-on/test', { body: {} })),
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <bdi className="min-w-0 break-all">{shown.issuer}</bdi>
        {shown.enforced && <Badge tone="accent">Enforced</Badge>}
      </p>
      <NamedCode name="Redirect address, for the identity provider" text={shown.redirect_uri} />
      <NamedCode name="Address for back-channel logout" text={shown.logout_uri} />
      <NamedCode name="Link for members, or a tile of the identity provider" text={shown.start_uri} />
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          <Button busy={testing.isPending} onClick={() => testing.mutate()}>
            Test the connection
          </Button>
          <Button onClick={onRemove}>Remove single sign-on</Button>
        </div>
      )}
      {testing.error !== null && <Failure error={testing.error} />}
      {testing.data !== undefined && (
        <ul aria-label="Result of the test" className="flex flex-col gap-1 text-sm">
          {testing.data.steps.map(({ step, ok, message }) => (
            <li key={step} className="flex gap-2">
              <span className={ok ? 'text-muted' : 'text-failed'}>{ok ? 'Works:' : 'Fails:'}</span>
              <span className="min-w-0 break-words">{message}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function RemoveSignOn({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization/sign-on')),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sign-on'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Remove single sign-on?"
      lead="Sessions that began with it end. Members stay, and log in with a password."
      keep="Keep"
      action="Remove"
      mutation={removing}
      onClose={onClose}
    />
  );
}
