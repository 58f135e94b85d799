import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { memberInvitations, type Role } from '../../api/queries.ts';
import { Button, Code, Field, Input, Select } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { dateOf } from '../../parts/format.ts';
import { Failure, Loaded, Rows, Section } from '../../parts/states.tsx';
import { rolesFor, roleTexts } from './roles.ts';

interface InvitationsProps {
  readonly rights: readonly string[];
}

export function Invitations({ rights }: InvitationsProps) {
  const list = useQuery(memberInvitations);
  const client = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const revoking = useMutation({
    mutationFn: (id: string) =>
      told(api.DELETE('/v1/organization/invitations/{id}', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['member-invitations'] }),
  });
  return (
    <Section
      title="Invitations"
      aside={
        <Button look="primary" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      {revoking.error !== null && <Failure error={revoking.error} />}
      <Loaded of={list} loading={<Rows count={1} />}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p className="py-2 text-sm text-muted">No open invitations.</p>
          ) : (
            <ul className="flex flex-col">
              {invitations.map(({ id, email, role, expires_at: expires }) => (
                <li
                  key={id}
                  className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line py-1.5 text-sm"
                >
                  <span className="min-w-0 grow truncate max-sm:basis-full">
                    <bdi>{email ?? 'Anybody with the link'}</bdi>
                  </span>
                  <span className="text-muted">{`${role}, until ${dateOf(expires)}`}</span>
                  <Button
                    look="quiet"
                    aria-label={`Revoke the invitation of ${email ?? 'anybody with the link'}`}
                    busy={revoking.isPending}
                    onClick={() => revoking.mutate(id)}
                  >
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isInviting && <Invite rights={rights} onClose={() => setInviting(false)} />}
    </Section>
  );
}

function Invite({ rights, onClose }: InvitationsProps & { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const inviting = useMutation({
    mutationFn: () =>
      told(
        api.POST('/v1/organization/invitations', {
          body: { role, ...(email.trim() !== '' && { email: email.trim() }) },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['member-invitations'] }),
  });
  if (inviting.data !== undefined) {
    const { link, mailed, email: invited } = inviting.data;
    return (
      <Dialog
        open
        stays
        wide
        onClose={onClose}
        title="The invitation"
        lead={
          mailed
            ? `The link is on its way to ${invited}. It is shown only this once.`
            : 'Send this link to the person. It works once, and is shown only this once.'
        }
      >
        <Code label="Link" text={link} wraps />
        <Button look="primary" className="self-end" onClick={onClose}>
          Done
        </Button>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Invite a person"
      action="Invite"
      isIncomplete={false}
      saving={inviting}
      onClose={onClose}
    >
      <Field
        label="E-mail"
        hint="Only the person with this address can accept. Without one, the first person with the link can."
      >
        {(field) => (
          <Input
            {...field}
            type="email"
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
      <Field label="Role" hint={`May: ${roleTexts[role]}.`}>
        {(field) => (
          <Select {...field} value={role} onChange={({ target }) => setRole(target.value as Role)}>
            {rolesFor(rights).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}
