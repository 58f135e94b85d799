import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { members, type OrganizationMember, type Role } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button, Input, Select } from '../../parts/controls.tsx';
import { count, dateOf } from '../../parts/format.ts';
import { Badge, Failure, Loaded, Rows, Section } from '../../parts/states.tsx';
import { rolesFor } from './roles.ts';

interface MembersProps {
  readonly rights: readonly string[];
  /** Whether it is the account of a person, who is always its owner. */
  readonly isPersonal: boolean;
}

/** With a search for those who have more than a page of members. */
const searchedFrom = 10;

export function Members({ rights, isPersonal }: MembersProps) {
  const [search, setSearch] = useState('');
  const list = useInfiniteQuery(members(useDeferredValue(search.trim())));
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<OrganizationMember>();
  const total = list.data?.pages[0]?.total ?? 0;
  const changing = useMutation({
    mutationFn: ({ id, role }: { readonly id: string; readonly role: Role }) =>
      told(api.PATCH('/v1/organization/members/{id}', { params: { path: { id } }, body: { role } })),
    onSettled: () =>
      Promise.all(['members', 'organization'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
  return (
    <Section
      title="Members"
      aside={
        total > searchedFrom || search !== '' ? (
          <Input
            type="search"
            aria-label="Search members by address"
            placeholder={`Search ${count(total)} members`}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        ) : undefined
      }
    >
      {changing.error !== null && <Failure error={changing.error} />}
      <Loaded of={list} loading={<Rows count={3} />}>
        {({ pages }) => (
          <ul className="flex flex-col">
            {pages
              .flatMap((page) => page.members)
              .map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  rights={rights}
                  isPersonal={isPersonal}
                  isBusy={changing.isPending}
                  onRole={(role) => changing.mutate({ id: member.id, role })}
                  onLeave={() => setLeaving(member)}
                />
              ))}
          </ul>
        )}
      </Loaded>
      {list.hasNextPage && (
        <Button
          className="self-start"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {leaving !== undefined && <RemoveMember member={leaving} onClose={() => setLeaving(undefined)} />}
    </Section>
  );
}

interface MemberRowProps extends MembersProps {
  readonly member: OrganizationMember;
  readonly isBusy: boolean;
  readonly onRole: (role: Role) => void;
  readonly onLeave: () => void;
}

function MemberRow({ member, rights, isPersonal, isBusy, onRole, onLeave }: MemberRowProps) {
  const { email, role, since, verified, you } = member;
  const given = rolesFor(rights);
  const isOwnAccount = isPersonal && you;
  const mayChange = !isOwnAccount && rights.includes('members:write') && given.includes(role);
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5 text-sm">
      <span className="min-w-0 grow truncate max-sm:basis-full" title={`member since ${dateOf(since)}`}>
        <bdi>{email}</bdi>
      </span>
      {you && <Badge tone="accent">You</Badge>}
      {!verified && <Badge>address not confirmed</Badge>}
      {mayChange ? (
        <div className="w-32">
          <Select
            aria-label={`Role of ${email}`}
            disabled={isBusy}
            value={role}
            onChange={({ target }) => onRole(target.value as Role)}
          >
            {given.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </div>
      ) : (
        <span className="text-muted">{role}</span>
      )}
      {(mayChange || (you && !isOwnAccount)) && (
        <Button look="quiet" aria-label={you ? 'Leave' : `Remove ${email}`} onClick={onLeave}>
          {you ? 'Leave' : 'Remove'}
        </Button>
      )}
    </li>
  );
}

interface RemoveMemberProps {
  readonly member: Pick<OrganizationMember, 'id' | 'email' | 'you'>;
  readonly onClose: () => void;
}

export function RemoveMember({ member: { id, email, you }, onClose }: RemoveMemberProps) {
  const client = useQueryClient();
  const { left } = useSession();
  const removing = useMutation({
    mutationFn: () =>
      you
        ? told(api.POST('/v1/organization/leave', { body: {} }))
        : told(api.DELETE('/v1/organization/members/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      if (you) return left();
      await client.invalidateQueries({ queryKey: ['members'] });
      return onClose();
    },
  });
  return (
    <ConfirmDialog
      title={you ? 'Leave this organization?' : `Remove ${email}?`}
      lead={
        you
          ? 'You lose access at once and are logged out here. Only an invitation brings you back.'
          : 'The person loses access at once. API keys stay: revoke those that the person knows.'
      }
      keep={you ? 'Stay' : 'Keep'}
      action={you ? 'Leave' : 'Remove'}
      mutation={removing}
      onClose={onClose}
    />
  );
}
