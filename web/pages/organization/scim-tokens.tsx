import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { Scim } from '../../api/queries.ts';
import { Button, Code, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ago } from '../../parts/format.ts';
import { Failure } from '../../parts/states.tsx';
import { NamedCode } from './named-code.tsx';

interface ScimProps {
  readonly state: Scim;
  readonly mayWrite: boolean;
}

/** What the identity provider manages by SCIM, and the tokens with which it does. */
export function ScimTokens({ state, mayWrite }: ScimProps) {
  const [isCreating, setCreating] = useState(false);
  const { tokens, users, active_users: active, groups, base_url: address } = state;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">Provisioning with SCIM</h3>
      <p className="max-w-prose text-sm text-muted">
        {tokens.length + users === 0
          ? 'The identity provider can create and remove members by itself. '
          : `The identity provider manages ${users} users, ${active} of them active, and ${groups} groups. `}
        <a href="/docs/guides/provisioning" className="text-accent underline">
          How to set it up
        </a>
      </p>
      {tokens.length > 0 && <NamedCode name="Base address for SCIM" text={address} />}
      <ul className="flex flex-col">
        {tokens.map((token) => (
          <Token key={token.id} token={token} mayWrite={mayWrite} />
        ))}
      </ul>
      {mayWrite && (
        <Button className="self-start" onClick={() => setCreating(true)}>
          Create a SCIM token
        </Button>
      )}
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
    </div>
  );
}

function Token({ token, mayWrite }: { readonly token: Scim['tokens'][number]; readonly mayWrite: boolean }) {
  const { id, name, last_used_at: usedAt } = token;
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () =>
      told(api.DELETE('/v1/organization/scim/tokens/{token}', { params: { path: { token: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['scim'] }),
  });
  return (
    <li className="flex flex-col gap-2 border-b border-line py-2 text-sm">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3">
        <bdi className="min-w-0 grow truncate">{name}</bdi>
        <span className="text-muted">{usedAt === null ? 'never used' : `last used ${ago(usedAt)}`}</span>
        {mayWrite && (
          <Button
            look="quiet"
            busy={revoking.isPending}
            aria-label={`Revoke ${name}`}
            onClick={() => revoking.mutate()}
          >
            Revoke
          </Button>
        )}
      </div>
      {revoking.error !== null && <Failure error={revoking.error} />}
    </li>
  );
}

function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: () => told(api.POST('/v1/organization/scim/tokens', { body: { name: name.trim() } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['scim'] }),
  });
  if (creating.data !== undefined)
    return (
      <Dialog
        open
        stays
        wide
        onClose={onClose}
        title="The SCIM token"
        lead="Enter it at the identity provider. It is shown only this once."
      >
        <Code label="SCIM token" text={creating.data.token} wraps />
        <Button look="primary" className="self-end" onClick={onClose}>
          Done
        </Button>
      </Dialog>
    );
  return (
    <FormDialog
      title="Create a SCIM token"
      lead="To replace a token, create another, enter it at the identity provider, and revoke the first."
      action="Create"
      isIncomplete={name.trim() === ''}
      saving={creating}
      onClose={onClose}
    >
      <Field label="Name" hint="Such as the name of the identity provider.">
        {(field) => (
          <Input
            {...field}
            autoComplete="off"
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
