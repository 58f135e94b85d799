import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useFeature } from '../../api/features.ts';
import { sessionHasEnded } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { readPendingInvitation } from '../../parts/pending-invitation.ts';
import { sentence } from '../../parts/states.tsx';
import { claimSandbox } from './sandbox.ts';
import { SecondFactor, type SecondFactorRequest } from './second-factor.tsx';
import { readInvitation, useSignUpPolicy } from './sign-up-policy.ts';
import { readArrival, SingleSignOn } from './single-sign-on.tsx';

const words = {
  login: { title: 'Log in', other: 'No account yet?', otherTo: '/signup', otherName: 'Sign up' },
  signup: { title: 'Sign up', other: 'An account already?', otherTo: '/login', otherName: 'Log in' },
} as const;

export function SignIn({ how }: { readonly how: keyof typeof words }) {
  const { enter, enterWithPasskey, open } = useSession();
  const hasPasskeys = useFeature('passkeys');
  const [secondFactor, setSecondFactor] = useState<SecondFactorRequest>();
  const { pathname, hash } = useLocation();
  const [arrival] = useState(() => readArrival(hash));
  const navigate = useNavigate();
  const signUpPolicy = useSignUpPolicy();
  const canMail = useFeature('mail');
  const [{ invitation, email: invited = '' }] = useState(readInvitation);
  const [email, setEmail] = useState(how === 'signup' ? invited : '');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { title, other, otherTo, otherName } = words[how];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => enter(how, { email, password, invitation }));
  };
  const run = async (logIn: () => Promise<unknown>) => {
    setBusy(true);
    setFault(undefined);
    try {
      await logIn();
      // Without it one is logged in all the same.
      await claimSandbox().catch(() => undefined);
      const to = readPendingInvitation() === undefined ? '/' : '/join';
      if (pathname === '/login' || pathname === '/signup')
        await navigate({ to: to as string, replace: true });
      await open();
    } catch (error) {
      const request = error instanceof ApiError ? error.secondFactor : undefined;
      if (request !== undefined) setSecondFactor(request);
      else setFault(error instanceof Error ? sentence(error.message) : 'That did not work.');
      setBusy(false);
    }
  };
  if (how === 'signup' && (signUpPolicy === 'off' || (signUpPolicy === 'invite' && invitation === undefined)))
    return <Closed byInvitation={signUpPolicy === 'invite'} />;
  if (secondFactor !== undefined)
    return (
      <div className="mx-auto flex max-w-sm flex-col gap-5 px-4 py-14">
        <title>Second factor · Weir</title>
        <h1 className="text-lg font-semibold">Your password is right. One more step.</h1>
        <Fault text={fault} />
        <SecondFactor request={secondFactor} isBusy={busy} onLogIn={(logIn) => void run(logIn)} />
      </div>
    );
  return (
    <div className="mx-auto flex max-w-sm flex-col gap-5 px-4 py-14">
      <title>{`${title} · Weir`}</title>
      <h1 className="text-lg font-semibold">{title}</h1>
      {how === 'login' && sessionHasEnded() && (
        <p role="status" className="rounded-md bg-refused-soft px-3 py-2 text-sm text-refused">
          Your session has ended. Log in to continue where you were.
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="E-mail">
          {(field) => (
            <Input
              {...field}
              type="email"
              autoComplete="email"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Password" {...(how === 'signup' && { hint: '8 characters or more.' })}>
          {(field) => (
            <Input
              {...field}
              type="password"
              autoComplete={how === 'signup' ? 'new-password' : 'current-password'}
              minLength={how === 'signup' ? 8 : 1}
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Fault text={fault} />
        <Button type="submit" look="primary" busy={busy}>
          {title}
        </Button>
      </form>
      {how === 'login' && hasPasskeys && (
        <Button disabled={busy} onClick={() => void run(enterWithPasskey)}>
          Log in with a passkey
        </Button>
      )}
      {how === 'login' && <SingleSignOn arrival={arrival} />}
      <p className="flex flex-wrap gap-x-2 text-sm text-muted">
        {(how === 'signup' || signUpPolicy === 'on') && (
          <>
            {other}
            <Link to={otherTo as string} className="text-accent underline">
              {otherName}
            </Link>
          </>
        )}
        {how === 'login' &&
          (canMail ? (
            <Link to={'/forgotten' as string} className="ml-auto text-accent underline">
              Password forgotten
            </Link>
          ) : (
            <span>Forgot your password? The operator of this gateway can reset it.</span>
          ))}
      </p>
    </div>
  );
}

function Fault({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="text-sm text-failed">
      {text}
    </p>
  );
}

/** In place of the sign-up form. */
function Closed({ byInvitation }: { readonly byInvitation: boolean }) {
  return (
    <div className="mx-auto flex max-w-sm flex-col gap-5 px-4 py-14">
      <title>Sign up · Weir</title>
      <h1 className="text-lg font-semibold">
        {byInvitation ? 'Sign-up is by invitation' : 'Sign-up is closed'}
      </h1>
      <p className="text-sm text-muted">
        {byInvitation
          ? 'Open the link of your invitation, or ask the operator of this gateway for one.'
          : 'Ask the operator of this gateway for an account.'}
      </p>
      <Link to={'/login' as string} className="text-sm text-accent underline">
        Log in
      </Link>
    </div>
  );
}
