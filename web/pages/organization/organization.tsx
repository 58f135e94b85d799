import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import {
  me,
  memberInvitations,
  members,
  type Organization,
  organization,
  organizations,
} from '../../api/queries.ts';
import { useSwitch } from '../../app/session.ts';
import { Button } from '../../parts/controls.tsx';
import { dateOf } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Failure, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { DeleteOrganization } from './delete-organization.tsx';
import { Invitations } from './invitations.tsx';
import { Members, RemoveMember } from './members.tsx';
import { NameOrganization } from './name-organization.tsx';
import { roleTexts } from './roles.ts';
import { SingleSignOn } from './sign-on.tsx';
import { TokenIssuers } from './token-issuers.tsx';

export function OrganizationPage() {
  const current = useQuery(organization);
  const may = useRights();
  const who = useQuery(me);
  const listed = useInfiniteQuery({ ...members(''), enabled: may('members:read') });
  const invited = useQuery({ ...memberInvitations, enabled: may('members:read') });
  const shownTogether = [...(may('members:read') ? [listed, invited] : []), current, useQuery(organizations)];
  const [open, setOpen] = useState<'rename' | 'create' | 'leave'>();
  // With the rest of the page, which a long name would move.
  const isLoaded = shownTogether.every(({ data }) => data !== undefined);
  const { name, role } = current.data ?? {};
  const lead = isLoaded ? `${name}: your role is ${role}` : '\u00a0';
  return (
    <Page
      title="Organization"
      lead={lead}
      actions={isLoaded && <Button onClick={() => setOpen('create')}>New organization</Button>}
    >
      <Together of={shownTogether} loading={<Rows count={8} />}>
        <Loaded of={current} loading={<Rows count={8} />}>
          {(shown) => (
            <>
              {shown.deletes_at !== null && <ScheduledDeletion shown={shown} />}
              {shown.rights.includes('members:read') && (
                <Members rights={shown.rights} isPersonal={shown.personal} />
              )}
              {shown.rights.includes('members:write') && <Invitations rights={shown.rights} />}
              {!shown.personal && shown.rights.includes('sign-on:read') && (
                <>
                  <SingleSignOn rights={shown.rights} />
                  <TokenIssuers rights={shown.rights} />
                </>
              )}
              <Own />
              <Section title="Settings">
                <p className="max-w-prose text-sm text-muted">
                  {`As ${shown.role} you have: ${roleTexts[shown.role]}. `}
                  <a href="/docs/reference/roles" className="text-accent underline">
                    All roles and rights
                  </a>
                </p>
                <div className="flex flex-wrap gap-2">
                  {shown.rights.includes('organization:write') && (
                    <Button onClick={() => setOpen('rename')}>Rename</Button>
                  )}
                  {!shown.personal && !may('members:read') && (
                    <Button onClick={() => setOpen('leave')}>Leave</Button>
                  )}
                  {!shown.personal &&
                    shown.rights.includes('ownership:write') &&
                    shown.deletes_at === null && <DeleteOrganization name={shown.name} />}
                </div>
              </Section>
              {open === 'leave' && who.data != null && (
                <RemoveMember member={{ ...who.data, you: true }} onClose={() => setOpen(undefined)} />
              )}
              {(open === 'rename' || open === 'create') && (
                <NameOrganization
                  renamed={open === 'rename' ? shown : undefined}
                  onClose={() => setOpen(undefined)}
                />
              )}
            </>
          )}
        </Loaded>
      </Together>
    </Page>
  );
}

function ScheduledDeletion({
  shown,
}: {
  readonly shown: Organization & { readonly rights: readonly string[] };
}) {
  const client = useQueryClient();
  const restoring = useMutation({
    mutationFn: () => told(api.POST('/v1/organization/restore', { body: {} })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['organization'] }),
  });
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-refused-soft px-3 py-2 text-sm text-refused">
      <span className="grow" role="status">
        {`This organization is deleted on ${dateOf(shown.deletes_at ?? '')}. Until then everything works.`}
      </span>
      {restoring.error !== null && <Failure error={restoring.error} />}
      {shown.rights.includes('ownership:write') && (
        <Button busy={restoring.isPending} onClick={() => restoring.mutate()}>
          Restore
        </Button>
      )}
    </div>
  );
}

/** All organizations of the person. */
function Own() {
  const list = useQuery(organizations);
  const switching = useSwitch();
  return (
    <Section title="Your organizations">
      {switching.error !== null && <Failure error={switching.error} />}
      <Loaded of={list} loading={<Rows count={2} />}>
        {({ organizations: all }) => (
          <ul className="flex flex-col">
            {all.map(({ id, name, role, current, personal }) => (
              <li
                key={id}
                className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line py-1.5 text-sm"
              >
                <span className="min-w-0 grow truncate max-sm:basis-full">
                  <bdi>{name}</bdi>
                  {personal && <span className="text-muted"> (your own account)</span>}
                </span>
                <span className="text-muted">{role}</span>
                {current ? (
                  <Badge tone="accent">You are here</Badge>
                ) : (
                  <Button look="quiet" busy={switching.isPending} onClick={() => switching.mutate(id)}>
                    Switch
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
