import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { loginFactors, logSettings, me, sessions, verification } from '../../api/queries.ts';
import { useLogOut } from '../../app/session.ts';
import { Button } from '../../parts/controls.tsx';
import { ago, dateOf, utc } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Failure, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { LogRetention } from './log-retention.tsx';
import { OwnData } from './own-data.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordField } from './password-field.tsx';
import { programName } from './program-name.ts';

export function Account() {
  const own = useQuery(me);
  const { data } = own;
  const shown = [own, useQuery(verification), useQuery(sessions), useQuery(loginFactors)];
  const mayReadSettings = useRights()('settings:read');
  const retention = useQuery({ ...logSettings, enabled: mayReadSettings });
  const leaving = useLogOut();
  return (
    <Page
      title="Account"
      lead={data == null ? '\u00a0' : `${data.email}, since ${dateOf(data.createdAt)}`}
      actions={
        <Button busy={leaving.isPending} onClick={() => leaving.mutate()}>
          Log out
        </Button>
      }
    >
      {leaving.error !== null && <Failure error={leaving.error} />}
      <Together of={mayReadSettings ? [...shown, retention] : shown} loading={<Rows count={8} />}>
        <Verification />
        <Password />
        <Passkeys />
        <Sessions />
        {mayReadSettings && <LogRetention />}
        <OwnData />
      </Together>
    </Page>
  );
}

/** Only where mails are sent, and this one's link was not followed yet. */
function Verification() {
  const { data } = useQuery(verification);
  const sending = useMutation({ mutationFn: () => told(api.POST('/v1/users/verify/mail', { body: {} })) });
  if (data === undefined || data.verified || !data.mail) return null;
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-refused-soft px-3 py-2 text-sm text-refused">
      <span className="grow" role="status">
        {sending.isSuccess
          ? 'A mail with a link is on its way.'
          : 'Your e-mail address is not confirmed yet. Confirm it before you create API keys: confirming revokes existing keys.'}
      </span>
      {sending.error !== null && <Failure error={sending.error} />}
      {!sending.isSuccess && (
        <Button busy={sending.isPending} onClick={() => sending.mutate()}>
          Send the link again
        </Button>
      )}
    </div>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const client = useQueryClient();
  const changing = useMutation({
    mutationFn: () => told(api.PUT('/v1/users/password', { body: { current, next } })),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      await client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Section title="Password" className="max-w-md">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          changing.mutate();
        }}
      >
        <PasswordField label="Current password" value={current} onChange={setCurrent} />
        <PasswordField
          label="New password"
          hint="8 characters or more. All other sessions end."
          isNew
          value={next}
          onChange={setNext}
        />
        {changing.error !== null && <Failure error={changing.error} />}
        {changing.isSuccess && (
          <p role="status" className="text-sm text-saved">
            Changed.
          </p>
        )}
        <Button type="submit" className="self-start" busy={changing.isPending}>
          Change password
        </Button>
      </form>
    </Section>
  );
}

function Sessions() {
  const list = useQuery(sessions);
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: (id: string) => told(api.DELETE('/v1/users/sessions/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <Section title="Sessions">
      {ending.error !== null && <Failure error={ending.error} />}
      <Loaded of={list} loading={<Rows count={2} />}>
        {({ sessions: all }) => (
          <ul className="flex flex-col">
            {all.map(({ id, client: program, lastUsedAt, createdAt, current }) => (
              <li
                key={id}
                className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line py-1.5 text-sm"
              >
                <span className="min-w-0 grow truncate" title={program}>
                  {programName(program)}
                </span>
                <span className="text-muted" title={`begun ${utc(createdAt)}`}>
                  {ago(lastUsedAt)}
                </span>
                {current ? (
                  <Badge tone="accent">This device</Badge>
                ) : (
                  <Button look="quiet" busy={ending.isPending} onClick={() => ending.mutate(id)}>
                    End
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
