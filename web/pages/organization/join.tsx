import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { me } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../parts/controls.tsx';
import { Mark } from '../../parts/mark.tsx';
import { forgetPendingInvitation, readPendingInvitation } from '../../parts/pending-invitation.ts';
import { Failure, Loaded, Rows } from '../../parts/states.tsx';
import { useSignUpPolicy } from '../entrance/sign-up-policy.ts';

/** Where the link of an invitation leads. */
export default function Join() {
  const [token] = useState(readPendingInvitation);
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center gap-5 p-4">
      <title>Invitation · Weir</title>
      <Link to="/" className="flex items-center gap-2.5 text-base font-semibold">
        <Mark /> Weir
      </Link>
      {token === undefined ? (
        <p className="text-sm text-muted">This link has no invitation. Open the whole link that you got.</p>
      ) : (
        <Invited token={token} />
      )}
    </main>
  );
}

function Invited({ token }: { readonly token: string }) {
  const who = useQuery(me);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => told(api.POST('/v1/invitations/show', { body: { token } })),
    retry: false,
  });
  return (
    <Loaded of={invitation} loading={<Rows count={3} />}>
      {({ organization, role, email }) => (
        <>
          <h1 className="text-lg font-semibold wrap-anywhere">
            Join <bdi>{organization}</bdi>
          </h1>
          <p className="text-sm text-muted">
            {`You are invited with the role ${role}.`}
            {email !== null && (
              <>
                {' The invitation is for '}
                <bdi>{email}</bdi>.
              </>
            )}
          </p>
          {who.data == null ? <Entrances /> : <Accept token={token} email={who.data.email} />}
        </>
      )}
    </Loaded>
  );
}

/** The invitation waits in this tab. */
function Entrances() {
  const canSignUp = useSignUpPolicy() === 'on';
  return (
    <p className="flex flex-wrap items-center gap-3 text-sm">
      <EntranceLink to="/login">Log in</EntranceLink>
      {canSignUp && (
        <>
          or
          <EntranceLink to="/signup">Sign up</EntranceLink>
        </>
      )}
      to accept.
    </p>
  );
}

function EntranceLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className="text-accent underline">
      {children}
    </Link>
  );
}

function Accept({ token, email }: { readonly token: string; readonly email: string }) {
  const { leaveFor } = useSession();
  const navigate = useNavigate();
  const accepting = useMutation({
    mutationFn: async () => {
      const { organization_id: id } = await told(api.POST('/v1/invitations/accept', { body: { token } }));
      forgetPendingInvitation();
      await leaveFor(id, () => navigate({ to: '/' }));
    },
  });
  const discard = async () => {
    forgetPendingInvitation();
    await navigate({ to: '/' });
  };
  return (
    <>
      {accepting.error !== null && <Failure error={accepting.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" busy={accepting.isPending} onClick={() => accepting.mutate()}>
          {`Join as ${email}`}
        </Button>
        <Button onClick={() => void discard()}>Not now</Button>
      </div>
    </>
  );
}
